/* test_reader.c - each rule of the body refuses what breaks it, and only it.

   Every test is named after the trap and shows a file in it, with the line
   and the reason of the refusal, and next to it the form that is right.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_reader.h"

#include <stdlib.h>
#include <string.h>

void
expect_refused (const char *file, int line, unsigned flags, const char *text,
                size_t n, const char *why)
{
  char error[256] = "";
  struct profile *p = profile_read (text, n, flags, error, sizeof error);
  cr_expect (!p, "%s:%d: was read, must be refused: %s", file, line, why);
  if (!p)
    cr_expect (!strcmp (error, why), "%s:%d: refused as \"%s\", not \"%s\"",
               file, line, error, why);
  profile_free (p);
}

void
expect_accepted (const char *file, int line, unsigned flags, const char *text,
                 size_t n)
{
  char error[256] = "";
  struct profile *p = profile_read (text, n, flags, error, sizeof error);
  cr_expect (p, "%s:%d: refused: %s", file, line, error);
  profile_free (p);
}

struct profile *
must_read (unsigned flags, const char *text, size_t n)
{
  char error[256] = "";
  struct profile *p = profile_read (text, n, flags, error, sizeof error);
  cr_assert (p, "refused: %s", error);
  return p;
}

/* Order inside a record.  */

Test (reader, smallest_file)
{
  ACCEPTED (HEAD "totals: 0 0\n");
  ACCEPTED (HEAD MAIN TOTALS);
}

Test (reader, cfn_before_any_fn)
{
  REFUSED (HEAD "cfi=(1) a.c\n", "6: cfi= before the first fn= of the part");
  REFUSED (HEAD "cfn=(1) f\n", "6: cfn= before the first fn= of the part");
  REFUSED (HEAD "fl=(1) a.c\ncfn=(1) f\n", "7: cfn= directly after fl=");
}

Test (reader, cost_before_any_fn)
{
  REFUSED (HEAD "16 20\n", "6: cost line before the first fn= of the part");
}

Test (reader, fi_before_any_fn)
{
  REFUSED (HEAD "fi=(1) a.c\n",
           "6: fi=/fe= before the first fn= of the part");
  REFUSED (HEAD "fe=(1) a.c\n",
           "6: fi=/fe= before the first fn= of the part");
}

Test (reader, definitions_ahead)
{
  REFUSED (HEAD "fl=(1) a.c\nfl=(2) b.c\n", "7: fl= directly after fl=");
  REFUSED (HEAD "fl=(1) a.c\nfn=(1) f\nfn=(2) g\n",
           "8: fn= directly after fn=");
  REFUSED (HEAD "fl=(1) a.c\nfn=(1) f\nfl=(2) b.c\n",
           "8: fl= directly after fn=");
}

Test (reader, ob_after_fl)
{
  REFUSED (HEAD "fl=(1) a.c\nob=(1) lib\n", "7: ob= directly after fl=");
  ACCEPTED (HEAD "ob=(1) lib\n" MAIN TOTALS);
}

Test (reader, ob_between_fn_and_cost)
{
  REFUSED (HEAD "fl=(1) a.c\nfn=(1) f\nob=(1) lib\n",
           "8: ob= directly after fn=");
  REFUSED (HEAD MAIN "ob=(1) lib\n17 5\n", "10: cost line directly after ob=");
  ACCEPTED (HEAD MAIN "ob=(1) lib\nfn=(2) f\n17 5\ntotals: 25 2\n");
}

Test (reader, fl_inside_a_function)
{
  REFUSED (HEAD MAIN "fl=(2) b.c\n17 5\n", "10: cost line directly after fl=");
  ACCEPTED (HEAD MAIN "fi=(2) b.c\n17 5\ntotals: 25 2\n");
}

Test (reader, fn_without_fl)
{
  REFUSED (HEAD "fn=(1) f\n", "6: fn= before the first fl= of the part");
}

Test (reader, fn_after_fi_without_fl)
{
  REFUSED (HEAD MAIN "fi=(2) b.h\n3 4\nfn=(2) f\n",
           "11: fn= after fi=/fe= without fl=");
  REFUSED (HEAD MAIN "fi=(2) b.h\n3 4\nfe=(1)\n4 4\nfn=(2) f\n",
           "13: fn= after fi=/fe= without fl=");
  ACCEPTED (HEAD MAIN "fi=(2) b.h\n3 4\nfl=(1)\nfn=(2) f\n50 7\n"
            "totals: 31 2\n");
}

