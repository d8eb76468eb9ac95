/* scopes.cc - C++: a call is traced as long as an object lives, even if an
   exception ends it.
     c++ -std=c++11 scopes.cc -o scopes $(pkg-config --cflags --libs cgw)
     ./scopes; callgrind_annotate --tree=both callgrind.out.scopes
   The counter counts steps, so that the numbers are always the same.
   SPDX-License-Identifier: MIT  */
#include <cgw.hpp>
#include <cstdio>
#include <stdexcept>

static std::uint64_t steps;

struct steps_counter // a profiler would read a clock
{
  void
  operator() (std::uint64_t *now) const noexcept
  {
    *now = steps;
  }
};
using traced = cgw::scope<steps_counter>;

struct program
{
  cgw::names names;
  cgw::profile sums{ names, 1 };
  cgw::tracer tracer{ sums };
  cgw_file file = names.add_file (__FILE__);
  cgw_pos in_check = position ("check", 40);
  cgw_pos in_parse = position ("parse", 50);
  cgw_pos in_run = position ("run", 61);

  cgw_pos
  position (const char *name, std::uint32_t line)
  {
    return cgw_pos{ names.add_fn (name, file), {}, line, 0 };
  }

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
    steps += 1000; // never reached
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
    catch (const std::runtime_error &e)
      {
        steps += 100;
        std::printf ("%s after %d steps\n", e.what (), (int) steps);
      }
  }
};

int
main ()
{
  const cgw_event events[] = { { "Steps", nullptr, nullptr } };
  program p;

  p.run ();
  cgw::writer w (p.names, "callgrind.out.scopes");
  p.sums.write (w, cgw::part (events));
  cgw_status status = w.finish ();
  if (status != CGW_OK)
    std::fprintf (stderr, "scopes: %s\n", w.explain ());
  return status != CGW_OK;
}
