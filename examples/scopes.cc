/* scopes.cc - C++: a call is traced as long as an object lives, even if an
   exception ends it.
     c++ -std=c++11 scopes.cc -o scopes $(pkg-config --cflags --libs cgw)
     ./scopes; callgrind_annotate --tree=both callgrind.out.scopes
   SPDX-License-Identifier: MIT  */
#include <cgw.hpp>
#include <cstdio>
#include <stdexcept>

static std::uint64_t steps;

struct counter // the tracer's: a profiler would read a clock
{
  void
  operator() (std::uint64_t *now) const noexcept
  {
    *now = steps;
  }
};
using traced = cgw::scope<counter>;

struct program
{
  cgw::names names;
  cgw::profile sums{ names, 1 };
  cgw::tracer tracer{ sums };
  cgw_file file = names.add_file (__FILE__);
  cgw_pos in_check{ names.add_fn ("check", file), {}, 35, 0 };
  cgw_pos in_parse{ names.add_fn ("parse", file), {}, 45, 0 };
  cgw_pos in_run{ names.add_fn ("run", file), {}, 55, 0 };

  void
  check (int depth)
  {
    traced call (tracer, in_check);
    steps += 5;
    if (depth == 3)
      throw std::runtime_error ("too deep");
  }

  /* The exception ends each of these calls.  */
  void
  parse (int depth)
  {
    traced call (tracer, in_parse);
    steps += 10;
    check (depth);
    if (depth < 5)
      parse (depth + 1);
  }

  void
  run ()
  {
    traced call (tracer, in_run);
    steps += 1;
    try
      {
        parse (1);
      }
    catch (const std::runtime_error &)
      {
        steps += 100;
      }
  }
};

int
main ()
{
  const cgw_event events[] = { { "Steps", nullptr, nullptr } };
  program p;
  p.run ();
  cgw_status status = p.sums.save ("callgrind.out.scopes", cgw::part (events));
  if (status != CGW_OK)
    std::fprintf (stderr, "scopes: %s\n", p.sums.explain ());
  return status != CGW_OK;
}
