/* cgw.hpp - libcgw for C++11 and later: objects that free what they hold, and
   calls that last as long as a scope.

   Each object holds one pointer, and each member function makes one call of
   cgw.h.  The comments there describe the call, its errors, and where you may
   call it from, and sentences about errors have the names of cgw.h.  Nothing
   here throws, allocates, or needs exceptions or RTTI.
   If a class of your shared library has a member of these classes, and libcgw
   is hidden in that library, declare the destructor of the class, and define
   it in a source file there: with an inline one, each program that destroys an
   object wants cgw_free or its like, which it cannot see.
   cgw_strerror and cgw_version have no wrapper: call them directly.

   SPDX-License-Identifier: MIT  */

#ifndef CGW_HPP
#define CGW_HPP 1

#include "cgw.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>

namespace cgw
{

/* The structs of cgw.h, initialized.  */
struct options : cgw_options
{
  options () noexcept : cgw_options (CGW_OPTIONS_INIT) {}
};
struct names_options : cgw_names_options
{
  names_options () noexcept : cgw_names_options (CGW_NAMES_OPTIONS_INIT) {}
};
struct stats : cgw_stats
{
  stats () noexcept : cgw_stats (CGW_STATS_INIT) {}
};
struct tracer_options : cgw_tracer_options
{
  tracer_options () noexcept : cgw_tracer_options (CGW_TRACER_OPTIONS_INIT) {}
  explicit tracer_options (std::size_t counters,
                           std::uint64_t their_flags = 0) noexcept
      : tracer_options ()
  {
    n_counters = counters;
    flags = their_flags;
  }
};
struct recorder_stats : cgw_recorder_stats
{
  recorder_stats () noexcept : cgw_recorder_stats (CGW_RECORDER_STATS_INIT) {}
};

/* A part, for writer::begin_part or profile::write.  The array of events, or
   the std::vector or other object that has it, must live as long as the
   part.  */
struct part : cgw_part
{
  part (const cgw_event *their_events, std::size_t n,
        unsigned their_positions) noexcept
      : cgw_part (CGW_PART_INIT)
  {
    events = their_events;
    n_events = n;
    positions = their_positions;
  }
  template <std::size_t N>
  explicit part (const cgw_event (&their_events)[N],
                 unsigned their_positions = CGW_LINE) noexcept
      : part (their_events, N, their_positions)
  {
  }
  template <typename Events, typename = decltype (
                                 std::declval<const Events &> ().data ())>
  explicit part (const Events &their_events,
                 unsigned their_positions = CGW_LINE) noexcept
      : part (their_events.data (), their_events.size (), their_positions)
  {
  }
};

/* An argument with costs: { 1, 2 }, an array, { pointer, number }, or an object
   with data () and size (), such as a std::vector.  It is no variable: it refers
   to what it was made from.  */
struct costs
{
  costs (const std::uint64_t *pointer, std::size_t number) noexcept
      : at (pointer), n (number)
  {
  }
  costs (std::initializer_list<std::uint64_t> list) noexcept
      : costs (list.begin (), list.size ())
  {
  }
  template <std::size_t N>
  costs (const std::uint64_t (&array)[N]) noexcept : costs (array, N)
  {
  }
  template <typename Numbers, typename = decltype (
                                  std::declval<const Numbers &> ().data ())>
  costs (const Numbers &numbers) noexcept
      : costs (numbers.data (), numbers.size ())
  {
  }

  const std::uint64_t *at;
  std::size_t n;
};

/* An argument that is a name: a string that ends at its NUL,
   { pointer, length }, or an object with data () and size (), such as a
   std::string.  */
struct text
{
  text (const char *pointer, std::size_t length) noexcept
      : at (pointer), n (length)
  {
  }
  text (const char *string) noexcept
      : text (string, string != nullptr ? std::strlen (string) : 0)
  {
  }
  template <typename String, typename = decltype (
                                 std::declval<const String &> ().data ())>
  text (const String &string) noexcept : text (string.data (), string.size ())
  {
  }

