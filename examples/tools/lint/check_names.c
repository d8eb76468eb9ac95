/* check_names.c - checks lines "key=name": ids, which function is meant, and
   the order of these lines.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include <string.h>

/* More ids than this may be missing below the largest one: 16 MiB in
   KCachegrind.  */
enum { SPARSE = 1 << 20 };

/* In place of a file or object: no text's number.  */
#define ANY UINT32_MAX

/* The text after "=".  */
struct spec
{
  bool has_id;
  uint64_t id;
  const char *text; /* behind the id */
  size_t length;
};

/* Reading.  */

static uint32_t
number_of (struct check *c, const char *text, size_t n)
{
  return n == 0 ? 0 : intern (&c->names.texts, text, n) + 1;
}

static struct name
make_name (struct check *c, const struct spec *s)
{
  const char *base = s->text;
  bool unknown = s->length == 3 && memcmp (s->text, "???", 3) == 0;

  for (const char *p = s->text; p < s->text + s->length; p++)
    if (*p == '/')
      base = p + 1;
  return (struct name){
    .text = unknown ? 0 : number_of (c, s->text, s->length),
    .base = number_of (c, base, s->length - (size_t) (base - s->text)),
    .below_here = c->names.here && after (s->text, c->names.here),
  };
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
report_empty_name (struct check *c, enum id_table table)
{
  report (c, table == FUNCTIONS ? RULE_NAME_EMPTY : RULE_PLACE_EMPTY);
}

static void
check_plain (struct check *c, enum id_table table, const char *text)
{
  bool hex = after (text, "(0x") != NULL;

  if (*text == '\0')
    report_empty_name (c, table);
  else if (hex && text[3 + strspn (text + 3, "0123456789abcdefABCDEF")] == ')')
    report (c, RULE_ID_HEX);
  else if (begins_like_id (text))
    report (c, RULE_NAME_OPENS_ID);
  else if (*text == '(')
    report (c, RULE_PLAIN_PAREN);
  else if (*text == ' ' || *text == '\t')
    report (c, RULE_NAME_LEADING_BLANK);
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

/* A new id.  */
static void
check_size (struct check *c, const struct table *ids, uint64_t id)
{
  if (id >= UINT64_C (1) << 31)
    report (c, RULE_ID_TOO_LARGE);
  else if (id > SPARSE && id / 16 > ids->n)
    report (c, RULE_ID_SPARSE);
}

static struct definition *
define (struct check *c, struct table *ids, const struct spec *s)
{
  struct definition *d = table_find (ids, &s->id);
  struct name name = make_name (c, s);

  if (d == NULL)
    {
      check_size (c, ids, s->id);
      d = table_add (ids, &s->id);
    }
  else if (d->part == c->header.part)
    report (c, name.text == d->name.text ? RULE_ID_DEFINED_TWICE
                                         : RULE_ID_REDEFINED);
  *d = (struct definition){ .id = s->id, .name = name,
                            .part = c->header.part };
  return d;
}

/* The definition of the id, or NULL for a plain name and an undefined id: for
   lines about jumps.  */
static struct definition *
find_definition (struct check *c, enum id_table table, const struct spec *s)
{
  struct table *ids = &c->names.ids[table];
  struct definition *d;

  if (!s->has_id)
    return NULL;
  if (s->length > 0)
    return define (c, ids, s);
  d = table_find (ids, &s->id);
  if (s->text[-1] != ')') /* there is a blank behind the id */
    {
      if (d != NULL)
        report (c, RULE_ID_TRAILING_BLANK);
      else
        report_empty_name (c, table);
    }
  else if (d == NULL)
    report (c, RULE_ID_UNDEFINED);
  if (d != NULL && d->part != c->header.part)
    report (c, RULE_ID_FROM_EARLIER_PART);
  return d;
}

/* Likewise, for all other lines.  Readers without jumps do not know what jfi=
   and jfn= define.  */
static struct definition *
use_definition (struct check *c, enum id_table table, const struct spec *s)
{
  struct definition *d = find_definition (c, table, s);

  if (d && d->by_jump)
    report (c, RULE_ID_DEFINED_BY_JUMP);
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
  c->names.object = read_name (c, OBJECTS, value);
  c->names.any_ob = true;
  c->names.ob_line = c->line;
}

/* A definition or a plain name has a text: "C:\x.c" has a colon.  */
static struct name
read_file (struct check *c, const char *value)
{
  if (strchr (value, ':'))
    report (c, RULE_FILE_WITH_COLON);
  return read_name (c, FILES, value);
}

static void
check_fl (struct check *c, const char *value)
{
  c->names.file = c->names.source = read_file (c, value);
  c->names.last_fl_line = c->names.fl_line = c->line;
}

/* fi=, fe=  */
static void
check_fi (struct check *c, const char *value)
{
  if (c->names.fn_line == 0)
    report (c, RULE_FI_BEFORE_FN);
  c->names.source = read_file (c, value);
}

static void
check_cob (struct check *c, const char *value)
{
  if (c->names.cfn_line)
    report (c, RULE_CFI_AFTER_CFN);
  c->names.callee_object = read_name (c, OBJECTS, value);
  c->names.has_callee_object = true;
}

/* cfi=, cfl=  */
static void
check_cfi (struct check *c, const char *value)
{
  if (c->names.cfn_line)
    report (c, RULE_CFI_AFTER_CFN);
  c->names.callee_file = read_file (c, value);
  if (c->names.callee_file.below_here)
    report (c, RULE_CALLEE_BELOW_HERE);
  c->names.has_callee_file = true;
}

/* Functions.  */

struct function *
function_at (const struct check *c, uint32_t index)
{
  return table_entry (&c->names.functions, index);
}

static bool
seen_before (struct check *c, uint32_t name, uint32_t file, uint32_t object)
{
  const struct function_key key = { name, file, object };
  uint32_t n = c->names.alike.n;

  return intern (&c->names.alike, &key, sizeof key) < n;
}

/* A new function: is there one that some reader takes for the same?  */
static void
check_alike (struct check *c, uint32_t name, const struct name *file,
             const struct name *object)
{
  if (seen_before (c, name, file->base, object->base))
    report (c, RULE_SAME_BASENAME);
  if (seen_before (c, name, file->text, ANY))
    report (c, RULE_TWO_OBJECTS);
  else if (seen_before (c, name, ANY, ANY))
    report (c, RULE_SAME_NAME);
}

static uint32_t
find_function (struct check *c, uint32_t name, const struct name *file,
               const struct name *object, const struct spec *s)
{
  const struct function_key key = { name, file->text, object->text };
  uint64_t id = s->has_id ? s->id : UINT64_MAX;
  struct function *f = table_add (&c->names.functions, &key);

  if (f->line == 0)
    {
      f->line = c->line;
      f->id = id;
      check_alike (c, name, file, object);
    }
  else if (f->id == UINT64_MAX)
    f->id = id;
  else if (f->id != id && id != UINT64_MAX && c->header.part == 0)
    report (c, RULE_FUNCTION_WITH_TWO_IDS);
  return (uint32_t) (f - function_at (c, 0));
}

/* An id stands for another function here than where it was defined.  */
static void
check_home (struct check *c, const struct definition *d)
{
  bool same_file = d->file.text == c->names.file.text;
  bool same_object = d->object.text == c->names.object.text;

  if (same_file && same_object)
    return;
  if ((!same_file && d->callee_no_file)
      || (!same_object && d->callee_no_object))
    report (c, RULE_CALLEE_WITHOUT_HOME);
  else
    report (c, d->ahead ? RULE_DEFINITIONS_AHEAD : RULE_ONE_ID_TWO_FUNCTIONS);
}

void
check_function_end (struct check *c)
{
  struct names *n = &c->names;
  struct definition *d;

  check_lonely_cfn (c);
  if (n->fn_definition && !n->record_in_fn)
    {
      d = table_entry (&n->ids[FUNCTIONS], n->fn_definition - 1);
      d->ahead = true;
    }
  n->fn_definition = 0;
  n->record_in_fn = false;
  n->fl_line = n->ob_line = 0;
}

/* Binds a new id to the file and object, or says that a known one has others;
   returns the function.  */
static uint32_t
begin_function (struct check *c, const struct spec *s, struct definition *d)
{
  uint32_t name = d ? d->name.text : make_name (c, s).text;
  struct names *n = &c->names;

  if (d && s->length > 0)
    {
      const struct definition *first = table_entry (&n->ids[FUNCTIONS], 0);

      d->file = n->file;
      d->object = n->object;
      n->fn_definition = (uint32_t) (d - first) + 1;
    }
  else if (d)
    {
      check_home (c, d);
      return find_function (c, name, &d->file, &d->object, s);
    }
  return find_function (c, name, &n->file, &n->object, s);
}

/* A function in the unknown object: "named", the line is in effect that says
   so.  */
static void
check_object_named (struct check *c, struct function *f, bool named)
{
  if (named && f->no_object)
    report (c, RULE_OBJECT_NAMED_LATE);
  f->no_object |= !named;
}

static bool
part_has_fl (const struct check *c)
{
  return c->names.last_fl_line > c->header.part_line;
}

static void
check_fn (struct check *c, const char *value)
{
  struct names *n = &c->names;
  uint32_t before = n->fn;
  struct spec s;
  struct function *f;

  check_function_end (c);
  if (part_has_fl (c) && n->source.text != n->file.text)
    report (c, RULE_INLINED_FILE_LEFT_OPEN);
  if (!part_has_fl (c))
    report (c, RULE_FN_WITHOUT_FILE);
  read_spec (c, FUNCTIONS, value, &s);
  n->fn = begin_function (c, &s, use_definition (c, FUNCTIONS, &s));
  f = function_at (c, n->fn);
  if (f->has_fn && n->fn != before)
    report (c, RULE_FUNCTION_IN_BLOCKS);
  check_object_named (c, f, n->any_ob);
  f->has_fn = true;
  n->source = n->file;
  n->fn_line = c->line;
}

/* What cfn= means by a known id, without cfi= or cob=, to those readers that
   go by the name.  */
static void
check_callee_home (struct check *c, const struct definition *d,
                   const struct name *file, const struct name *object)
{
  if (d->file.text != file->text)
    report (c, c->names.has_callee_file ? RULE_ONE_ID_TWO_FUNCTIONS
                                 : RULE_CFI_LEFT_OUT);
  else if (d->object.text != object->text)
    report (c, c->names.has_callee_object ? RULE_ONE_ID_TWO_FUNCTIONS
                                   : RULE_COB_LEFT_OUT);
}

static void
check_cfn (struct check *c, const char *value)
{
  struct names *n = &c->names;
  const struct name *file = n->has_callee_file ? &n->callee_file : &n->source;
  const struct name *object
    = n->has_callee_object ? &n->callee_object : &n->object;
  struct definition *d;
  struct function *f;
  struct spec s;
  uint32_t name;

  check_lonely_cfn (c);
  if (n->fn_line == 0)
    report (c, RULE_CFN_BEFORE_FN);
  if (!n->has_callee_file && n->source.text != n->file.text)
    report (c, RULE_CFI_LEFT_OUT_INLINED);
  if (!n->has_callee_object && n->cob_stays
      && n->callee_object.text != n->object.text)
    report (c, RULE_COB_STAYS);
  read_spec (c, FUNCTIONS, value, &s);
  d = use_definition (c, FUNCTIONS, &s);
  name = d ? d->name.text : make_name (c, &s).text;
  if (d && s.length > 0)
    {
      d->file = *file;
      d->object = *object;
      d->callee_no_file = !n->has_callee_file;
      d->callee_no_object = !n->has_callee_object;
    }
  else if (d)
    {
      check_callee_home (c, d, file, object);
      file = &d->file;
      object = &d->object;
    }
  n->callee = find_function (c, name, file, object, &s);
  f = function_at (c, n->callee);
  f->called = true;
  check_object_named (c, f, n->any_ob || n->has_callee_object);
  n->cfn_line = c->line;
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

  report (c, RULE_JUMP_TO_FUNCTION);
  read_spec (c, FUNCTIONS, value, &s);
  d = find_definition (c, FUNCTIONS, &s);
  if (d && s.length > 0)
    {
      d->file = c->names.file;
      d->object = c->names.object;
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
  struct names *n = &c->names;

  if (n->cfn_line && (n->has_callee_file || n->has_callee_object))
    report_at (c, RULE_CFN_WITHOUT_CALLS, n->cfn_line);
  n->cfn_line = 0;
}

void
check_order (struct check *c)
{
  struct names *n = &c->names;

  if (n->fn_line == 0)
    {
      report (c, RULE_RECORD_BEFORE_FN);
      return;
    }
  if (n->fl_line)
    report_at (c, RULE_FL_INSIDE_FUNCTION, n->fl_line);
  if (n->ob_line)
    report_at (c, RULE_OB_INSIDE_FUNCTION, n->ob_line);
  n->fl_line = n->ob_line = 0;
  n->record_in_fn = true;
}

void
check_order_of_cost (struct check *c)
{
  check_order (c);
  if (c->names.cfn_line)
    report (c, RULE_COSTS_AFTER_CFN);
  check_lonely_cfn (c);
  c->names.cob_stays = false;
}

/* cob= and cfi= count up to the cost line.  */
void
check_order_of_calls (struct check *c)
{
  struct names *n = &c->names;

  check_order (c);
  if (n->callee == NO_FUNCTION)
    report (c, RULE_CALLS_BEFORE_CFN);
  else if (!n->cfn_line)
    report (c, RULE_CFN_NOT_REPEATED);
  n->cfn_line = 0;
  n->cob_stays = n->has_callee_object || n->cob_stays;
  n->has_callee_file = n->has_callee_object = false;
}

void
check_names_end (struct check *c)
{
  if (c->names.fl_line && c->names.fn_line)
    report_at (c, RULE_FL_AT_END, c->names.fl_line);
  check_function_end (c);
  for (uint32_t i = 0; i < c->names.functions.n; i++)
    if (function_at (c, i)->called && !function_at (c, i)->has_fn)
      report_at (c, RULE_CALLEE_WITHOUT_FN, function_at (c, i)->line);
}
