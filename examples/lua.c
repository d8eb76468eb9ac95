/* lua.c - a profiler for Lua 5.4 that counts calls and executions of lines.
   cc -shared -fPIC lua.c -o cgwlua.so `pkg-config --cflags --libs cgw lua5.4`
   LUA_CPATH=./?.so lua5.4 -l cgwlua program.lua
   writes callgrind.out.lua.  SPDX-License-Identifier: MIT  */
#include <cgw.h>
#include <lauxlib.h>
#include <stdio.h>

static struct cgw_names *names;
static struct cgw_profile *profile;
static struct cgw_tracer *first, **tracer = &first; /* the running thread's */
static uint64_t lines; /* executed so far: the tracers' counter */

/* Closures of the same source lines are one function, named as by its first
   call: in the second line of a traceback, "...: in local 'f'".  */
static struct cgw_fn
function_of (lua_State *L, lua_Debug *ar)
{
  char name[200];
  lua_getinfo (L, "Slf", ar);
  const char *key = lua_pushfstring (L, "%s:%d:%p", ar->source,
    ar->linedefined, (void *) lua_tocfunction (L, -1));
  if (lua_getfield (L, LUA_REGISTRYINDEX, key) == LUA_TNUMBER)
    return (struct cgw_fn){ lua_tointeger (L, -1) };
  snprintf (name, sizeof name, "%s:%d", ar->short_src, ar->linedefined);
  luaL_traceback (L, L, NULL, 0);
  sscanf (lua_tostring (L, -1), "%*[^\n] %*[^'\n]'%199[^'\n]", name);
  const char *path = ar->source[0] == '@' ? ar->source + 1 : NULL;
  struct cgw_fn fn = cgw_add_fn (names, name, cgw_add_file (names, path),
                                 (struct cgw_object){ 0 });
  lua_pushinteger (L, fn.handle);
  lua_setfield (L, LUA_REGISTRYINDEX, key);
  return fn;
}

/* Each coroutine has a tracer, in its extra space, which begins as a copy of
   the main one's: NULL.  What ran before has resumed it, has yielded to it, or
   has ended.  An error ends the calls above `running` without an event.  */
static void
catch_up (lua_State *L, const struct CallInfo *running)
{
  struct cgw_tracer **t = lua_pushthread (L) ? &first : lua_getextraspace (L);
  if (!*t)
    cgw_tracer_new (t, profile, NULL);
  if (t != tracer
      && (!*tracer || cgw_tracer_resume (*t, *tracer, NULL, &lines) != CGW_OK))
    cgw_tracer_start (*t, &lines);
  tracer = t;
  if (cgw_tracer_unwind_tag (*tracer, (uintptr_t) running, &lines) != CGW_OK)
    cgw_tracer_unwind (*tracer, 0, &lines);
}

static void
hook (lua_State *L, lua_Debug *ar)
{
  lua_Debug caller = { .i_ci = NULL }; /* i_ci of an activation is its tag */
  struct cgw_pos at = { .fn = function_of (L, ar) };
  at.line = ar->currentline > 0 ? ar->currentline : 0;
  lua_getstack (L, 1, &caller);
  catch_up (L, ar->event == LUA_HOOKCALL ? caller.i_ci : ar->i_ci);
  if (ar->event == LUA_HOOKCALL)
    cgw_tracer_enter (*tracer, NULL, &at, (uintptr_t) ar->i_ci, &lines);
  else if (ar->event == LUA_HOOKTAILCALL)
    cgw_tracer_tail (*tracer, &at, (uintptr_t) ar->i_ci, &lines);
  else if (ar->event == LUA_HOOKLINE)
    cgw_tracer_move (*tracer, &at, &lines);
  else
    cgw_tracer_leave (*tracer, &lines);
  lines += ar->event == LUA_HOOKLINE;
  if (cgw_tracer_depth (*tracer) > 0)
    return;
  cgw_tracer_free (*tracer);
  *tracer = NULL;
}

__attribute__ ((destructor)) static void
finish (void)
{
  struct cgw_part part = CGW_PART_INIT;
  part.events = &(struct cgw_event){ .name = "Lines" };
  part.n_events = 1;
  cgw_tracer_sync (*tracer, &lines);
  if (cgw_profile_save (profile, "callgrind.out.lua", &part, NULL) != CGW_OK)
    fprintf (stderr, "cgwlua: %s\n", cgw_profile_explain (profile));
}

int luaopen_cgwlua (lua_State *L);
int
luaopen_cgwlua (lua_State *L)
{
  *(void **) lua_getextraspace (L) = NULL;
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 1, CGW_LINE);
  lua_sethook (L, hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE, 0);
  return 0;
}
