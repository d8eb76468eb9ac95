#!/bin/sh
# scopes.sh - all functions of cgw.hpp do what those of cgw.h do; a scope takes
# no more instructions than the two calls; and examples/scopes.cc has the numbers
# that one counts by hand.
#
# From the environment: srcdir, CXX, CFLAGS, LDFLAGS.  In the build folder:
# libcgw.la.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
CXX=${CXX-c++}
$CXX --version >/dev/null 2>&1 || skip_all "there is no C++ compiler"
. "$srcdir/tests/examples/annotate.sh"
# Flags of C that C++ does not know.
flags=$(echo "${CFLAGS-}" | tr ' ' '\n' \
  | grep -v '^-std=\|^-Wstrict-prototypes\|^-Wmissing-prototypes\|^-Wold-style' \
  | tr '\n' ' ')

link () # SOURCE PROGRAM
{
  # libtool knows what else a program needs, under sanitizers too.
  # shellcheck disable=SC2086 # flags are words
  ./libtool --quiet --tag=CXX --mode=link $CXX -std=c++11 $flags \
    ${LDFLAGS-} -I"$srcdir/include" "$1" -o "$2" libcgw.la >"$log" 2>&1
}

# Every function: to standard output what the writer wrote, to standard error the
# total of B and the number of records.
cat >"$dir/all.cc" <<'END'
#include <cgw.hpp>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static ssize_t
keep (void *context, const void *bytes, std::size_t n)
{
  static_cast<std::string *> (context)->append (
      static_cast<const char *> (bytes), n);
  return static_cast<ssize_t> (n);
}

static cgw_options
options_for (std::string *text)
{
  cgw_options options = CGW_OPTIONS_INIT;
  options.write = keep;
  options.write_context = text;
  return options;
}

static std::uint64_t steps;
struct counter
{
  void operator() (std::uint64_t *now) const noexcept { *now = ++steps; }
};

static const cgw_event events[]
    = { { "A", nullptr, nullptr }, { "B", nullptr, nullptr } };

/* Plain functions.  */
static cgw_status
pass_cost (const cgw_pos &, cgw::costs)
{
  return CGW_OK;
}
static cgw_status
pass_call (const cgw_pos &, const cgw_pos &, std::uint64_t, cgw::costs)
{
  return CGW_OK;
}
static ssize_t
pass_bytes (const void *, std::size_t n)
{
  return static_cast<ssize_t> (n);
}
static void
pass_sample (const cgw_sample &)
{
}

