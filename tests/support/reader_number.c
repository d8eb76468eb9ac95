/* reader_number.c - numbers, blanks between them, and subpositions.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

static int
digit_value (char c, unsigned base)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (base == 16 && c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (base == 16 && c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/* Digits, at least one.  */
static bool
digits (struct reader *r, struct reader_span *text, unsigned base, uint64_t *n)
{
  const char *start = text->at;
  *n = 0;
  for (; text->at < text->end; text->at++)
    {
      int digit = digit_value (*text->at, base);
      if (digit < 0)
        break;
      if (!reader_rule (r, digit < 10 || *text->at >= 'a',
                        "hexadecimal digits in capitals"))
        return false;
      if (*n > (UINT64_MAX - (unsigned) digit) / base)
        return reader_fail (r, "number larger than 2^64-1");
      *n = *n * base + (unsigned) digit;
    }
  if (text->at == start)
    return reader_fail (r, "no number where one must be");
  return reader_rule (r, *start != '0' || text->at - start == 1,
                      "number with leading zeros");
}

static bool
begins_hex (struct reader_span text)
{
  return text.end - text.at >= 2 && text.at[0] == '0'
         && (text.at[1] == 'x' || text.at[1] == 'X');
}

/* A number that is decimal in strict files.  */
bool
reader_number (struct reader *r, struct reader_span *text, uint64_t *n)
{
  if (!begins_hex (*text))
    return digits (r, text, 10, n);
  if (r->strict || text->at[1] == 'X')
    return reader_fail (r, "hexadecimal number where it must be decimal");
  text->at += 2;
  return digits (r, text, 16, n);
}

/* The blanks before the next field.  */
bool
reader_separator (struct reader *r, struct reader_span *text)
{
  const char *start = text->at;
  while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
    text->at++;
  if (text->at == start)
    return reader_fail (r, "no blank after a number");
  return reader_rule (r, text->at - start == 1,
                      "more than one blank between fields");
}

/* Subpositions.  */

static size_t
digit_count (uint64_t n, unsigned base)
{
  size_t count = 1;
  for (; n >= base; n /= base)
    count++;
  return count;
}

static bool
absolute (struct reader *r, struct reader_span *text, bool instr, uint64_t *n)
{
  if (!r->strict || !instr)
    return reader_number (r, text, n);
  if (!begins_hex (*text) || text->at[1] == 'X')
    return reader_fail (r, "absolute address not in 0x form");
  text->at += 2;
  return digits (r, text, 16, n);
}

/* What strict files may not have in a relative subposition.  */
static bool
check_relative (struct reader *r, bool instr, uint64_t delta, size_t length,
                uint64_t n)
{
  size_t full = instr ? 2 + digit_count (n, 16) : digit_count (n, 10);
  return reader_rule (r, delta, "difference of 0 not written as *")
         && reader_rule (r, delta < UINT64_C (1) << 31,
                         "difference of 2^31 or more")
         && reader_rule (r, length < full,
                         "relative subposition not shorter than absolute");
}

static bool
relative (struct reader *r, struct reader_span *text, bool instr,
          uint64_t base, uint64_t *n)
{
  const char *start = text->at++;
  bool minus = *start == '-';
  uint64_t delta;
  if (!reader_number (r, text, &delta))
    return false;
  /* callgrind itself writes lines below 0 where a call has not returned yet;
     KCachegrind takes them for 0.  */
  if (minus && delta > base && !instr && !r->strict)
    {
      *n = 0;
      return true;
    }
  if (minus ? delta > base : delta > UINT64_MAX - base)
    return reader_fail (r, "relative subposition outside 0 to 2^64-1");
  *n = minus ? base - delta : base + delta;
  return check_relative (r, instr, delta, (size_t) (text->at - start), *n);
}

/* Whether a relative subposition is allowed here at all.  */
static bool
check_base (struct reader *r, bool target)
{
  return reader_rule (r, !(r->flags & READER_ABSOLUTE),
                      "relative subposition in an absolute file")
         && reader_rule (r, r->has_base,
                         "relative subposition at the start of a part")
         && reader_rule (r, !r->need_absolute || target,
                         "first cost line after fn= is relative");
}

static bool
subposition (struct reader *r, struct reader_span *text, bool target,
             bool instr, uint64_t *n)
{
  uint64_t base = instr ? r->base.instr : r->base.line;
  char c = text->at < text->end ? *text->at : 0;
  bool ok;
  if (c == '*')
    {
      text->at++;
      *n = base;
      ok = check_base (r, target);
    }
  else if (c == '+' || c == '-')
    ok = check_base (r, target) && relative (r, text, instr, base, n);
  else
    ok = absolute (r, text, instr, n);
  return ok && reader_rule (r, instr || *n <= UINT32_MAX,
                            "line number of 2^32 or more");
}

/* The subpositions of a cost line or of a target; leaves text at the end of
   the last.  Other writers leave out those of targets.  */
bool
reader_position (struct reader *r, struct reader_span *text, bool target,
                 struct reader_pos *pos)
{
  bool instr = r->part->positions & PROFILE_INSTR;
  bool line = r->part->positions & PROFILE_LINE;
  *pos = (struct reader_pos) { 0, 0 };
  if (instr && !subposition (r, text, target, true, &pos->instr))
    return false;
  if (target && !r->strict && text->at == text->end)
    return true;
  if (instr && line && !reader_separator (r, text))
    return false;
  return !line || subposition (r, text, target, false, &pos->line);
}

/* The numbers up to the end of the line, into r->numbers.  */
bool
reader_numbers (struct reader *r, struct reader_span *text, size_t max,
                size_t *n)
{
  *n = 0;
  while (text->at < text->end)
    {
      if (*n == max)
        return reader_fail (r, "more numbers than events");
      r->numbers = profile_grow (r->numbers, *n, &r->number_room,
                                 sizeof *r->numbers);
      if (!reader_number (r, text, &r->numbers[*n]))
        return false;
      ++*n;
      if (text->at < text->end && !reader_separator (r, text))
        return false;
    }
  return true;
}
