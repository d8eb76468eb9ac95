/* check_names.c - checks lines "key=name": ids, which function is meant, and
   the order of these lines.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include "../base/memory.h"

#include <string.h>

/* More ids than this may be missing below the largest one: 16 MiB in
   KCachegrind.  */
enum { SPARSE = 1 << 20 };

/* In place of a file or object: no text's hash.  */
enum { ANY = 1 };

/* The text after "=".  */
struct spec
{
  bool has_id;
  uint64_t id;
  const char *text; /* behind the id */
  size_t length;
};

/* Reading.  */

static uint64_t
hash_function (uint64_t name, uint64_t file, uint64_t object)
{
  const uint64_t all[] = { name, file, object };

  return map_hash ((const char *) all, sizeof all);
}

static struct name
make_name (const struct check *c, const struct spec *s)
{
  const char *base = s->text;
  struct name name;

  for (const char *p = s->text; p < s->text + s->length; p++)
    if (*p == '/')
      base = p + 1;
  name.unknown = s->length == 3 && memcmp (s->text, "???", 3) == 0;
  name.text = name.unknown ? 0 : map_hash (s->text, s->length);
  name.base = map_hash (base, s->length - (size_t) (base - s->text));
  name.below_here = c->here && after (s->text, c->here);
  return name;
}

static bool
begins_like_id (const char *s)
{
  return s[0] == '(' && s[1] >= '0' && s[1] <= '9';
}

/* Reads "(12)"; returns what is behind it, or NULL.  */
static const char *
read_id (const char *s, uint64_t *id)
{
  if (!begins_like_id (s))
    return NULL;
  *id = 0;
  for (s++; *s >= '0' && *s <= '9'; s++)
    *id = *id > UINT64_MAX / 10 - 1 ? UINT64_MAX
                                    : *id * 10 + (uint64_t) (*s - '0');
  return *s == ')' ? s + 1 : NULL;
}

void
found_empty (struct check *c, enum id_table table)
{
  found (c, table == FUNCTIONS ? RULE_NAME_EMPTY : RULE_PLACE_EMPTY);
}

static void
check_plain (struct check *c, enum id_table table, const char *text)
{
  bool hex = after (text, "(0x") != NULL;

  if (*text == '\0')
    found_empty (c, table);
  else if (hex && text[3 + strspn (text + 3, "0123456789abcdefABCDEF")] == ')')
    found (c, RULE_ID_HEX);
  else if (begins_like_id (text))
    found (c, RULE_NAME_OPENS_ID);
  else if (*text == '(')
    found (c, RULE_PLAIN_PAREN);
  else if (*text == ' ' || *text == '\t')
    found (c, RULE_NAME_LEADING_BLANK);
}

static void
read_spec (struct check *c, enum id_table table, const char *value,
           struct spec *s)
{
  const char *behind = read_id (value, &s->id);

  s->has_id = behind != NULL;
  s->text = behind ? skip_blanks (behind) : value;
  s->length = strlen (s->text);
  if (!behind)
    check_plain (c, table, value);
}

/* Ids.  */

static void
check_size (struct check *c, const struct ids *ids, uint64_t id)
{
  if (id >= UINT64_C (1) << 31)
    found (c, RULE_ID_TOO_LARGE);
  else if (id > SPARSE && id / 16 > ids->n)
    found (c, RULE_ID_SPARSE);
}

static struct definition *
define (struct check *c, struct ids *ids, const struct spec *s)
{
  uint32_t i = map_find (&ids->map, s->id);
  struct name name = make_name (c, s);
  struct definition *d;

  if (i == 0)
    {
      check_size (c, ids, s->id);
      ids->items = resize_for_one (ids->items, ids->n, sizeof *ids->items);
      ids->n++;
      i = (uint32_t) ids->n;
      map_add (&ids->map, s->id, i);
    }
  else if (ids->items[i - 1].part == c->part)
    found (c, name.text == ids->items[i - 1].name.text ? RULE_ID_DEFINED_TWICE
                                                       : RULE_ID_REDEFINED);
  d = &ids->items[i - 1];
  *d = (struct definition){ .name = name, .part = c->part };
  return d;
}