Test (reader, fi_without_a_record)
{
  REFUSED (HEAD MAIN "fi=(2) b.h\nfe=(1)\n",
           "10: fi=/fe= directly after fi=/fe=");
  REFUSED (HEAD MAIN "fi=(2) b.h\nfl=(1)\n", "10: fl= directly after fi=/fe=");
  ACCEPTED (HEAD MAIN "fi=(2) b.h\n3 4\nfe=(1)\n4 4\ntotals: 28 2\n");
}

Test (reader, dangling_at_the_end)
{
  REFUSED_WITH (READER_UNFINISHED, HEAD MAIN "fl=(2) b.c\n",
                "9: end of file directly after fl=");
  REFUSED_WITH (READER_UNFINISHED, HEAD MAIN "fn=(2) f\n",
                "9: end of file directly after fn=");
  REFUSED_WITH (READER_UNFINISHED, HEAD MAIN "ob=(1) lib\n",
                "9: end of file directly after ob=");
  REFUSED (HEAD MAIN "fn=(2) f\n" TOTALS, "10: totals: directly after fn=");
}

Test (reader, blank_or_comment_inside_a_record)
{
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=1 50\n\n",
           "11: blank line directly after calls=");
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=1 50\n# c\n",
           "11: comment directly after calls=");
  REFUSED (HEAD "fl=(1) a.c\n\nfn=(1) f\n",
           "7: blank line directly after fl=");
  ACCEPTED (HEAD "\n# c\n" MAIN "# c\n\n" TOTALS);
}

Test (reader, unknown_line)
{
  REFUSED (HEAD MAIN "rec=(1)\n", "9: line that some reader does not know");
  REFUSED (HEAD MAIN "hello\n", "9: line that some reader does not know");
  REFUSED (HEAD MAIN "fn (1)\n", "9: line that some reader does not know");
}

/* Calls.  */

Test (reader, cfi_after_cfn)
{
  REFUSED (HEAD MAIN "cfn=(2) f\ncfi=(2) b.c\n",
           "10: cfi= directly after cfn=");
  REFUSED (HEAD MAIN "cfn=(2) f\ncob=(1) lib\n",
           "10: cob= directly after cfn=");
}

Test (reader, cob_after_cfi)
{
  REFUSED (HEAD MAIN "cfi=(2) b.c\ncob=(1) lib\n",
           "10: cob= directly after cfi=");
  ACCEPTED (HEAD MAIN "cob=(1) lib\ncfi=(2) b.c\ncfn=(2) f\ncalls=1 50\n16 7\n"
            TOTALS);
}

Test (reader, cfl_spelling)
{
  REFUSED (HEAD MAIN "cfl=(2) b.c\n",
           "9: line that some reader does not know");
}

Test (reader, calls_without_cfn)
{
  REFUSED (HEAD MAIN "calls=1 50\n", "9: calls= at the start of a record");
  REFUSED (HEAD MAIN "cfi=(2) b.c\ncalls=1 50\n",
           "10: calls= directly after cfi=");
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=1 50\n16 7\ncalls=1 60\n",
           "12: calls= at the start of a record");
}

Test (reader, cfn_without_calls)
{
  REFUSED (HEAD MAIN "cfn=(2) f\n17 1\n", "10: cost line directly after cfn=");
}

Test (reader, calls_without_cost_line)
{
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=1 50\nfn=(2)\n",
           "11: fn= directly after calls=");
  REFUSED_WITH (READER_UNFINISHED, HEAD MAIN "cfn=(2) f\ncalls=1 50\n",
                "10: end of file directly after calls=");
}

Test (reader, cfi_missing_while_fi_is_active)
{
  REFUSED (HEAD MAIN "fi=(2) b.h\ncfn=(2) f\n",
           "10: cfn= without cfi= while another file is active");
  ACCEPTED (HEAD MAIN "fi=(2) b.h\ncfi=(1)\ncfn=(2) f\ncalls=1 50\n16 7\n"
            TOTALS);
  ACCEPTED (HEAD MAIN "fi=(2) b.h\n3 4\nfe=(1)\ncfn=(2) f\ncalls=1 50\n16 7\n"
            "totals: 24 2\n");
}