  const char *at;
  std::size_t n;
};

/* The deleter of all objects.  */
struct ending
{
  void operator() (cgw_names *n) const noexcept { cgw_names_free (n); }
  void operator() (cgw_writer *w) const noexcept
  {
    cgw_finish (w);
    cgw_free (w);
  }
  void operator() (cgw_profile *p) const noexcept { cgw_profile_free (p); }
  void operator() (cgw_tracer *t) const noexcept { cgw_tracer_free (t); }
};

/* The base of all objects.  They can be moved, but not copied.  An object that
   could not be made, or that was moved from, holds NULL: its calls return
   CGW_EINVAL.  (A writer whose file could not be opened does not hold NULL, so
   that it can explain why.)  */
template <typename Handle> class holder
{
public:
  Handle *get () const noexcept { return held_.get (); }

protected:
  std::unique_ptr<Handle, ending> held_;
};

template <typename Handle, const char *(*Explain) (Handle *),
          cgw_status (*Error) (Handle *, const char **)>
class explaining : public holder<Handle>
{
public:
  /* Why the last call failed.  */
  const char *explain () const noexcept { return Explain (this->get ()); }
  /* Why the file, the sums or the names are incomplete.  */
  cgw_status error (const char **sentence = nullptr) const noexcept
  {
    return Error (this->get (), sentence);
  }
};

/* The names of objects, files and functions, which writers and profiles share.
   These may outlive it.  */
class names : public explaining<cgw_names, cgw_names_explain, cgw_names_error>
{
public:
  explicit names (const cgw_names_options *options = nullptr) noexcept
  {
    cgw_names *n;

    cgw_names_new (&n, options);
    held_.reset (n);
  }

  cgw_object add_object (text path) noexcept
  {
    return cgw_add_object_n (get (), path.at, path.n);
  }
  cgw_file add_file (text path) noexcept
  {
    return cgw_add_file_n (get (), path.at, path.n);
  }
  cgw_fn add_fn (text name, cgw_file file = {},
                 cgw_object object = {}) noexcept
  {
    return cgw_add_fn_n (get (), name.at, name.n, file, object);
  }

  const char *name (cgw_object object) const noexcept
  {
    return cgw_object_name (get (), object);
  }
  const char *name (cgw_file file) const noexcept
  {
    return cgw_file_name (get (), file);
  }
  const char *name (cgw_fn fn, cgw_file *file = nullptr,
                    cgw_object *object = nullptr) const noexcept
  {
    return cgw_fn_name (get (), fn, file, object);
  }
};

/* A writer.  The destructor finishes the file, also when an exception leaves
   the scope, but ignores the status: call finish if you need it.  */
class writer : public explaining<cgw_writer, cgw_explain, cgw_error>
{
public:
  writer (names &n, const char *path,
          const cgw_options *options = nullptr) noexcept
  {
    cgw_writer *w;

    cgw_open (&w, n.get (), path, options);
    held_.reset (w);
  }
  writer (names &n, int fd, const cgw_options *options = nullptr) noexcept
  {
    cgw_writer *w;

    cgw_open_fd (&w, n.get (), fd, options);
    held_.reset (w);
  }

  cgw_status begin_part (const cgw_part &part) noexcept
  {
    return cgw_begin_part (get (), &part);
  }
  cgw_status cost (const cgw_pos &pos, costs c) noexcept
  {
    return cgw_cost (get (), &pos, c.at, c.n);
  }
  cgw_status call (const cgw_pos &from, const cgw_pos &to,
                   std::uint64_t count, costs inclusive) noexcept
  {
    return cgw_call (get (), &from, &to, count, inclusive.at, inclusive.n);
  }
  cgw_status jump (const cgw_pos &from, const cgw_pos &to,
                   std::uint64_t executed) noexcept
  {
    return cgw_jump (get (), &from, &to, executed);
  }
  cgw_status cond_jump (const cgw_pos &from, const cgw_pos &to,
                        std::uint64_t followed,
                        std::uint64_t executed) noexcept
  {
    return cgw_cond_jump (get (), &from, &to, followed, executed);
  }
  cgw_status comment (const char *text) noexcept
  {
    return cgw_comment (get (), text);
  }
  cgw_status flush () noexcept { return cgw_flush (get ()); }
  cgw_status finish () noexcept { return cgw_finish (get ()); }
  cgw_status salvage () noexcept { return cgw_salvage (get ()); }