/* The definition of the id, or NULL for a plain name and an undefined id: for
   lines about jumps.  */
static struct definition *
find_definition (struct check *c, enum id_table table, const struct spec *s)
{
  struct ids *ids = &c->ids[table];
  uint32_t i;

  if (!s->has_id)
    return NULL;
  if (s->length > 0)
    return define (c, ids, s);
  i = map_find (&ids->map, s->id);
  if (s->text[-1] != ')') /* there is a blank behind the id */
    {
      if (i != 0)
        found (c, RULE_ID_TRAILING_BLANK);
      else
        found_empty (c, table);
    }
  else if (i == 0)
    found (c, RULE_ID_UNDEFINED);
  if (i == 0)
    return NULL;
  if (ids->items[i - 1].part != c->part)
    found (c, RULE_ID_FROM_EARLIER_PART);
  return &ids->items[i - 1];
}

/* Likewise, for all other lines.  Readers without jumps do not know what jfi=
   and jfn= define.  */
static struct definition *
use_definition (struct check *c, enum id_table table, const struct spec *s)
{
  struct definition *d = find_definition (c, table, s);

  if (d && d->by_jump)
    found (c, RULE_ID_DEFINED_BY_JUMP);
  return d;
}

static struct name
read_name (struct check *c, enum id_table table, const char *value)
{
  const struct definition *d;
  struct spec s;

  read_spec (c, table, value, &s);
  d = use_definition (c, table, &s);
  return d ? d->name : make_name (c, &s);
}

/* Objects and files.  */

static void
check_ob (struct check *c, const char *value)
{
  c->object = read_name (c, OBJECTS, value);
  c->any_ob = true;
  c->ob_line = c->line;
}

/* A definition or a plain name has a text: "C:\x.c" has a colon.  */
static struct name
read_file (struct check *c, const char *value)
{
  if (strchr (value, ':'))
    found (c, RULE_FILE_WITH_COLON);
  return read_name (c, FILES, value);
}

static void
check_fl (struct check *c, const char *value)
{
  c->file = c->source = read_file (c, value);
  c->part_fl = true;
  c->fl_line = c->line;
}

/* fi=, fe=  */
static void
check_fi (struct check *c, const char *value)
{
  if (!c->any_fn)
    found (c, RULE_FI_BEFORE_FN);
  c->source = read_file (c, value);
}

static void
check_cob (struct check *c, const char *value)
{
  if (c->cfn_line)
    found (c, RULE_CFI_AFTER_CFN);
  c->callee_object = read_name (c, OBJECTS, value);
  c->has_callee_object = true;
}

/* cfi=, cfl=  */
static void
check_cfi (struct check *c, const char *value)
{
  if (c->cfn_line)
    found (c, RULE_CFI_AFTER_CFN);
  c->callee_file = read_file (c, value);
  if (c->callee_file.below_here)
    found (c, RULE_CALLEE_BELOW_HERE);
  c->has_callee_file = true;
}

/* Functions.  */

static bool
seen_before (struct check *c, uint64_t key)
{
  if (map_find (&c->alike, key))
    return true;
  map_add (&c->alike, key, 1);
  return false;
}

/* A new function: is there one that some reader takes for the same?  */
static void
check_alike (struct check *c, uint64_t name, const struct name *file,
             const struct name *object)
{
  if (seen_before (c, hash_function (name, file->base, object->base)))
    found (c, RULE_SAME_BASENAME);
  if (seen_before (c, hash_function (name, file->text, ANY)))
    found (c, RULE_TWO_OBJECTS);
  else if (seen_before (c, hash_function (name, ANY, ANY)))
    found (c, RULE_SAME_NAME);
}