static std::string
all_functions ()
{
  std::string text;
  cgw_options options = options_for (&text);
  cgw::names names;
  cgw::writer first (names, -1, &options);
  cgw::writer w (static_cast<cgw::writer &&> (first));
  std::string path = "a.c";
  cgw_pos f = { names.add_fn ({ "function", 1 }, names.add_file (path),
                              names.add_object ("o")), {}, 3, 0 };
  cgw_pos later = { f.fn, {}, 4, 0 };
  cgw_pos g = { names.add_fn ("g"), {}, 7, 0 };
  cgw_file file;
  cgw_object object;
  if (std::strcmp (names.name (f.fn, &file, &object), "f") != 0
      || names.name (file) != path
      || std::strcmp (names.name (object), "o") != 0)
    return "names";
  const std::vector<cgw_event> vector (events, events + 2);
  w.begin_part (cgw::part (vector));
  w.cost (f, { 1, 2 });
  w.call (f, g, 3, { 4, 5 });
  w.jump (f, f, 6);
  w.cond_jump (f, f, 7, 8);
  w.comment ("text");
  w.flush ();
  cgw::profile p (names, 2);
  cgw::profile q = cgw::profile (names, 2);
  cgw_pos frames[] = { f, g };
  std::uint64_t several[] = { 13, 0, 0 };
  p.cost (f, { 9 });
  if (p.clear ())
    return "clear";
  p.cost (f, { 10, 11 });
  p.call (f, g, 12, { several, 1 });
  q.set_root (g.fn);
  q.stack (frames, 2, std::vector<std::uint64_t> { 14, 15 }, 16);
  q.node (frames, 2, { 0, 1 }, 4);
  cgw::profile whole (names, 2), turned (names, 2);
  q.visit ([&whole] (const cgw_pos &pos, cgw::costs c) {
             return whole.cost (pos, c);
           },
           [&whole] (const cgw_pos &from, const cgw_pos &to,
                     std::uint64_t count, cgw::costs c) {
             return whole.call (from, to, count, c);
           },
           [&whole] (const cgw_pos *at, std::size_t n, cgw::costs c,
                     std::uint64_t count) {
             return n == 3 ? whole.stack (at, n, c, count) : CGW_EINVAL;
           });
  whole.visit ([&turned] (const cgw_pos &pos, cgw::costs c) {
                 return turned.cost (pos, c);
               },
               [&turned] (const cgw_pos &from, const cgw_pos &to,
                          std::uint64_t count, cgw::costs c) {
                 return turned.call (from, to, count, c);
               });
  if (whole.visit (pass_cost, pass_call) || whole.pack (pass_bytes))
    return "functions";
  std::string packed;
  turned.pack ([&packed] (const void *bytes, std::size_t n) -> ssize_t {
    packed.append (static_cast<const char *> (bytes), n);
    return static_cast<ssize_t> (n);
  });
  p.unpack (packed.data (), packed.size ());
  steps = 0;
  {
    cgw::tracer t (q, cgw::tracer_options (1));
    cgw_edge edge = t.edge (f, g);
    cgw::scope<counter> outer (t, f);
    steps = 5;
    t.move (g, &steps);
    {
      cgw::scope<counter> inner (t, edge);
      t.cost ({ 17 });
    }
  }
  q.set_root ({});
  {
    cgw::tracer t (q);
    t.enter (f, &++steps);
    t.enter_from (later, g, &++steps, 1);
    t.enter (t.edge (f, g), &++steps, 2);
    t.tail (g, &++steps, 3);
    if (t.depth () != 3 || t.tag (3) != 3)
      return "depth and tag";
    t.cost (f, { 18 });
    t.leave (&++steps);
    t.stop (&++steps);
    steps = 50;
    t.start (&steps);
    t.enter (g, &++steps, 9);
    t.enter (f, &++steps);
    t.unwind_tag (9, &++steps);
    cgw::tracer coroutine (q);
    coroutine.resume (t, &++steps);
    coroutine.enter (g, &++steps);
    coroutine.yield (&++steps);
    coroutine.resume (t, f, &++steps);
    coroutine.yield (&++steps);
    t.unwind (1, &++steps);
    t.unwind (0, &++steps);
    t.enter (f, &++steps);
    t.enter (g, &++steps);
    t.sync (&++steps);
  }
  p.merge (q);
  p.write (w, cgw::part (events, 2, CGW_LINE));
  p.save ("saved", cgw::part (events, 2, CGW_LINE));
  std::uint64_t totals[2];
  p.total (totals, 2);
  cgw::stats stats;
  w.get_stats (stats);
  std::fprintf (stderr, "%d %d\n", (int) totals[1], (int) stats.recorded);
  if (w.finish () != w.error () || w.error_number () != 0)
    std::puts (w.explain ());
  first = static_cast<cgw::writer &&> (w);
  if (w.get () != nullptr || w.cost (f, several) != CGW_EINVAL
      || first.salvage () != CGW_EFINISHED)
    return "moving";
  return text;
}

/* What each object says about its last error and its first.  */
template <typename Object>
static bool
explains (const Object &object, const char *last, cgw_status status,
          const char *first)
{
  const char *sentence = "none";
  bool right = object.error () == status
               && object.error (&sentence) == status
               && std::strncmp (sentence, first, std::strlen (first)) == 0
               && std::strncmp (object.explain (), last, std::strlen (last))
                      == 0;
  if (!right)
    std::printf ("%d: %s; %s\n", (int) object.error (), sentence,
                 object.explain ());
  return right;
}

static bool
errors_are_explained ()
{
  std::string text;
  cgw_options options = options_for (&text);
  cgw::names names;
  cgw::writer w (names, -1, &options);
  cgw::profile p (names, 1);
  cgw_pos f = { names.add_fn ("f"), {}, 3, 0 };
  w.begin_part (cgw::part (events, 0, CGW_LINE));
  w.begin_part (cgw::part (events));
  p.write (w, cgw::part (events));
  p.cost (f, { 1, 2 });
  p.unpack ("no", 2);
  cgw::profile none (names, 0);
  names.add_fn ("g", cgw_file{ f.fn.handle + 1000000 });
  return explains (w, "cgw_profile_write: ", CGW_EINVAL, "cgw_begin_part: ")
         && explains (p, "cgw_profile_unpack: ", CGW_ECOSTS,
                      "cgw_profile_cost: ")
         && explains (names, "cgw_add_fn_n: ", CGW_EHANDLE, "cgw_add_fn_n: ")
         && none.get () == nullptr;
}

/* A recorder returns what was pushed.  */
static bool
recorder_works ()
{
  alignas (8) static unsigned char memory[4096];
  cgw::recorder r (memory, 2, 3, 1);
  cgw::recorder_stats stats;
  std::uint64_t frames[] = { 5, 6 }, sum = 0;
  if (cgw::recorder::size (2, 3, 1) > sizeof memory)
    return false;
  r.push (7, frames, 2, { 8 });
  auto add = [&sum] (const cgw_sample &s) {
    sum += s.frames[1] + s.n_frames + s.cost[0] + s.tag;
  };
  return cgw::recorder (r.get ()).drain (add) == 1 && sum == 6 + 2 + 8 + 7
         && r.get_stats (stats) == CGW_OK && stats.drained == 1
         && r.drain (pass_sample) == 0
         && r.drain_shared (2, 3, 1, pass_sample) == 0;
}