  cgw_status get_stats (cgw_stats &stats) const noexcept
  {
    return cgw_get_stats (get (), &stats);
  }
  int error_number () const noexcept { return cgw_errno (get ()); }
};

/* A visitor made of functions, for profile::visit.  */
template <typename Cost, typename Call, typename Stack>
struct visiting : cgw_visitor
{
  visiting (Cost &their_cost, Call &their_call, Stack &their_stack) noexcept
      : cgw_visitor (CGW_VISITOR_INIT), on_cost (their_cost),
        on_call (their_call), on_stack (their_stack)
  {
    context = this;
    cost = [] (void *v, const cgw_pos *pos, const std::uint64_t *c,
               std::size_t n) {
      return static_cast<visiting *> (v)->on_cost (*pos, costs (c, n));
    };
    call = [] (void *v, const cgw_pos *from, const cgw_pos *to,
               std::uint64_t count, const std::uint64_t *c, std::size_t n) {
      return static_cast<visiting *> (v)->on_call (*from, *to, count,
                                                   costs (c, n));
    };
  }
  void take_stacks () noexcept
  {
    stack = [] (void *v, const cgw_pos *frames, std::size_t n_frames,
                std::uint64_t count, const std::uint64_t *c, std::size_t n) {
      return static_cast<visiting *> (v)->on_stack (frames, n_frames,
                                                    costs (c, n), count);
    };
  }

  Cost &on_cost;
  Call &on_call;
  Stack &on_stack;
};

/* Sums of costs and calls.  If a profile cannot be made, its names explain
   why.  */
class profile
    : public explaining<cgw_profile, cgw_profile_explain, cgw_profile_error>
{
public:
  profile (names &n, std::size_t n_events,
           unsigned positions = CGW_LINE) noexcept
  {
    cgw_profile *p;

    cgw_profile_new (&p, n.get (), n_events, positions);
    held_.reset (p);
  }

  cgw_status cost (const cgw_pos &pos, costs c) noexcept
  {
    return cgw_profile_cost (get (), &pos, c.at, c.n);
  }
  cgw_status call (const cgw_pos &from, const cgw_pos &to,
                   std::uint64_t count, costs inclusive) noexcept
  {
    return cgw_profile_call (get (), &from, &to, count, inclusive.at,
                             inclusive.n);
  }
  /* frames[0] is the leaf.  */
  cgw_status stack (const cgw_pos *frames, std::size_t n_frames, costs c,
                    std::uint64_t count = 1) noexcept
  {
    return cgw_profile_stack (get (), frames, n_frames, count, c.at, c.n);
  }
  cgw_status node (const cgw_pos *frames, std::size_t n_frames, costs c,
                   std::uint64_t count) noexcept
  {
    return cgw_profile_node (get (), frames, n_frames, count, c.at, c.n);
  }
  cgw_status set_root (cgw_fn root) noexcept
  {
    return cgw_profile_set_root (get (), root);
  }
  cgw_status set_signed (std::size_t event) noexcept
  {
    return cgw_profile_set_signed (get (), event);
  }
  cgw_status total (std::uint64_t *totals, std::size_t n) const noexcept
  {
    return cgw_profile_total (get (), totals, n);
  }
  /* Call cost (pos, costs) and call (from, to, count, costs) for each sum, and
     stack (frames, n_frames, costs, count) for each whole stack.  Without
     `stack`, all are costs and calls.  The functions return a status.  */
  template <typename Cost, typename Call>
  cgw_status visit (Cost &&cost, Call &&call) noexcept
  {
    visiting<Cost, Call, Cost> v (cost, call, cost);

    return cgw_profile_visit (get (), &v);
  }
  template <typename Cost, typename Call, typename Stack>
  cgw_status visit (Cost &&cost, Call &&call, Stack &&stack) noexcept
  {
    visiting<Cost, Call, Stack> v (cost, call, stack);

    v.take_stacks ();
    return cgw_profile_visit (get (), &v);
  }
  cgw_status merge (profile &from) noexcept
  {
    return cgw_profile_merge (get (), from.get ());
  }
  /* Call write (bytes, n) for each piece, as the hook of cgw_profile_pack.  */
  template <typename Write> cgw_status pack (Write &&write) noexcept
  {
    auto *at = &write; /* a pointer to a function does not fit into void * */

    return cgw_profile_pack (
        get (),
        [] (void *context, const void *bytes, std::size_t n) -> ssize_t {
          return (**static_cast<decltype (&at)> (context)) (bytes, n);
        },
        &at);
  }
  cgw_status unpack (const void *bytes, std::size_t n) noexcept
  {
    return cgw_profile_unpack (get (), bytes, n);
  }
  /* The writer explains an error.  */
  cgw_status write (writer &w, const cgw_part &part) noexcept
  {
    return cgw_profile_write (get (), w.get (), &part);
  }
  cgw_status save (const char *path, const cgw_part &part,
                   const cgw_options &options = cgw::options ()) noexcept
  {
    return cgw_profile_save (get (), path, &part, &options);
  }
  cgw_status clear () noexcept { return cgw_profile_clear (get ()); }
};

/* The open calls of a thread or coroutine.  The destructor adds the inclusive
   costs of calls that are still open, up to the last event.  The profile must
   outlive the tracer, so nothing may be assigned to a profile that has one.  It
   explains why a tracer cannot be made and why an event failed.  */
class tracer : public holder<cgw_tracer>
{
public:
  explicit tracer (profile &p, const cgw_tracer_options &options
                               = tracer_options ()) noexcept
  {
    cgw_tracer *t;

    cgw_tracer_new (&t, p.get (), &options);
    held_.reset (t);
  }