static uint32_t
find_function (struct check *c, uint64_t name, const struct name *file,
               const struct name *object, const struct spec *s)
{
  uint64_t key = hash_function (name, file->text, object->text);
  uint64_t id = s->has_id ? s->id : UINT64_MAX;
  uint32_t i = map_find (&c->function_map, key);
  struct function *f;

  if (i == 0)
    {
      c->functions = resize_for_one (c->functions, c->n_functions,
                               sizeof *c->functions);
      c->functions[c->n_functions++]
          = (struct function){ .line = c->line, .id = id };
      i = (uint32_t) c->n_functions;
      map_add (&c->function_map, key, i);
      check_alike (c, name, file, object);
      return i - 1;
    }
  f = &c->functions[i - 1];
  if (f->id == UINT64_MAX)
    f->id = id;
  else if (f->id != id && id != UINT64_MAX && c->part == 0)
    found (c, RULE_FUNCTION_WITH_TWO_IDS);
  return i - 1;
}

/* An id stands for another function here than where it was defined.  */
static void
check_home (struct check *c, const struct definition *d)
{
  bool same_file = d->file.text == c->file.text;
  bool same_object = d->object.text == c->object.text;

  if (same_file && same_object)
    return;
  if ((!same_file && d->callee_no_file)
      || (!same_object && d->callee_no_object))
    found (c, RULE_CALLEE_WITHOUT_HOME);
  else
    found (c, d->ahead ? RULE_DEFINITIONS_AHEAD : RULE_ONE_ID_TWO_FUNCTIONS);
}

void
check_function_end (struct check *c)
{
  check_lonely_cfn (c);
  if (c->fn_definition && !c->record_in_fn)
    c->ids[FUNCTIONS].items[c->fn_definition - 1].ahead = true;
  c->fn_definition = 0;
  c->record_in_fn = c->position_in_fn = false;
  c->fl_line = c->ob_line = 0;
}

/* Binds a new id to the file and object, or says that a known one has others;
   returns the function.  */
static uint32_t
begin_function (struct check *c, const struct spec *s, struct definition *d)
{
  uint64_t name = d ? d->name.text : make_name (c, s).text;

  if (d && s->length > 0)
    {
      d->file = c->file;
      d->object = c->object;
      c->fn_definition = (size_t) (d - c->ids[FUNCTIONS].items) + 1;
    }
  else if (d)
    {
      check_home (c, d);
      return find_function (c, name, &d->file, &d->object, s);
    }
  return find_function (c, name, &c->file, &c->object, s);
}

/* A function in the unknown object: "named", the line is in effect that says
   so.  */
static void
check_object_named (struct check *c, struct function *f, bool named)
{
  if (named && f->no_object)
    found (c, RULE_OBJECT_NAMED_LATE);
  f->no_object |= !named;
}

static void
check_fn (struct check *c, const char *value)
{
  uint32_t before = c->fn;
  struct spec s;
  struct function *f;

  check_function_end (c);
  if (c->part_fl && c->source.text != c->file.text)
    found (c, RULE_INLINED_FILE_LEFT_OPEN);
  if (!c->part_fl)
    found (c, RULE_FN_WITHOUT_FILE);
  read_spec (c, FUNCTIONS, value, &s);
  c->fn = begin_function (c, &s, use_definition (c, FUNCTIONS, &s));
  f = &c->functions[c->fn];
  if (f->has_fn && c->fn != before)
    found (c, RULE_FUNCTION_IN_BLOCKS);
  check_object_named (c, f, c->any_ob);
  f->has_fn = true;
  c->source = c->file;
  c->any_fn = true;
}

/* What cfn= means by a known id, without cfi= or cob=, to those readers that
   go by the name.  */
static void
check_callee_home (struct check *c, const struct definition *d,
                   const struct name *file, const struct name *object)
{
  if (d->file.text != file->text)
    found (c, c->has_callee_file ? RULE_ONE_ID_TWO_FUNCTIONS
                                 : RULE_CFI_LEFT_OUT);
  else if (d->object.text != object->text)
    found (c, c->has_callee_object ? RULE_ONE_ID_TWO_FUNCTIONS
                                   : RULE_COB_LEFT_OUT);
}

