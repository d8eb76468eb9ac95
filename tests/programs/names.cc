// names.cc - a program to be profiled: functions with long C++ names, inlined
// code from headers, and recursion.
//
// SPDX-License-Identifier: MIT

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

namespace
{
using handler = std::function<long (const std::vector<std::string> &)>;

template <typename T> struct tree
{
  T value;
  std::unique_ptr<tree> left, right;

  void
  insert (T v)
  {
    auto &side = v < value ? left : right;
    if (side)
      side->insert (std::move (v));
    else
      side = std::make_unique<tree> (tree{ std::move (v), nullptr, nullptr });
  }

  template <typename Visitor>
  void
  visit (Visitor &&visitor) const
  {
    if (left)
      left->visit (visitor);
    visitor (value);
    if (right)
      right->visit (visitor);
  }
};

std::map<std::string, handler>
make_handlers ()
{
  return { { "length",
             [] (const std::vector<std::string> &words) {
               return std::accumulate (
                   words.begin (), words.end (), 0L,
                   [] (long sum, const std::string &w) {
                     return sum + static_cast<long> (w.size ());
                   });
             } },
           { "tree", [] (const std::vector<std::string> &words) {
              tree<std::pair<std::string, std::size_t>> root{
                { words.at (0), 0 }, nullptr, nullptr
              };
              for (std::size_t i = 1; i < words.size (); i++)
                root.insert ({ words[i], i });
              long sum = 0;
              root.visit ([&sum] (const auto &v) {
                sum = 31 * sum + static_cast<long> (v.second);
              });
              return sum;
            } } };
}

std::vector<std::string>
split (const std::string &text)
{
  static const std::regex word ("([a-z]+)[0-9]*");
  std::vector<std::string> words;
  for (std::sregex_iterator i (text.begin (), text.end (), word), end;
       i != end; ++i)
    words.push_back ((*i)[1]);
  return words;
}
}

int
main ()
{
  std::string text;
  for (int i = 0; i < 60; i++)
    text += std::string (1 + static_cast<std::size_t> (i % 5),
                         static_cast<char> ('a' + i * 7 % 26))
            + std::to_string (i) + ' ';
  for (const auto &[name, call] : make_handlers ())
    std::cout << name << ' ' << call (split (text)) << '\n';
}