  /* Look up a call site once, for scope.  Return {0} after an error.  */
  cgw_edge edge (const cgw_pos &at, const cgw_pos &callee) noexcept
  {
    cgw_edge found;

    cgw_tracer_edge (get (), &at, &callee, &found);
    return found;
  }
  /* The call is at the running function's current position.  */
  cgw_status enter (const cgw_pos &callee, const std::uint64_t *counters,
                    std::uint64_t tag = 0) noexcept
  {
    return cgw_tracer_enter (get (), nullptr, &callee, tag, counters);
  }
  cgw_status enter_from (const cgw_pos &at, const cgw_pos &callee,
                         const std::uint64_t *counters,
                         std::uint64_t tag = 0) noexcept
  {
    return cgw_tracer_enter (get (), &at, &callee, tag, counters);
  }
  cgw_status enter (cgw_edge edge, const std::uint64_t *counters,
                    std::uint64_t tag = 0) noexcept
  {
    return cgw_tracer_enter_edge (get (), edge, tag, counters);
  }
  cgw_status leave (const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_leave (get (), counters);
  }
  cgw_status tail (const cgw_pos &callee, const std::uint64_t *counters,
                   std::uint64_t tag = 0) noexcept
  {
    return cgw_tracer_tail (get (), &callee, tag, counters);
  }
  cgw_status move (const cgw_pos &pos, const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_move (get (), &pos, counters);
  }
  /* The cost is at the running function's current position.  */
  cgw_status cost (costs c) noexcept
  {
    return cgw_tracer_cost (get (), nullptr, c.at, c.n);
  }
  cgw_status cost (const cgw_pos &pos, costs c) noexcept
  {
    return cgw_tracer_cost (get (), &pos, c.at, c.n);
  }
  /* Each position has these costs.  */
  cgw_status block (const cgw_pos *positions, std::size_t n_positions, costs c,
                  const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_block (get (), positions, n_positions, c.at, c.n,
                           counters);
  }
  cgw_status unwind (std::size_t depth, const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_unwind (get (), depth, counters);
  }
  cgw_status unwind_tag (std::uint64_t tag,
                         const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_unwind_tag (get (), tag, counters);
  }
  std::size_t depth () const noexcept { return cgw_tracer_depth (get ()); }
  std::uint64_t tag (std::size_t depth) const noexcept
  {
    return cgw_tracer_tag (get (), depth);
  }
  cgw_status stop (const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_stop (get (), counters);
  }
  cgw_status start (const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_start (get (), counters);
  }
  /* The running function of another tracer resumes this coroutine.  */
  cgw_status resume (tracer &resumer,
                          const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_resume (get (), resumer.get (), nullptr, counters);
  }
  cgw_status resume (tracer &resumer, const cgw_pos &at,
                          const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_resume (get (), resumer.get (), &at, counters);
  }
  cgw_status yield (const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_yield (get (), counters);
  }
  cgw_status sync (const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_sync (get (), counters);
  }
};

/* A recorder in your memory, which has recorder::size bytes and may be shared
   between processes.  A recorder has nothing to free, so it can be copied.  */
class recorder
{
public:
  static std::size_t size (std::size_t n_samples, std::size_t max_frames,
                           std::size_t n_costs) noexcept
  {
    return cgw_recorder_size (n_samples, max_frames, n_costs);
  }
  recorder (void *memory, std::size_t n_samples, std::size_t max_frames,
            std::size_t n_costs) noexcept
      : r_ (cgw_recorder_init (memory, n_samples, max_frames, n_costs))
  {
  }
  /* Use a recorder that another process or object has made.  */
  explicit recorder (cgw_recorder *made) noexcept : r_ (made) {}

