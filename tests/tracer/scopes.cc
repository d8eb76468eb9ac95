// scopes.cc - scopes of C++ as the calls of a tracer: constructors enter,
// destructors leave, also when an exception passes.  Prints the program's own
// count, from a stack that knows no destructors.
//
// SPDX-License-Identifier: MIT

#include <cgw.h>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace
{

enum event { STEPS, BYTES, FAILURES, N_EVENTS };
const std::size_t n_counters = FAILURES; // the last one is no counter

cgw_names *names;
cgw_tracer *tracer;
unsigned n_tracers;
std::uint64_t counters[n_counters];

void
check (cgw_status status)
{
  if (status != CGW_OK)
    {
      std::fprintf (stderr, "scopes: %s\n", cgw_strerror (status));
      std::exit (1);
    }
}

cgw_pos
position (const char *name, std::uint32_t line)
{
  cgw_file file = cgw_add_file (names, "scopes.cc");
  return { cgw_add_fn (names, name, file, { 0 }), { 0 }, line, 0 };
}

// A block inside a function: all calls of it are of one edge.
class site
{
public:
  site (const cgw_pos &at, const cgw_pos &begin) : at_ (at), begin_ (begin) {}

  // Edges are of one profile, and valid until its last tracer is freed.
  const cgw_edge &
  edge ()
  {
    if (of_ != n_tracers)
      check (cgw_tracer_edge (tracer, &at_, &begin_, &edge_));
    of_ = n_tracers;
    return edge_;
  }

private:
  cgw_pos at_, begin_;
  cgw_edge edge_ = { 0, 0 };
  unsigned of_ = 0;
};

class scope
{
public:
  explicit scope (const cgw_pos &begin)
  {
    check (cgw_tracer_enter (tracer, nullptr, &begin, 0, counters));
  }

  explicit scope (site &block)
  {
    check (cgw_tracer_enter_edge (tracer, block.edge (), 0, counters));
  }

  ~scope () { check (cgw_tracer_leave (tracer, counters)); }

  scope (const scope &) = delete;
  scope &operator= (const scope &) = delete;
};

// The program's own count.  `active` has the names of what is active: what
// catches an exception says how many still are.
struct count
{
  std::uint64_t self[N_EVENTS], inclusive[N_EVENTS];
};
std::map<std::string, count> counts;
std::map<std::string, std::uint64_t> calls; // of "CALLER CALLEE"
std::vector<std::string> active;

void
begin (const std::string &name)
{
  if (!active.empty ())
    calls[active.back () + " " + name]++;
  active.push_back (name);
}

void
end ()
{
  active.pop_back ();
}

void
add (event e, std::uint64_t cost)
{
  counts[active.back ()].self[e] += cost;
  for (const std::string &name :
       std::set<std::string> (active.begin (), active.end ()))
    counts[name].inclusive[e] += cost;
}

void
work (std::uint64_t steps, std::uint64_t bytes)
{
  counters[STEPS] += steps;
  counters[BYTES] += bytes;
  add (STEPS, steps);
  add (BYTES, bytes);
}

struct failure
{
};

[[noreturn]] void
fail ()
{
  const std::uint64_t cost = 1;
  check (cgw_tracer_cost (tracer, nullptr, &cost, 1));
  add (FAILURES, 1);
  throw failure ();
}

void
walk (unsigned n)
{
  static const cgw_pos here = position ("walk", __LINE__);
  scope s (here);
  begin ("walk");
  work (1, n);
  for (unsigned i = 0; i < n; i++)
    walk (n - 1);
  work (2, 0);
  end ();
}

void
blocks ()
{
  static const cgw_pos here = position ("blocks", __LINE__);
  scope s (here);
  begin ("blocks");
  for (unsigned i = 1; i <= 4; i++)
    {
      static const cgw_pos outer = position ("outer_block", __LINE__);
      static site to_outer (here, outer);
      scope s1 (to_outer);
      begin ("outer_block");
      work (i, 10 * i);
      if (i % 2 == 0)
        {
          static site to_inner (outer, position ("inner_block", __LINE__));
          scope s2 (to_inner);
          begin ("inner_block");
          work (i, 100 * i);
          walk (1);
          end ();
        }
      work (1, 0);
      end ();
    }
  end ();
}

// A destructor that is traced itself, while an exception passes.
class file
{
public:
  file () : n_active_ (active.size ()) {}

  ~file ()
  {
    static const cgw_pos here = position ("close", __LINE__);
    active.resize (n_active_);
    scope s (here);
    begin ("close");
    work (7, 0);
    end ();
  }

private:
  std::size_t n_active_;
};

void
parse ()
{
  static const cgw_pos here = position ("parse", __LINE__);
  scope s (here);
  begin ("parse");
  walk (2);
  work (3, 30);
  fail ();
}

void
load ()
{
  static const cgw_pos here = position ("load", __LINE__);
  scope s (here);
  begin ("load");
  file f;
  work (4, 40);
  parse ();
}

void
start ()
{
  static const cgw_pos here = position ("start", __LINE__);
  scope s (here);
  begin ("start");
  work (5, 50);
  load ();
}

// Every second activation passes an exception on.
void
retry (unsigned n)
{
  static const cgw_pos here = position ("retry", __LINE__);
  scope s (here);
  begin ("retry");
  const std::size_t n_active = active.size ();
  try
    {
      work (1, 1);
      if (n == 0)
        start ();
      else
        retry (n - 1);
    }
  catch (const failure &)
    {
      active.resize (n_active);
      work (6, 6);
      if (n % 2 == 0)
        throw;
    }
  if (n % 2 != 0)
    walk (1);
  end ();
}

// The last exception leaves all scopes.
void
run ()
{
  static const cgw_pos here = position ("run", __LINE__);
  scope s (here);
  begin ("run");
  blocks ();
  walk (3);
  retry (5);
  work (9, 90);
  start ();
}

cgw_profile *
traced ()
{
  cgw_profile *p;
  check (cgw_profile_new (&p, names, N_EVENTS, CGW_LINE));
  cgw_tracer_options options = CGW_TRACER_OPTIONS_INIT;
  options.n_counters = n_counters;
  check (cgw_tracer_new (&tracer, p, &options));
  n_tracers++;
  try
    {
      run ();
    }
  catch (const failure &)
    {
      active.clear ();
    }
  if (cgw_tracer_depth (tracer) != 0)
    std::printf ("calls are open\n");
  counters[STEPS] += 1000; // in no scope
  check (cgw_tracer_free (tracer));
  return p;
}

void
print ()
{
  for (const auto &call : calls)
    std::printf ("call %s %" PRIu64 "\n", call.first.c_str (), call.second);
  for (const auto &entry : counts)
    {
      std::printf ("cost %s", entry.first.c_str ());
      for (std::uint64_t cost : entry.second.self)
        std::printf (" %" PRIu64, cost);
      std::printf ("\ninclusive %s", entry.first.c_str ());
      for (std::uint64_t cost : entry.second.inclusive)
        std::printf (" %" PRIu64, cost);
      std::printf ("\n");
    }
}

} // namespace

int
main ()
{
  const cgw_event events[] = { { "Steps", nullptr, nullptr },
                               { "Bytes", nullptr, nullptr },
                               { "Failures", nullptr, nullptr } };
  cgw_part part = CGW_PART_INIT;
  part.events = events;
  part.n_events = N_EVENTS;
  check (cgw_names_new (&names, nullptr));
  cgw_profile *p = traced ();
  cgw_profile *q = traced (); // the sites look up their edges again
  check (cgw_profile_merge (p, q));
  cgw_writer *w;
  check (cgw_create (&w, names, "callgrind.out.scopes", nullptr));
  check (cgw_profile_write (p, w, &part));
  check (cgw_finish (w));
  print ();
  cgw_profile_free (q);
  cgw_profile_free (p);
  cgw_free (w);
  cgw_names_free (names);
}
