// traced.cc - a C++ program to be traced: exceptions through three functions,
// with and without destructors on the way; a function inside a function.
//
// SPDX-License-Identifier: MIT

#include <cstdio>

namespace
{
volatile int destroyed;

void
note ()
{
  destroyed = destroyed + 1;
}

struct guard
{
  ~guard () { note (); }
};

void
thrower (int n)
{
  throw n;
}

void
guarded (int n)
{
  guard g;
  thrower (n);
}

void
outer (int n)
{
  guarded (n);
}

void
after ()
{
  volatile char large[2000];
  large[destroyed & 7] = 1;
}
}

int
main ()
{
  struct local
  {
    static int twice (int n) { return 2 * n; }
  };
  int sum = 0;
  for (int i = 1; i <= 6; i++)
    {
      try
        {
          outer (i);
        }
      catch (int n)
        {
          sum += local::twice (n);
        }
      after ();
    }
  std::printf ("%d %d\n", sum, destroyed);
}
