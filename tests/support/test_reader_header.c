/* test_reader_header.c - each rule of headers, parts, sums and plain text.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_reader.h"

#include <string.h>

#define BODY MAIN TOTALS

/* The opening.  */

Test (reader, empty_file)
{
  REFUSED ("", "0: part 1 has no events: line");
  ACCEPTED_WITH (READER_UNFINISHED, "");
  REFUSED_WITH (READER_LENIENT, "", "0: part 1 has no events: line");
}

Test (reader, no_marker)
{
  REFUSED ("version: 1\n", "1: first line is not the format's marker");
  REFUSED ("\xef\xbb\xbf# callgrind format\n",
           "1: first line is not the format's marker");
  REFUSED ("\n", "1: first line is not the format's marker");
}

Test (reader, version_not_second)
{
  REFUSED ("# callgrind format\n\n", "2: second line is not version: 1");
  REFUSED ("# callgrind format\n# c\n", "2: second line is not version: 1");
  REFUSED ("# callgrind format\ncreator: t\n",
           "2: second line is not version: 1");
  REFUSED ("# callgrind format\nversion: 2\n",
           "2: second line is not version: 1");
}

Test (reader, creator_not_third)
{
#define TWO "# callgrind format\nversion: 1\n"
  REFUSED (TWO "pid: 1\n", "3: third line is not creator:");
  REFUSED (TWO "\n", "3: third line is not creator:");
  REFUSED (TWO "creator:t\n", "3: third line is not creator:");
  ACCEPTED (TWO "creator:\npositions: line\nevents: A B\n" BODY);
}

/* Keys.  */

Test (reader, all_keys)
{
  ACCEPTED (OPENING "pid: 7\ncmd: a b\npart: 1\nthread: 2\ndesc: a: b\n"
            "desc: c: d\n\npositions: line\nevent: A : Long A\n"
            "event: S = A + 10 B : Sum\nevents: A B\nsummary: 30 4\n" BODY);
  ACCEPTED (OPENING "cmd:\npositions: line\nevents: A B\n" BODY);
}

Test (reader, unknown_key)
{
  REFUSED (OPENING "arch: arm\n",
           "4: header key that some reader does not know");
  REFUSED (OPENING "version: 1\n",
           "4: header key that some reader does not know");
}

Test (reader, key_twice)
{
  REFUSED (OPENING "pid: 1\npid: 1\n", "5: pid:, part: or thread: twice");
  REFUSED (OPENING "cmd: a\ncmd: a\n", "5: cmd: twice");
  REFUSED (OPENING "positions: line\npositions: line\n",
           "5: positions: twice");
}

Test (reader, key_value)
{
  REFUSED (OPENING "pid:1\n", "4: no blank after the colon");
  REFUSED (OPENING "pid:\n", "4: header line without a value");
  REFUSED (OPENING "pid:  1\n", "4: more than one blank between fields");
  REFUSED (OPENING "pid: x\n", "4: no number where one must be");
  REFUSED (OPENING "pid: 0x7\n",
           "4: hexadecimal number where it must be decimal");
  REFUSED (OPENING "part: 1 2\n", "4: text after the number");
}

Test (reader, header_line_after_events)
{
  REFUSED (HEAD "cmd: x\n", "6: header line after events:");
  REFUSED (HEAD "desc: a: b\n", "6: header line after events:");
  REFUSED (HEAD "event: A : Long\n", "6: header line after events:");
  REFUSED (HEAD "pid: 5\n", "6: part 1 has no totals:");
  REFUSED (HEAD "positions: line\n", "6: part 1 has no totals:");
}

Test (reader, body_before_events)
{
  REFUSED (OPENING "positions: line\nfl=(1) a.c\n", "5: fl= before events:");
  REFUSED (OPENING "positions: line\n", "4: part 1 has no events: line");
}

/* Positions.  */

Test (reader, positions_missing)
{
  REFUSED (OPENING "events: A\n", "4: events: before positions:");
}