  cgw_recorder *get () const noexcept { return r_; }

  cgw_status push (std::uint64_t tag, const std::uint64_t *frames,
                   std::size_t n_frames, costs c) noexcept
  {
    return cgw_recorder_push (r_, tag, frames, n_frames, c.at, c.n);
  }
  cgw_status push_shared (std::size_t n_samples, std::size_t max_frames,
                          std::size_t n_costs, std::uint64_t tag,
                          const std::uint64_t *frames, std::size_t n_frames,
                          costs c) noexcept
  {
    return cgw_recorder_push_shared (r_, n_samples, max_frames, n_costs, tag,
                                     frames, n_frames, c.at, c.n);
  }
  /* Call take (sample) for each sample, a const cgw_sample &.  */
  template <typename Take> std::size_t drain (Take &&take) noexcept
  {
    auto *at = &take;

    return cgw_recorder_drain (r_, call<decltype (at)>, &at);
  }
  /* The numbers are those of the constructor.  */
  template <typename Take>
  std::size_t drain_shared (std::size_t n_samples, std::size_t max_frames,
                            std::size_t n_costs, Take &&take) noexcept
  {
    auto *at = &take;

    return cgw_recorder_drain_shared (r_, n_samples, max_frames, n_costs,
                                      call<decltype (at)>, &at);
  }
  cgw_status get_stats (cgw_recorder_stats &stats) const noexcept
  {
    return cgw_recorder_get_stats (r_, &stats);
  }

private:
  template <typename Pointer>
  static void call (void *context, const cgw_sample *sample)
  {
    (**static_cast<Pointer *> (context)) (*sample);
  }

  cgw_recorder *r_;
};

/* A call that is open as long as the object lives.  An exception that leaves
   the scope ends the call, too.  If the tracer is stopped when the object is
   made, it must be so when it ends, and conversely.

   Counters is a class, such as a clock, whose objects write the N counters of
   the tracer: void operator() (std::uint64_t *counters) const noexcept.  If
   their number is known only at run time, N is its upper limit.  */
template <typename Counters, std::size_t N = 1> class scope
{
public:
  /* A call from the running function's current position.  */
  scope (tracer &t, const cgw_pos &callee,
         const Counters &counters = Counters ()) noexcept
      : t_ (t.get ()), counters_ (counters)
  {
    std::uint64_t now[N];

    counters_ (now);
    cgw_tracer_enter (t_, nullptr, &callee, 0, now);
  }
  /* A call of an edge from tracer::edge, which takes half the instructions.  */
  scope (tracer &t, cgw_edge edge,
         const Counters &counters = Counters ()) noexcept
      : t_ (t.get ()), counters_ (counters)
  {
    std::uint64_t now[N];

    counters_ (now);
    cgw_tracer_enter_edge (t_, edge, 0, now);
  }
  scope (const scope &) = delete;
  scope &operator= (const scope &) = delete;
  ~scope ()
  {
    std::uint64_t now[N];

    counters_ (now);
    cgw_tracer_leave (t_, now);
  }

private:
  cgw_tracer *t_;
  Counters counters_;
};

} // namespace cgw

#endif // CGW_HPP