static void
check_cfn (struct check *c, const char *value)
{
  const struct name *file = c->has_callee_file ? &c->callee_file : &c->source;
  const struct name *object
      = c->has_callee_object ? &c->callee_object : &c->object;
  struct definition *d;
  struct spec s;
  uint64_t name;

  check_lonely_cfn (c);
  if (!c->any_fn)
    found (c, RULE_CFN_BEFORE_FN);
  if (!c->has_callee_file && c->source.text != c->file.text)
    found (c, RULE_CFI_LEFT_OUT_INLINED);
  if (!c->has_callee_object && c->cob_stays
      && c->callee_object.text != c->object.text)
    found (c, RULE_COB_STAYS);
  read_spec (c, FUNCTIONS, value, &s);
  d = use_definition (c, FUNCTIONS, &s);
  name = d ? d->name.text : make_name (c, &s).text;
  if (d && s.length > 0)
    {
      d->file = *file;
      d->object = *object;
      d->callee_no_file = !c->has_callee_file;
      d->callee_no_object = !c->has_callee_object;
    }
  else if (d)
    {
      check_callee_home (c, d, file, object);
      file = &d->file;
      object = &d->object;
    }
  c->callee = find_function (c, name, file, object, &s);
  c->functions[c->callee].called = true;
  check_object_named (c, &c->functions[c->callee],
                      c->any_ob || c->has_callee_object);
  c->cfn_line = c->line;
}

static void
check_jfi (struct check *c, const char *value)
{
  struct definition *d;
  struct spec s;

  read_spec (c, FILES, value, &s);
  d = find_definition (c, FILES, &s);
  if (d && s.length > 0)
    d->by_jump = true;
}

static void
check_jfn (struct check *c, const char *value)
{
  struct definition *d;
  struct spec s;

  found (c, RULE_JUMP_TO_FUNCTION);
  read_spec (c, FUNCTIONS, value, &s);
  d = find_definition (c, FUNCTIONS, &s);
  if (d && s.length > 0)
    {
      d->file = c->file;
      d->object = c->object;
      d->by_jump = true;
    }
}

bool
check_name_line (struct check *c, const char *text)
{
  static const struct
  {
    const char *key;
    void (*check) (struct check *c, const char *value);
  } keys[] = {
    { "fl=", check_fl },   { "fi=", check_fi },   { "fe=", check_fi },
    { "fn=", check_fn },   { "ob=", check_ob },   { "cob=", check_cob },
    { "cfi=", check_cfi }, { "cfl=", check_cfi }, { "cfn=", check_cfn },
    { "jfi=", check_jfi }, { "jfn=", check_jfn },
  };

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    {
      const char *value = after (text, keys[i].key);
      if (!value)
        continue;
      keys[i].check (c, value);
      return true;
    }
  return false;
}

/* The order.  */

void
check_lonely_cfn (struct check *c)
{
  if (c->cfn_line && (c->has_callee_file || c->has_callee_object))
    report (c->report, RULE_CFN_WITHOUT_CALLS, c->cfn_line);
  c->cfn_line = 0;
}

void
check_order (struct check *c)
{
  if (!c->any_fn)
    {
      found (c, RULE_RECORD_BEFORE_FN);
      return;
    }
  if (c->fl_line)
    report (c->report, RULE_FL_INSIDE_FUNCTION, c->fl_line);
  if (c->ob_line)
    report (c->report, RULE_OB_INSIDE_FUNCTION, c->ob_line);
  c->fl_line = c->ob_line = 0;
  c->record_in_fn = true;
}

void
check_names_end (struct check *c)
{
  if (c->fl_line && c->any_fn)
    report (c->report, RULE_FL_AT_END, c->fl_line);
  check_function_end (c);
  for (size_t i = 0; i < c->n_functions; i++)
    if (c->functions[i].called && !c->functions[i].has_fn)
      report (c->report, RULE_CALLEE_WITHOUT_FN, c->functions[i].line);
  if (c->first_calls_line && !c->any_call_cost)
    report (c->report, RULE_CALLS_WITHOUT_INCLUSIVE, c->first_calls_line);
}