Test (reader, positions_not_known_to_all)
{
  REFUSED (OPENING "positions: bb line\n",
           "4: positions: not line, instr or instr line");
  REFUSED (OPENING "positions: instr  line\n",
           "4: positions: not line, instr or instr line");
  REFUSED (OPENING "positions: line instr\n",
           "4: positions: not line, instr or instr line");
}

/* Events.  */

#define LINES OPENING "positions: line\n"

Test (reader, events_without_blank)
{
  REFUSED (LINES "events:A\n", "5: no blank after the colon");
  REFUSED (LINES "events:\n", "5: header line without a value");
}

Test (reader, events_separators)
{
  REFUSED (LINES "events: A  B\n", "5: more than one blank between fields");
  REFUSED (LINES "events: A \n", "5: blank at the end of the line");
  REFUSED (LINES "events: A\tB\n", "5: tab");
}

Test (reader, event_names)
{
  ACCEPTED (LINES "events: L1m Z9\ntotals: 0 0\n");
  ACCEPTED (LINES "events: a-b a.b 1a _a a_b (a) \xc2\xb5s a=b\n"
                  "totals: 0 0 0 0 0 0 0 0\n");
}

Test (reader, event_twice)
{
  REFUSED (LINES "events: A B A\n", "5: the same event twice");
}

/* A file with n events.  */
static void
many_events (char *text, size_t size, int n)
{
  size_t at = (size_t) snprintf (text, size, LINES "events:");
  for (int i = 0; i < n; i++)
    at += (size_t) snprintf (text + at, size - at, " E%d", i);
  at += (size_t) snprintf (text + at, size - at, "\ntotals:");
  for (int i = 0; i < n; i++)
    at += (size_t) snprintf (text + at, size - at, " 0");
  snprintf (text + at, size - at, "\n");
}

Test (reader, events_201)
{
  char text[4096];
  many_events (text, sizeof text, 200);
  expect_accepted (__FILE__, __LINE__, 0, text, strlen (text));
  many_events (text, sizeof text, 201);
  expect_refused (__FILE__, __LINE__, 0, text, strlen (text),
                  "5: more than 200 events");
}

Test (reader, event_line_forms)
{
  REFUSED (LINES "event: A\n", "5: event: without long name or formula");
  REFUSED (LINES "event: a-b : x\n",
           "5: event: not of the form NAME = FORMULA : TEXT");
  REFUSED (LINES "event: A: x\n",
           "5: event: not of the form NAME = FORMULA : TEXT");
  REFUSED (LINES "event: A :  x\n",
           "5: event: not of the form NAME = FORMULA : TEXT");
  REFUSED (LINES "event: -a : x\n",
           "5: event: name is no identifier");
}

Test (reader, event_line_of_no_event)
{
  REFUSED (LINES "event: C : x\nevents: A B\n",
           "5: event: name that is not in events:");
  REFUSED (LINES "event: A : x\nevent: A : y\nevents: A B\n",
           "6: two event: lines for one name");
  REFUSED (LINES "event: A = B : x\nevents: A B\n",
           "5: event: formula for an event with costs");
}

Test (reader, event_formula)
{
  REFUSED (LINES "event: S = A + C\nevents: A B\n",
           "5: event: formula names an unknown event");
  REFUSED (LINES "event: S = T\nevent: T = A\nevents: A B\n",
           "5: event: formula names an unknown event");
  REFUSED (LINES "event: S = 0x10 A\nevents: A B\n",
           "5: hexadecimal number where it must be decimal");
  REFUSED (LINES "event: S = A * B\nevents: A B\n",
           "5: event: formula not made of events, + and -");
  REFUSED (LINES "event: S = A +\nevents: A B\n",
           "5: event: formula not made of events, + and -");
  REFUSED (LINES "event: S = A B\nevents: A B\n",
           "5: event: formula not made of events, + and -");
  REFUSED (LINES "event: S = 3\nevents: A B\n",
           "5: event: coefficient without an event");
  ACCEPTED (LINES "event: S = A\nevent: T = 2 S - B : x\nevents: A B\n" BODY);
}

/* Summary and totals.  */

