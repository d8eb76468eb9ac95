/* lua.c - counts calls and lines of Lua 5.4.  SPDX-License-Identifier: MIT
   cc -shared -fPIC lua.c -o cgwlua.so `pkg-config --cflags --libs cgw lua5.4`
   LUA_CPATH=./?.so lua5.4 -l cgwlua program.lua  writes callgrind.out.lua  */
#include <cgw.h>
#include <lauxlib.h>
#include <stdio.h>

static struct cgw_names *names;
static struct cgw_profile *profile;
static struct cgw_tracer *first, *last; /* main's; that of the last event */
static uint64_t lines; /* executed so far: the tracers' counter */

/* Closures of the same lines are one function: its first call names it.  */
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
  lua_pushinteger (L, cgw_add_fn (names, name, cgw_add_file (names, path),
                                  (struct cgw_object){ 0 }).handle);
  lua_setfield (L, LUA_REGISTRYINDEX, key);
  return function_of (L, ar); /* known now */
}

/* A coroutine's tracer is in its extra space, which begins as main's: NULL.
   `last` resumed it, yielded or ended.  Errors end calls without an event.  */
static void
hook (lua_State *L, lua_Debug *ar)
{
  struct cgw_tracer **t = lua_pushthread (L) ? &first : lua_getextraspace (L);
  int level = ar->event == LUA_HOOKCALL || ar->event == LUA_HOOKRET;
  lua_Debug running = { .i_ci = NULL }; /* i_ci of an activation is its tag */
  struct cgw_pos at = { .fn = function_of (L, ar) };
  at.line = ar->currentline > 0 ? ar->currentline : 0;
  if (!*t)
    cgw_tracer_new (t, profile, NULL);
  if (*t != last && (!last || cgw_tracer_resume (*t, last, NULL, &lines) != 0))
    cgw_tracer_start (*t, &lines);
  lua_getstack (L, level, &running);
  if (cgw_tracer_unwind_tag (*t, (uintptr_t) running.i_ci, &lines) != CGW_OK)
    cgw_tracer_unwind (*t, 0, &lines);
  if (ar->event == LUA_HOOKCALL)
    cgw_tracer_enter (*t, NULL, &at, (uintptr_t) ar->i_ci, &lines);
  else if (ar->event == LUA_HOOKTAILCALL)
    cgw_tracer_tail (*t, &at, (uintptr_t) ar->i_ci, &lines);
  else if (ar->event == LUA_HOOKLINE)
    cgw_tracer_move (*t, &at, &lines), lines++;
  if (cgw_tracer_depth (*t) == 0 && cgw_tracer_free (*t) == CGW_OK)
    *t = NULL;
  last = *t;
}

__attribute__ ((destructor)) static void
finish (void)
{
  struct cgw_part part = CGW_PART_INIT;
  part.events = &(struct cgw_event){ .name = "Lines" };
  part.n_events = 1;
  cgw_tracer_sync (last, &lines);
  if (cgw_profile_save (profile, "callgrind.out.lua", &part, NULL) != CGW_OK)
    fprintf (stderr, "cgwlua: %s\n", cgw_profile_explain (profile));
}

int
luaopen_cgwlua (lua_State *L)
{
  *(void **) lua_getextraspace (L) = NULL;
  cgw_names_new (&names, NULL);
  cgw_profile_new (&profile, names, 1, CGW_LINE);
  lua_sethook (L, hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE, 0);
  return 0;
}