Test (reader, cfi_missing_for_a_known_id)
{
  REFUSED (HEAD MAIN "cfi=(2) b.c\ncfn=(2) f\ncalls=1 50\n16 7\ncfn=(2)\n",
           "13: function id (2) used with another object or file than at its"
           " definition");
  ACCEPTED (HEAD MAIN "cfi=(2) b.c\ncfn=(2) f\ncalls=1 50\n16 7\n"
            "cfi=(2)\ncfn=(2)\ncalls=1 50\n17 7\n" TOTALS);
}

Test (reader, cob_missing_for_a_known_id)
{
  REFUSED (HEAD MAIN "cob=(1) lib\ncfn=(2) f\ncalls=1 50\n16 7\ncfn=(2)\n",
           "13: function id (2) used with another object or file than at its"
           " definition");
}

Test (reader, cfn_defined_without_its_file)
{
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=1 50\n16 7\nfl=(2) b.c\nfn=(2)\n",
           "13: function id (2) used with another object or file than at its"
           " definition");
}

Test (reader, calls_zero)
{
#define ZERO HEAD MAIN "cfn=(2) f\ncalls=0 50\n16 7\n" TOTALS
  REFUSED (ZERO, "10: calls=0");
  ACCEPTED_WITH (READER_ALLOW_ZERO_CALLS, ZERO);
}

Test (reader, calls_count_not_decimal)
{
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=0x3 50\n",
           "10: hexadecimal number where it must be decimal");
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=03 50\n",
           "10: number with leading zeros");
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls= 3 50\n",
           "10: no number where one must be");
}

Test (reader, calls_target)
{
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=3\n", "10: no target position");
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=3  50\n",
           "10: more than one blank between fields");
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=3 50 0\n",
           "10: text after the target position");
  REFUSED (INSTR_HEAD "fl=(1) a.c\nfn=(1) f\n0x10 1 2\ncfn=(2) g\n"
           "calls=3 0x10\n", "10: no blank after a number");
  ACCEPTED (HEAD MAIN "cfn=(2) f\ncalls=3 *\n16 7\n" TOTALS);
}

/* Jumps.  */

Test (reader, jump_as_the_grammar_has_it)
{
  REFUSED (HEAD MAIN "jump=4 20\n17 5\n",
           "10: costs on the source line of a jump");
  REFUSED (HEAD MAIN "jump=4 20\nfn=(2) f\n",
           "10: fn= directly after jump=/jcnd=");
  REFUSED (HEAD MAIN "jcnd=3 1 20\n",
           "9: jcnd= not of the form FOLLOWED/EXECUTED");
  ACCEPTED (HEAD MAIN "jump=4 20\n17\njcnd=1/3 20\n*\n" TOTALS);
}

Test (reader, jump_counts)
{
  REFUSED (HEAD MAIN "jump=0x4 20\n",
           "9: hexadecimal number where it must be decimal");
  REFUSED (HEAD MAIN "jcnd=1/ 20\n", "9: no number where one must be");
  REFUSED (HEAD MAIN "jump=4\n", "9: no target position");
}

Test (reader, jfi_without_a_jump)
{
  REFUSED (HEAD MAIN "jfi=b.c\n17 5\n",
           "10: cost line directly after jfi=");
  REFUSED (HEAD MAIN "jfn=f\njfi=b.c\n",
           "10: jfi= directly after jfn=");
  REFUSED (HEAD MAIN "jfi=b.c\ncfn=(2) f\n",
           "10: cfn= directly after jfi=");
  REFUSED (HEAD "jump=1 2\n",
           "6: jump=/jcnd= before the first fn= of the part");
  ACCEPTED (HEAD MAIN "jfi=b.c\njfn=f\njump=4 20\n17\n" TOTALS);
}

Test (reader, jfn_in_another_object)
{
  REFUSED (HEAD MAIN "cob=(1) lib\ncfn=(2) f\ncalls=1 50\n16 7\njfn=(2)\n",
           "13: jfn= of a function in another object");
}

/* Subpositions.  */

