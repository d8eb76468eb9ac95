/* cgw.hpp - libcgw for C++11 and later: objects that free what they hold, and
   calls that last as long as a scope.

   Each class holds one pointer, and each member function makes one call of
   cgw.h.  The comments there describe the call, its errors, and where you may
   call it from.  Nothing here throws, allocates, or needs exceptions or RTTI.

   SPDX-License-Identifier: MIT  */

#ifndef CGW_HPP
#define CGW_HPP 1

#include "cgw.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace cgw
{

/* A part, to be passed to writer::begin_part or profile::write.  The array of
   events must live as long as the part.  */
struct part : cgw_part
{
  template <std::size_t N>
  explicit part (const cgw_event (&their_events)[N],
                 unsigned their_positions = CGW_LINE) noexcept
      : cgw_part (CGW_PART_INIT)
  {
    events = their_events;
    n_events = N;
    positions = their_positions;
  }
};

/* A writer.  The destructor finishes the file and ignores the status: call
   finish to get it.  */
class writer
{
public:
  explicit writer (const char *path,
                   const cgw_options *options = nullptr) noexcept
  {
    cgw_create (&w_, path, options);
  }
  explicit writer (int fd, const cgw_options *options = nullptr) noexcept
  {
    cgw_new (&w_, fd, options);
  }
  writer (writer &&other) noexcept : w_ (other.w_) { other.w_ = nullptr; }
  writer (const writer &) = delete;
  writer &operator= (const writer &) = delete;
  ~writer ()
  {
    if (w_ == nullptr)
      return;
    cgw_finish (w_);
    cgw_free (w_);
  }

  cgw_writer *get () const noexcept { return w_; }

  cgw_object add_object (const char *path) noexcept
  {
    return cgw_add_object (w_, path);
  }
  cgw_file add_file (const char *path) noexcept
  {
    return cgw_add_file (w_, path);
  }
  cgw_fn add_fn (const char *name, cgw_file file = {},
                 cgw_object object = {}) noexcept
  {
    return cgw_add_fn (w_, name, file, object);
  }

  cgw_status begin_part (const cgw_part &part) noexcept
  {
    return cgw_begin_part (w_, &part);
  }
  cgw_status cost (const cgw_pos &pos,
                   std::initializer_list<std::uint64_t> costs) noexcept
  {
    return cgw_cost (w_, &pos, costs.begin (), costs.size ());
  }
  cgw_status call (const cgw_pos &from, const cgw_pos &to,
                   std::uint64_t count,
                   std::initializer_list<std::uint64_t> inclusive) noexcept
  {
    return cgw_call (w_, &from, &to, count, inclusive.begin (),
                     inclusive.size ());
  }
  cgw_status jump (const cgw_pos &from, const cgw_pos &to,
                   std::uint64_t executed) noexcept
  {
    return cgw_jump (w_, &from, &to, executed);
  }
  cgw_status cond_jump (const cgw_pos &from, const cgw_pos &to,
                        std::uint64_t followed,
                        std::uint64_t executed) noexcept
  {
    return cgw_cond_jump (w_, &from, &to, followed, executed);
  }
  cgw_status comment (const char *text) noexcept
  {
    return cgw_comment (w_, text);
  }
  cgw_status flush () noexcept { return cgw_flush (w_); }
  cgw_status finish () noexcept { return cgw_finish (w_); }
  const char *explain (cgw_status status) const noexcept
  {
    return cgw_explain (w_, status);
  }

private:
  cgw_writer *w_ = nullptr;
};

/* Sums of costs and calls.  The writer must outlive the profile.  */
class profile
{
public:
  profile (writer &w, std::size_t n_events,
           unsigned positions = CGW_LINE) noexcept
  {
    cgw_profile_new (&p_, w.get (), n_events, positions);
  }
  profile (profile &&other) noexcept : p_ (other.p_) { other.p_ = nullptr; }
  profile (const profile &) = delete;
  profile &operator= (const profile &) = delete;
  ~profile () { cgw_profile_free (p_); }

  cgw_profile *get () const noexcept { return p_; }

  cgw_status cost (const cgw_pos &pos,
                   std::initializer_list<std::uint64_t> costs) noexcept
  {
    return cgw_profile_cost (p_, &pos, costs.begin (), costs.size ());
  }
  cgw_status call (const cgw_pos &from, const cgw_pos &to,
                   std::uint64_t count,
                   std::initializer_list<std::uint64_t> inclusive) noexcept
  {
    return cgw_profile_call (p_, &from, &to, count, inclusive.begin (),
                             inclusive.size ());
  }
  /* The leaf first.  */
  cgw_status stack (const cgw_pos *frames, std::size_t n_frames,
                    std::initializer_list<std::uint64_t> costs,
                    std::uint64_t count = 1) noexcept
  {
    return cgw_profile_stack (p_, frames, n_frames, count, costs.begin (),
                              costs.size ());
  }
  cgw_status merge (profile &from) noexcept
  {
    return cgw_profile_merge (p_, from.p_);
  }
  cgw_status write (const cgw_part &part) noexcept
  {
    return cgw_profile_write (p_, &part);
  }
  void clear () noexcept { cgw_profile_clear (p_); }

private:
  cgw_profile *p_ = nullptr;
};

/* The open calls of a thread or coroutine.  The destructor loses the inclusive
   costs of calls that are still open: call end before.  The profile must
   outlive the tracer.  */
class tracer
{
public:
  explicit tracer (profile &p,
                   const cgw_tracer_options *options = nullptr) noexcept
  {
    cgw_tracer_new (&t_, p.get (), options);
  }
  tracer (tracer &&other) noexcept : t_ (other.t_) { other.t_ = nullptr; }
  tracer (const tracer &) = delete;
  tracer &operator= (const tracer &) = delete;
  ~tracer () { cgw_tracer_free (t_); }

  cgw_tracer *get () const noexcept { return t_; }

  /* Look up a call site once, for scope.  Return {0} after an error.  */
  cgw_edge edge (const cgw_pos &at, const cgw_pos &callee) noexcept
  {
    cgw_edge found;

    cgw_tracer_edge (t_, &at, &callee, &found);
    return found;
  }
  cgw_status move (const cgw_pos &pos, const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_move (t_, &pos, counters);
  }
  cgw_status cost (std::initializer_list<std::uint64_t> costs) noexcept
  {
    return cgw_tracer_cost (t_, nullptr, costs.begin (), costs.size ());
  }
  cgw_status end (const std::uint64_t *counters) noexcept
  {
    return cgw_tracer_end (t_, counters);
  }

private:
  cgw_tracer *t_ = nullptr;
};

/* A call that is open as long as the object lives; an exception that leaves the
   scope ends the call, too.  Counters is a class whose objects write N counters
   of the tracer, such as a clock:
   void operator() (std::uint64_t *counters) const noexcept.  */
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
  /* A call by an edge that was looked up: half the instructions.  */
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
