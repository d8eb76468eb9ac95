// shapes.cc - templates of the standard library, which call back, and exceptions
// in four threads, to be compared with valgrind's callgrind.  With ALONE, one
// thread does it all.
//
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define APART __attribute__ ((noipa))

namespace
{
struct shape
{
  virtual ~shape () = default;
  virtual int area () const = 0;
};

struct square : shape
{
  explicit square (int side) : side_ (side) {}
  APART int area () const override { return side_ * side_; }
  int side_;
};

struct guard
{
  explicit guard (long &n) : n_ (n) {}
  APART ~guard () { n_++; }
  long &n_;
};

APART int
refuse (int i)
{
  if (i % 3 == 0)
    throw std::runtime_error ("refused: " + std::to_string (i));
  return i;
}

APART int
pass (int i, long &passed)
{
  guard g (passed);

  return refuse (i) + 1;
}

APART int
accept (int i, long &passed)
{
  try
    {
      return pass (i, passed);
    }
  catch (const std::logic_error &)
    {
      return 0;
    }
  catch (const std::exception &e)
    {
      return -static_cast<int> (std::string (e.what ()).size ());
    }
}

APART void
work (int n, long &sum)
{
  std::map<std::string, int> counts;
  std::vector<std::unique_ptr<shape>> shapes;
  long passed = 0;

  for (int i = 0; i < n; i++)
    {
      counts["number " + std::to_string (i * 7 % 50)] += accept (i, passed);
      shapes.push_back (std::make_unique<square> (i * 37 % 101));
    }
  std::sort (shapes.begin (), shapes.end (),
             [] (const std::unique_ptr<shape> &a,
                 const std::unique_ptr<shape> &b)
             { return a->area () < b->area (); });
  for (const auto &count : counts)
    sum += count.second;
  sum += passed + shapes[static_cast<std::size_t> (n) / 2]->area ();
}
}

int
main ()
{
  long sums[4] = {};

#ifdef ALONE
  for (int i = 0; i < 4; i++)
    work (200 + 100 * i, sums[i]);
#else
  std::vector<std::thread> threads;

  for (int i = 0; i < 4; i++)
    threads.emplace_back (work, 200 + 100 * i, std::ref (sums[i]));
  for (auto &thread : threads)
    thread.join ();
#endif
  std::printf ("%ld %ld %ld %ld\n", sums[0], sums[1], sums[2], sums[3]);
}