Test (reader, summary_place)
{
  REFUSED (LINES "summary: 1 2\nevents: A B\n",
           "5: summary: not directly after events:");
  REFUSED (HEAD MAIN "summary: 20 2\n",
           "9: summary: not directly after events:");
  REFUSED (HEAD "summary: 20 2\nsummary: 20 2\n",
           "7: summary: not directly after events:");
  REFUSED (HEAD "summary: 20\n", "6: fewer numbers than events");
  REFUSED (HEAD "summary: 20 2 1\n", "6: more numbers than events");
  ACCEPTED (HEAD "summary: 1 1\n" BODY);
}

Test (reader, totals_wrong)
{
  REFUSED (HEAD MAIN "totals: 20 3\n",
           "9: totals: not the sum of the cost lines");
  REFUSED (HEAD MAIN "totals: 20\n", "9: fewer numbers than events");
  REFUSED (HEAD MAIN "cfn=(2) f\ncalls=1 50\n16 7\ntotals: 27 2\n",
           "12: totals: not the sum of the cost lines");
}

Test (reader, totals_missing)
{
  REFUSED (HEAD MAIN, "8: part 1 has no totals:");
  ACCEPTED_WITH (READER_UNFINISHED, HEAD MAIN);
  ACCEPTED_WITH (READER_UNFINISHED, HEAD);
  REFUSED_WITH (READER_UNFINISHED, HEAD MAIN "part: 2\n",
                "9: part 1 has no totals:");
  REFUSED_WITH (READER_UNFINISHED, OPENING, "3: part 1 has no events: line");
}

Test (reader, totals_not_last)
{
  REFUSED (HEAD MAIN TOTALS "17 5\n", "10: cost line after totals:");
  REFUSED (HEAD MAIN TOTALS "fl=(1)\n", "10: fl= after totals:");
  REFUSED (HEAD MAIN TOTALS "# c\n", "10: comment after totals:");
  REFUSED (HEAD MAIN TOTALS TOTALS, "10: totals: not at the end of a part");
  REFUSED (LINES "totals: 0 0\n", "5: totals: not at the end of a part");
}

Test (reader, totals_past_2_64)
{
#define MAX "18446744073709551615"
  ACCEPTED (HEAD "fl=(1) a.c\nfn=(1) f\n1 " MAX "\n2 1\n");
  REFUSED (HEAD "fl=(1) a.c\nfn=(1) f\n1 " MAX "\n2 1\ntotals: 0 0\n",
           "10: totals: of a sum past 2^64-1");
  REFUSED (HEAD "fl=(1) a.c\nfn=(1) f\n1 " MAX "\n",
           "8: part 1 has no totals:");
  ACCEPTED (HEAD "fl=(1) a.c\nfn=(1) f\n1 " MAX "\ntotals: " MAX " 0\n");
}

/* Parts.  */

#define PART2 "part: 2\npositions: line\nevents: A B\n"

Test (reader, parts)
{
  ACCEPTED (HEAD BODY "\n" PART2 BODY);
  ACCEPTED (HEAD BODY "pid: 1\ncmd: x\n" PART2 BODY);
  ACCEPTED (HEAD BODY "positions: line\nevents: A B\n" BODY);
}

Test (reader, part_begins_with_another_key)
{
  REFUSED (HEAD BODY "cmd: x\n" PART2, "10: header line after events:");
  REFUSED (HEAD BODY "desc: a: b\n" PART2, "10: header line after events:");
  REFUSED (HEAD BODY "events: A B\n", "10: header line after events:");
}

Test (reader, part_with_other_events)
{
  REFUSED (HEAD BODY "part: 2\npositions: line\nevents: A C\n",
           "12: events: differ from the first part's");
  REFUSED (HEAD BODY "part: 2\npositions: line\nevents: A\n",
           "12: events: differ from the first part's");
  REFUSED (HEAD BODY
           "part: 2\npositions: line\nevent: S = A\nevents: A B\n",
           "13: events: differ from the first part's");
  /* No reader minds a long name that comes later.  */
  ACCEPTED (HEAD BODY "part: 2\npositions: line\nevent: A : x\nevents: A B\n"
            BODY);
  REFUSED (HEAD BODY "part: 2\npositions: instr\n",
           "11: positions: differ from the first part's");
  REFUSED (HEAD BODY "part: 2\nevents: A B\n",
           "11: events: before positions:");
}

