/* qemu_throws.cc - exceptions that pass through functions with destructors:
   prints how often each is called.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <cstdio>
#include <stdexcept>

#define APART __attribute__ ((noipa))

static volatile long sink;
static int destroyed;

struct Guard
{
  APART Guard () { sink++; }
  APART ~Guard () { destroyed++; }
};

APART void
inner (int i)
{
  Guard guard;

  if (i % 2)
    throw std::runtime_error ("odd");
  sink++;
}

APART void
middle (int i)
{
  Guard guard;

  inner (i);
  sink++;
}

APART void
outer (int i)
{
  Guard guard;

  try
    {
      middle (i);
    }
  catch (const std::logic_error &)
    {
      sink++;
    }
}

APART void
caught ()
{
  sink++;
}

APART void
after ()
{
  sink++;
}

int
main ()
{
  for (int i = 0; i < 100; i++)
    {
      try
        {
          outer (i);
        }
      catch (const std::exception &)
        {
          caught ();
        }
      after ();
    }
  std::printf ("main outer(int) 100\nouter(int) middle(int) 100\n");
  std::printf ("middle(int) inner(int) 100\ninner(int) __cxa_throw 50\n");
  std::printf ("main caught() 50\nmain after() 100\n");
  std::printf ("* Guard::~Guard() %d\n", destroyed);
}
