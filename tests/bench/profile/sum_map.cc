// sum_map.cc - sums by position in a std::unordered_map.
//
// Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT

#include "sum_map.h"

#include <cstring>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace
{

// The standard library's own hash of bytes.
struct hash
{
  std::size_t
  operator() (const cgw_pos &pos) const
  {
    const char *bytes = reinterpret_cast<const char *> (&pos);
    return std::hash<std::string_view> () ({ bytes, sizeof pos });
  }
};

struct equal
{
  bool
  operator() (const cgw_pos &a, const cgw_pos &b) const
  {
    return std::memcmp (&a, &b, sizeof a) == 0;
  }
};

using sum_map = std::unordered_map<cgw_pos, std::uint64_t, hash, equal>;

} // namespace

void *
sum_map_new ()
{
  return new sum_map;
}

void
sum_map_free (void *map)
{
  delete static_cast<sum_map *> (map);
}

void
sum_map_add (void *map, const cgw_pos *pos, uint64_t cost)
{
  (*static_cast<sum_map *> (map))[*pos] += cost;
}

std::size_t
sum_map_size (const void *map)
{
  return static_cast<const sum_map *> (map)->size ();
}

void
sum_map_each (const void *map,
              void (*act) (void *, const cgw_pos *, uint64_t), void *context)
{
  for (const auto &[pos, sum] : *static_cast<const sum_map *> (map))
    act (context, &pos, sum);
}