Test (reader, relative_after_fn)
{
  REFUSED (HEAD MAIN "fn=(2) f\n* 5\n",
           "10: first cost line after fn= is relative");
  REFUSED (HEAD MAIN "fn=(2) f\ncfn=(1)\ncalls=1 16\n* 5\n",
           "12: first cost line after fn= is relative");
  REFUSED (HEAD MAIN "fn=(2) f\njump=1 116\n*\n",
           "11: first cost line after fn= is relative");
  ACCEPTED (HEAD MAIN "fn=(2) f\n116 5\n+1 5\ntotals: 30 2\n");
}

Test (reader, relative_at_the_start_of_a_part)
{
  REFUSED (HEAD "fl=(1) a.c\nfn=(1) f\n* 5\n",
           "8: relative subposition at the start of a part");
  REFUSED (HEAD "fl=(1) a.c\nfn=(1) f\njump=1 *\n",
           "8: relative subposition at the start of a part");
  REFUSED (HEAD MAIN TOTALS
           "positions: line\nevents: A B\nfl=(1) a.c\nfn=(1) main\n+1 5\n",
           "14: relative subposition at the start of a part");
}

Test (reader, relative_in_an_absolute_file)
{
#define RELATIVE HEAD MAIN "* 5\ntotals: 25 2\n"
  ACCEPTED (RELATIVE);
  REFUSED_WITH (READER_ABSOLUTE, RELATIVE,
                "9: relative subposition in an absolute file");
  ACCEPTED_WITH (READER_ABSOLUTE, HEAD MAIN TOTALS);
}

Test (reader, relative_in_hex)
{
  REFUSED (HEAD MAIN "+0x3 5\n",
           "9: hexadecimal number where it must be decimal");
}

Test (reader, relative_of_zero)
{
  REFUSED (HEAD MAIN "+0 5\n", "9: difference of 0 not written as *");
}

Test (reader, relative_not_shorter)
{
  REFUSED (HEAD MAIN "+1 5\n",
           "9: relative subposition not shorter than absolute");
  REFUSED (INSTR_HEAD "fl=(1) a.c\nfn=(1) f\n0x10 100 2\n+1000 * 1\n",
           "9: relative subposition not shorter than absolute");
  ACCEPTED (INSTR_HEAD "fl=(1) a.c\nfn=(1) f\n0x10 100 2\n+24 +1 1\n"
            "-2 -1 1\ntotals: 4 0\n");
}

Test (reader, relative_of_2_31)
{
#define FAR INSTR_HEAD "fl=(1) a.c\nfn=(1) f\n0x100000000000 1 2\n"
  REFUSED (FAR "+2147483648 * 1\n", "9: difference of 2^31 or more");
  REFUSED (FAR "-2147483648 * 1\n", "9: difference of 2^31 or more");
  ACCEPTED (FAR "+2147483647 * 1\n-2147483647 * 1\ntotals: 4 0\n");
}

Test (reader, relative_below_zero)
{
  REFUSED (HEAD MAIN "-17 5\n",
           "9: relative subposition outside 0 to 2^64-1");
}

Test (reader, line_in_hex)
{
  REFUSED (HEAD MAIN "0x11 5\n",
           "9: hexadecimal number where it must be decimal");
}

Test (reader, line_of_2_32)
{
  REFUSED (HEAD MAIN "4294967296 5\n", "9: line number of 2^32 or more");
  REFUSED (HEAD MAIN "4294967295 5\n+1 5\n",
           "10: line number of 2^32 or more");
  ACCEPTED (HEAD MAIN "4294967295 5\ntotals: 25 2\n");
}

Test (reader, address_form)
{
#define FN_F "fl=(1) a.c\nfn=(1) f\n"
  REFUSED (INSTR_HEAD FN_F "16 1 2\n", "8: absolute address not in 0x form");
  REFUSED (INSTR_HEAD FN_F "0X1F 1 2\n",
           "8: absolute address not in 0x form");
  REFUSED (INSTR_HEAD FN_F "0x1F 1 2\n",
           "8: hexadecimal digits in capitals");
  REFUSED (INSTR_HEAD FN_F "0x01f 1 2\n", "8: number with leading zeros");
  REFUSED (INSTR_HEAD FN_F "0x10000000000000000 1 2\n",
           "8: number larger than 2^64-1");
  ACCEPTED (INSTR_HEAD FN_F "0xffffffffffffffff 0 2\n0x0 1 1\n"
            "totals: 3 0\n");
  ACCEPTED (OPENING "positions: instr\nevents: A\n" FN_F "0x1f 2\n"
            "totals: 2\n");
}

