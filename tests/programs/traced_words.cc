// traced_words.cc - a C++ program to be traced: it sorts and counts words.
// The templates of the standard library are traced with it, and call it back;
// exceptions leave several functions at once.
//
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

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
  int area () const override { return side_ * side_; }
  int side_;
};

struct strip : square
{
  strip (int side, int n) : square (side), n_ (n) {}
  int area () const override { return n_ * square::area (); }
  int n_;
};

std::string
word (unsigned n)
{
  std::string w;
  for (n = n * 2654435761u >> 20; n != 0; n /= 26)
    w += static_cast<char> ('a' + n % 26);
  if (w.size () > 2 && w[0] == 'q')
    throw std::runtime_error (w);
  return w;
}

template <typename T>
std::size_t
longest (const T &words)
{
  std::size_t most = 0;
  std::for_each (words.begin (), words.end (), [&most] (const std::string &w)
                 { most = std::max (most, w.size ()); });
  return most;
}

bool
is_shorter (const std::string &a, const std::string &b)
{
  return a.size () != b.size () ? a.size () < b.size () : a < b;
}
}

int
main ()
{
  std::vector<std::string> words;
  std::map<std::string, int> counts;
  std::vector<std::unique_ptr<shape>> shapes;
  int refused = 0, area = 0;

  for (unsigned i = 0; i < 2000; i++)
    try
      {
        words.push_back (word (i % 700));
        counts[words.back ()]++;
      }
    catch (const std::runtime_error &)
      {
        refused++;
      }
  std::sort (words.begin (), words.end (), is_shorter);
  for (const auto &count : counts)
    if (count.second % 2 != 0)
      shapes.push_back (std::make_unique<square> (count.second));
    else
      shapes.push_back (std::make_unique<strip> (count.second, 3));
  for (const auto &s : shapes)
    area += s->area ();
  std::printf ("%zu %zu %zu %d %d\n", words.size (), counts.size (),
               longest (words), refused, area);
}