int
main ()
{
  std::printf ("%s", all_functions ().c_str ());
  return !recorder_works () || !errors_are_explained ();
}
END
link "$dir/all.cc" "$dir/all" && (cd "$dir" && ./all >written 2>counts) \
  && "$cgread" --no-pad --dump "$dir/written" | tr '\t' ' ' >"$dir/dump" \
  && grep '^#' "$dir/written" | cat "$dir/counts" - >>"$dir/dump" \
  && diff - "$dir/dump" >"$log" <<'END'
cost ??? ??? g ??? 0x0 7 16 17
cost o a.c f a.c 0x0 3 47 63
call ??? ??? g ??? 0x0 0 -> ??? ??? g 0x0 0 32 28 32
call ??? ??? g ??? 0x0 0 -> o a.c f 0x0 3 1 7 17
call ??? ??? g ??? 0x0 7 -> ??? ??? g 0x0 7 2 0 0
call ??? ??? g ??? 0x0 7 -> o a.c f 0x0 3 41 28 32
call o a.c f a.c 0x0 3 -> ??? ??? g 0x0 7 20 18 5
call o a.c f a.c 0x0 4 -> ??? ??? g 0x0 7 1 13 18
jump o a.c f a.c 0x0 3 -> o a.c f a.c 0x0 3 always 6 0
jump o a.c f a.c 0x0 3 -> o a.c f a.c 0x0 3 conditional 8 7
78 12
# callgrind format
# text
END
result $? "all functions do what those of cgw.h do" "$log"

# All but those that are called as they are, and those that take a name without
# its length.
sed -n 's/^    \(cgw_[a-z_]*\);/\1/p' "$srcdir/lib/libcgw.map" \
  | grep -v '^cgw_strerror$\|^cgw_version$\|^cgw_add_[a-z]*$' \
  >"$dir/functions"
while read -r name; do
  grep -q "$name (\|\(holder\|explaining\)<.*\<$name\>" "$srcdir/include/cgw.hpp" \
    || echo "$name"
done <"$dir/functions" >"$log"
test ! -s "$log" && test "$(wc -l <"$dir/functions")" -gt 50
result $? "cgw.hpp has all functions of cgw.h" "$log"

# Two functions that must come out alike.
cat >"$dir/cost.cc" <<'END'
#include <cgw.hpp>
extern std::uint64_t steps;
void work ();
struct counter
{
  void operator() (std::uint64_t *now) const noexcept { *now = steps; }
};
void by_scope (cgw::tracer &t, const cgw_pos &callee);
void
by_scope (cgw::tracer &t, const cgw_pos &callee)
{
  cgw::scope<counter> call (t, callee);
  work ();
}
void by_calls (cgw::tracer &t, const cgw_pos &callee);
void
by_calls (cgw::tracer &t, const cgw_pos &callee)
{
  cgw_tracer *tracer = t.get ();
  {
    std::uint64_t now = steps;
    cgw_tracer_enter (tracer, nullptr, &callee, 0, &now);
  }
  work ();
  {
    std::uint64_t now = steps;
    cgw_tracer_leave (tracer, &now);
  }
}
END
instructions () # FUNCTION
{
  objdump -d --no-show-raw-insn "$dir/cost.o" | awk -v f="<_Z8$1" '
    /^[0-9a-f]+ </ { on = index ($0, f) } on && /^ / && !/nop/ { n++ }
    END { print n + 0 }'
}
if command -v objdump >/dev/null; then
  $CXX -std=c++11 -O2 -fno-exceptions -fomit-frame-pointer \
    -I"$srcdir/include" -c "$dir/cost.cc" -o "$dir/cost.o" >"$log" 2>&1
  echo "$(instructions by_scope) by_scope, $(instructions by_calls) by_calls" \
    >>"$log"
  test "$(instructions by_calls)" -gt 8 \
    && test "$(instructions by_scope)" -le "$(instructions by_calls)"
  result $? "a scope takes no more instructions than its calls" "$log"
else
  skip "instructions of a scope" "there is no objdump"
fi

link "$srcdir/examples/scopes.cc" "$dir/scopes"
result $? "examples/scopes.cc compiles" "$log"
cd "$dir" || exit 1
./scopes >"$log" 2>&1 && test ! -s "$log"
result $? "it runs" "$log"
"$cgread" --dump callgrind.out.scopes | awk -F '\t' '
  $1 == "cost" { print $4, $8 }
  $1 == "call" { split ($13, c, " "); print $4, $10, c[1], c[2] }' | sort >got
sort >expected <<'END'
run 101
parse 30
check 15
run parse 1 45
parse parse 2 0
parse check 3 15
END
diff expected got >"$log"
result $? "its calls and costs are those counted by hand" "$log"
shows "it" callgrind.out.scopes
done_testing