Test (reader, too_few_subpositions)
{
  REFUSED (INSTR_HEAD FN_F "0x10\n", "8: no blank after a number");
  REFUSED (INSTR_HEAD FN_F "0x10 1\n", "8: cost line without costs");
}

/* Costs.  */

Test (reader, no_costs)
{
  REFUSED (HEAD MAIN "17\n", "9: cost line without costs");
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=1 50\n17\n",
           "11: cost line without costs");
  ACCEPTED (HEAD MAIN "17 0\n" TOTALS);
}

Test (reader, too_many_costs)
{
  REFUSED (HEAD MAIN "17 1 2 3\n", "9: more numbers than events");
}

Test (reader, trailing_zeros)
{
  REFUSED (HEAD MAIN "17 5 0\n", "9: trailing zero cost");
  REFUSED (HEAD MAIN "17 0 0\n", "9: trailing zero cost");
  ACCEPTED (HEAD MAIN "17 0 5\ntotals: 20 7\n");
  ACCEPTED_WITH (READER_KEEP_ZEROS, HEAD MAIN "17 5 0\ntotals: 25 2\n");
  REFUSED_WITH (READER_KEEP_ZEROS, HEAD MAIN "17 5\n",
                "9: fewer costs than events");
}

Test (reader, cost_not_decimal)
{
  REFUSED (HEAD MAIN "17 0x5\n",
           "9: hexadecimal number where it must be decimal");
  REFUSED (HEAD MAIN "17 05\n", "9: number with leading zeros");
  REFUSED (HEAD MAIN "17 -5\n", "9: no number where one must be");
  REFUSED (HEAD MAIN "17 .\n", "9: no number where one must be");
  REFUSED (HEAD MAIN "17 5x\n", "9: no blank after a number");
  REFUSED (HEAD MAIN "17 18446744073709551616\n",
           "9: number larger than 2^64-1");
}

Test (reader, line_range)
{
  REFUSED (HEAD MAIN "17-18 5\n", "9: no blank after a number");
}

/* Records and pages.  */

/* A header and a comment that end n bytes before the next page, then a record
   of 25 bytes, then the end.  Freed by the caller.  */
static char *
before_page (size_t n, size_t *size)
{
  static const char record[] = "fl=(1) a.c\nfn=(1) f\n16 2\n";
  char *text = malloc (8192);
  cr_assert (text);
  size_t head = strlen (HEAD);
  memcpy (text, HEAD, head);
  memset (text + head, '\n', 4096 - n - head);
  strcpy (text + 4096 - n, record);
  strcat (text + 4096 - n, "totals: 2 0\n");
  *size = strlen (text);
  return text;
}

Test (reader, record_over_a_page)
{
  const size_t whole = strlen ("fl=(1) a.c\nfn=(1) f\n16 2\n");
  for (size_t n = 1; n <= whole + 1; n++)
    {
      char error[256] = "";
      size_t size;
      char *text = before_page (n, &size);
      struct profile *p = profile_read (text, size, 0, error, sizeof error);
      cr_expect (!p == (n < whole), "%zu bytes before the page: %s", n, error);
      cr_expect (p || strstr (error, ": record straddles a multiple of 4096"),
                 "%s", error);
      profile_free (p);
      p = profile_read (text, size, READER_NO_PAD, error, sizeof error);
      cr_expect (p, "not padded: %s", error);
      profile_free (p);
      free (text);
    }
}

/* A record of a page or more cannot but straddle.  */
Test (reader, long_record_over_a_page)
{
  char text[16384];
  char name[5001];
  memset (name, 'x', 5000);
  name[5000] = 0;
  snprintf (text, sizeof text,
            HEAD "fl=(1) a.c\nfn=(1) %s\n16 2\ntotals: 2 0\n", name);
  expect_accepted (__FILE__, __LINE__, 0, text, strlen (text));
}
