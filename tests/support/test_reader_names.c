/* test_reader_names.c - each rule of names and their ids.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_reader.h"

#include <stdlib.h>
#include <string.h>

Test (reader, id_tables)
{
  /* Three tables: ob+cob, fl+fi+fe+cfi+jfi, fn+cfn+jfn.  */
  ACCEPTED (HEAD "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n16 20 2\n"
            "cob=(2) p\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 50\n16 7\n"
            "jfi=(2)\njfn=(1)\njump=1 5\n16\n"
            "fi=(3) d.c\n16 1\nfe=(1)\n16 1\n"
            "ob=(2)\nfl=(2)\nfn=(2)\n1 1\ntotals: 23 2\n");
}

Test (reader, id_not_dense)
{
  REFUSED (HEAD "fl=(2) a.c\n", "6: file ids not dense: the next is (1)");
  REFUSED (HEAD "fl=(0) a.c\n", "6: file ids not dense: the next is (1)");
  REFUSED (HEAD MAIN "fi=(3) b.c\n",
           "9: file ids not dense: the next is (2)");
  REFUSED (HEAD MAIN "cob=(2) o\n",
           "9: object ids not dense: the next is (1)");
  REFUSED (HEAD MAIN "cfn=(3) f\n",
           "9: function ids not dense: the next is (2)");
}

Test (reader, id_defined_by_a_jump)
{
  REFUSED (HEAD MAIN "jfi=(2) b.c\njump=1 5\n16\n",
           "9: file id defined by a jump");
  REFUSED (HEAD MAIN "jfn=(2) g\njump=1 5\n16\n",
           "9: function id defined by a jump");
  ACCEPTED (HEAD MAIN "jfi=b.c\njfn=g\njump=1 5\n16\n" TOTALS);
  ACCEPTED (HEAD MAIN "jfi=(2) (1)b.c\njump=1 5\n16\n"
            "jfi=(2) (1)b.c\njump=1 5\n16\nfi=(2) (1)b.c\n16 0\n" TOTALS);
  REFUSED (HEAD MAIN "jfi=(2) (1)b.c\njump=1 5\n16\nfi=(2)\n",
           "12: file id (2) not defined in this part");
}

Test (reader, id_too_large)
{
  REFUSED (HEAD "fl=(2147483648) a.c\n", "6: id too large");
  REFUSED (HEAD "fl=(18446744073709551617) a.c\n",
           "6: number larger than 2^64-1");
}

Test (reader, id_not_decimal)
{
  REFUSED (HEAD "fl=(0x1) a.c\n",
           "6: hexadecimal number where it must be decimal");
  REFUSED (HEAD "fl=(01) a.c\n", "6: number with leading zeros");
  REFUSED (HEAD "fl=(1 a.c\n", "6: no ) after an id");
}

Test (reader, id_undefined)
{
  REFUSED (HEAD "fl=(1)\n", "6: file id (1) not defined in this part");
  REFUSED (HEAD MAIN "cfn=(2)\n",
           "9: function id (2) not defined in this part");
  /* The tables are separate: (1) is a file and a function, not an object.  */
  REFUSED (HEAD MAIN "cob=(1)\n",
           "9: object id (1) not defined in this part");
}

Test (reader, id_defined_twice)
{
  REFUSED (HEAD MAIN "fi=(1) a.c\n",
           "9: file id (1) defined twice in one part");
  REFUSED (HEAD MAIN "fn=(1) main\n",
           "9: function id (1) defined twice in one part");
  REFUSED (HEAD MAIN "fn=(1) other\n",
           "9: function id (1) defined twice in one part");
}

Test (reader, two_ids_for_one_name)
{
  REFUSED (HEAD MAIN "fi=(2) a.c\n", "9: a second id for the same file");
  REFUSED (HEAD MAIN "cob=(1) o\ncfn=(2) f\ncalls=1 1\n1 1\ncob=(2) o\n",
           "13: a second id for the same object");
  REFUSED (HEAD MAIN "fn=(2) main\n", "9: a second id for the same function");
  /* Static functions of one name in two files are two functions.  */
  ACCEPTED (HEAD MAIN "fl=(2) b.c\nfn=(2) main\n1 1\ntotals: 21 2\n");
}

Test (reader, one_id_for_two_functions)
{
  REFUSED (HEAD MAIN "fl=(2) b.c\nfn=(1)\n",
           "10: function id (1) used with another object or file than at its"
           " definition");
  REFUSED (HEAD MAIN "ob=(1) o\nfn=(1)\n",
           "10: function id (1) used with another object or file than at its"
           " definition");
}

Test (reader, blanks_around_an_id)
{
  REFUSED (HEAD "fl=(1)a.c\n", "6: no blank after a number");
  REFUSED (HEAD "fl=(1)  a.c\n", "6: more than one blank between fields");
  REFUSED (HEAD "fl=(1) \n", "6: blank at the end of the line");
  REFUSED (HEAD "fl= (1) a.c\n", "6: blank before a name");
}

Test (reader, empty_name)
{
  REFUSED (HEAD "fl=\n", "6: empty name");
  REFUSED_WITH (READER_PLAIN, HEAD "fl=\n", "6: empty name");
}

Test (reader, long_name)
{
  for (int extra = 0; extra < 2; extra++)
    {
      size_t n = (size_t) (65536 + extra);
      char *text = malloc (n + 256);
      cr_assert (text);
      strcpy (text, HEAD "fl=(1) ");
      size_t at = strlen (text);
      memset (text + at, 'x', n);
      strcpy (text + at + n, "\nfn=(1) main\n16 20 2\n" TOTALS);
      if (extra)
        expect_refused (__FILE__, __LINE__, 0, text, strlen (text),
                        "6: name longer than 65536 bytes");
      else
        expect_accepted (__FILE__, __LINE__, 0, text, strlen (text));
      free (text);
    }
}

Test (reader, plain_names)
{
#define PLAIN HEAD "ob=o\nfl=a.c\nfn=(below main)\n16 20 2\n" \
                   "cob=p\ncfi=b.c\ncfn=f\ncalls=1 50\n16 7\n" TOTALS
  ACCEPTED_WITH (READER_PLAIN, PLAIN);
  REFUSED (PLAIN, "6: name without an id");
  REFUSED_WITH (READER_PLAIN, HEAD MAIN, "6: id in a file of plain names");
}

Test (reader, plain_name_like_an_id)
{
  REFUSED_WITH (READER_PLAIN, HEAD "fl=a.c\nfn=(1)f\n",
                "7: no blank after a number");
  REFUSED_WITH (READER_PLAIN, HEAD "fl=a.c\nfn=(2x)\n",
                "7: no ) after an id");
  ACCEPTED_WITH (READER_PLAIN,
                 HEAD "fl=a.c\nfn=(1) (1)f\n16 20 2\n"
                      "cfn=(1)\ncalls=1 16\n16 7\n"
                      "cfn=(2) (2x)\ncalls=1 16\n16 7\n" TOTALS);
}

Test (reader, names_as_they_are)
{
  struct profile *p
    = READ_STRICT (HEAD "fl=(1) a  b.c\nfn=(1) (7) #=:'\\x\n16 20 2\n" TOTALS);
  cr_expect_eq (profile_self (p, NULL, "a  b.c", "(7) #=:'\\x", 0), 20);
  profile_free (p);
}