Test (reader, part_with_names_of_the_part_before)
{
  REFUSED (HEAD BODY PART2 "fl=(1)\n",
           "13: file id (1) not defined in this part");
  REFUSED (HEAD BODY PART2 "fl=(1) a.c\nfn=(1)\n",
           "14: function id (1) not defined in this part");
  REFUSED (HEAD BODY PART2 "fl=(1) b.c\n",
           "13: file id (1) has another name in this part");
  REFUSED (HEAD BODY PART2 "fl=(2) b.c\nfn=(1) main\n",
           "14: function id (1) used with another object or file than at its"
           " definition");
  REFUSED (HEAD BODY PART2 "fl=(3) b.c\n",
           "13: file ids not dense: the next is (2)");
  ACCEPTED (HEAD BODY PART2 "fl=(2) b.c\nfn=(2) f\n1 5\ntotals: 5 0\n");
}

Test (reader, part_with_places_of_the_part_before)
{
  REFUSED (HEAD BODY PART2 "fn=(1) main\n",
           "13: fn= before the first fl= of the part");
  REFUSED (HEAD BODY PART2 "17 5\n",
           "13: cost line before the first fn= of the part");
  REFUSED (HEAD "ob=(1) lib\n" BODY PART2 "fl=(1) a.c\nfn=(1) main\n",
           "15: fn= without the ob= that the part before had");
  ACCEPTED (HEAD "ob=(1) lib\n" BODY PART2 "ob=(1) lib\n" BODY);
}

/* Plain text.  */

Test (reader, bytes_of_a_line)
{
  REFUSED (HEAD "# a\tb\n", "6: tab");
  REFUSED (HEAD "# a\r\n", "6: carriage return");
  REFUSED (HEAD "# a\0b\n", "6: NUL byte");
  REFUSED (HEAD "# a\x1b[m\n", "6: control character");
  REFUSED (HEAD "# a\x7f\n", "6: control character");
  REFUSED (HEAD "# a\xc2\x85\n", "6: control character");
  REFUSED (HEAD "# a\xe2\x80\xa8\n",
           "6: line separator U+2028 or U+2029");
  REFUSED (HEAD "# a\xe2\x80\xa9\n",
           "6: line separator U+2028 or U+2029");
  ACCEPTED (HEAD "# \xc2\xa0 \xe2\x80\xaa \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf\n"
            BODY);
}

Test (reader, bytes_not_utf8)
{
  static const char *const bad[] = {
    "\x80", "\xff", "\xc3", "\xc3(", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80",
    "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xe2\x82",
    "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
    "\xf8\x88\x80\x80\x80", "\xf0\x9f\x98"
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
      char text[256];
      snprintf (text, sizeof text, HEAD "# %s\n", bad[i]);
      expect_refused (__FILE__, __LINE__, 0, text, strlen (text),
                      "6: not valid UTF-8");
    }
}

Test (reader, blanks_at_the_ends)
{
  REFUSED (HEAD MAIN " 17 5\n", "9: blank at the start of the line");
  REFUSED (HEAD MAIN "17 5 \n", "9: blank at the end of the line");
  REFUSED (HEAD MAIN " \n", "9: blank at the start of the line");
  REFUSED (HEAD "# \n", "6: blank at the end of the line");
  REFUSED (HEAD MAIN "17  5\n", "9: more than one blank between fields");
  ACCEPTED (HEAD "#\n" BODY);
}

Test (reader, no_final_newline)
{
  REFUSED (HEAD MAIN "totals: 20 2", "9: no newline at the end of the file");
  REFUSED_WITH (READER_UNFINISHED, HEAD MAIN "17 5",
                "9: no newline at the end of the file");
}
