/* reader_names.c - name compression: what an id stands for.

   A function's id stands for (object, file, name): KCachegrind binds all
   three where the id is defined.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

#define NAME_MAX_BYTES 65536

static const char *const table_words[] = { "object", "file", "function" };

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

/* Whether the value begins as an id does; strict files count any "(" and
   digit, for that is what the format's document says.  */
static bool
begins_id (const struct reader *r, struct reader_span value)
{
  const char *at = value.at;
  if (value.end - at < 2 || at[0] != '(' || !is_digit (at[1]))
    return false;
  if (r->strict)
    return true;
  for (at++; at < value.end && is_digit (*at); at++)
    continue;
  return at < value.end && *at == ')';
}

/* The entry of an id; the table grows up to it.  */
static struct reader_id *
entry (struct reader_id_table *table, uint64_t id)
{
  while (table->n <= id)
    {
      table->ids = profile_grow (table->ids, table->n, &table->room,
                                 sizeof *table->ids);
      table->ids[table->n++]
        = (struct reader_id) { false, 0, READER_NO_FN, 0 };
    }
  return &table->ids[id];
}

/* Notes that the name or function row has this id; false: it has another.  */
static bool
set_id_of (struct reader *r, enum reader_ids which, uint32_t row, uint32_t id)
{
  uint64_t key[] = { which, row };
  size_t at = profile_table_row (&r->id_of, key);
  uint64_t old = profile_table_values (&r->id_of, at)[0];
  if (!old)
    profile_table_add (&r->id_of, at, 0, id);
  return !old || old == id;
}

static bool
check_name (struct reader *r, struct reader_span name)
{
  return reader_rule (r, name.at < name.end, "empty name")
         && reader_rule (r, name.at == name.end || *name.at != ' ',
                         "blank before a name")
         && reader_rule (r, name.end - name.at <= NAME_MAX_BYTES,
                         "name longer than %d bytes", NAME_MAX_BYTES);
}

/* Whether this is jfi= or jfn=.  speedscope and Qt Creator skip these lines, so
   no id is known by them: strict files have names in full there, but for those
   that read as an id, until another line has defined the name.  */
static bool
is_target (const struct reader *r)
{
  return r->last == SPEC_JFI || r->last == SPEC_JFN;
}

/* What strict files may not have in a definition.  */
static bool
check_definition (struct reader *r, enum reader_ids which, uint64_t id,
                  struct reader_span text, uint32_t name)
{
  struct reader_id_table *table = &r->ids[which];
  size_t next = table->n ? table->n : 1;
  const struct reader_id *it = id < table->n ? &table->ids[id] : NULL;
  const char *what = table_words[which];
  bool full = begins_id (r, text);
  return reader_rule (r, full || !(r->flags & READER_PLAIN),
                      "id in a file of plain names")
         && reader_rule (r, full || !is_target (r), "%s id defined by a jump",
                         what)
         && reader_rule (r, id && (it || id == next),
                         "%s ids not dense: the next is (%zu)", what, next)
         && reader_rule (r, !it || it->part != r->p->n_parts,
                         "%s id (%zu) defined twice in one part", what,
                         (size_t) id)
         && reader_rule (r, !it || it->name == name,
                         "%s id (%zu) has another name in this part", what,
                         (size_t) id);
}

static bool
define (struct reader *r, enum reader_ids which, uint64_t id,
        struct reader_span text, struct reader_name *name)
{
  size_t length = (size_t) (text.end - text.at);
  name->name = profile_names_add (&r->p->names, text.at, length);
  if (r->strict && !check_definition (r, which, id, text, name->name))
    return false;
  struct reader_id *it = entry (&r->ids[which], id);
  if (it->known && it->name != name->name)
    it->fn = READER_NO_FN;
  it->known = true;
  it->name = name->name;
  it->part = is_target (r) ? 0 : r->p->n_parts;
  return reader_rule (r, which == IDS_FN
                           || set_id_of (r, which, name->name, name->id),
                      "a second id for the same %s", table_words[which]);
}

static bool
look_up (struct reader *r, enum reader_ids which, uint64_t id,
         struct reader_name *name)
{
  struct reader_id_table *table = &r->ids[which];
  bool known = id < table->n && table->ids[id].known;
  name->name = known ? table->ids[id].name : 0;
  return reader_rule (r, known && table->ids[id].part == r->p->n_parts,
                      "%s id (%zu) not defined in this part",
                      table_words[which], (size_t) id);
}

/* "(ID)" or "(ID) name".  */
static bool
compressed (struct reader *r, enum reader_ids which, struct reader_span value,
            struct reader_name *name)
{
  uint64_t id;
  value.at++;
  if (!reader_number (r, &value, &id))
    return false;
  if (value.at == value.end || *value.at != ')')
    return reader_fail (r, "no ) after an id");
  if (id >> 24)
    return reader_fail (r, "id too large");
  value.at++;
  name->id = (uint32_t) id;
  if (r->strict && value.at < value.end && !reader_separator (r, &value))
    return false;
  while (value.at < value.end && (*value.at == ' ' || *value.at == '\t'))
    value.at++;
  if (value.at == value.end)
    return look_up (r, which, id, name);
  return check_name (r, value) && define (r, which, id, value, name);
}

bool
reader_name (struct reader *r, enum reader_ids which, struct reader_span value,
             struct reader_name *name)
{
  if (begins_id (r, value))
    return compressed (r, which, value, name);
  if (!check_name (r, value)
      || !reader_rule (r, r->flags & READER_PLAIN || is_target (r),
                       "name without an id"))
    return false;
  name->id = 0;
  name->name = profile_names_add (&r->p->names, value.at,
                                  (size_t) (value.end - value.at));
  return true;
}

/* The function of this name in this object and file.  In strict files an id
   is bound to them for good.  */
bool
reader_bind_fn (struct reader *r, struct reader_name name, uint32_t object,
                uint32_t file, uint32_t *fn)
{
  uint64_t key[FN_KEYS] = { object, file, name.name };
  *fn = (uint32_t) profile_table_row (&r->p->fns, key);
  if (!name.id)
    return true;
  struct reader_id *id = entry (&r->ids[IDS_FN], name.id);
  if (id->fn == READER_NO_FN)
    id->fn = *fn;
  return reader_rule (r, id->fn == *fn,
                      "function id (%u) used with another object or file than"
                      " at its definition", (unsigned) name.id)
         && reader_rule (r, set_id_of (r, IDS_FN, *fn, name.id),
                         "a second id for the same function");
}

uint32_t
reader_bound_fn (const struct reader *r, struct reader_name name)
{
  const struct reader_id_table *table = &r->ids[IDS_FN];
  return name.id && name.id < table->n ? table->ids[name.id].fn
                                       : READER_NO_FN;
}
