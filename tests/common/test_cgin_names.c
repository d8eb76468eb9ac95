/* test_cgin_names.c - names, their ids, and which function a name means.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_cgin.h"

#include <criterion/criterion.h>

Test (cgin_names, ids)
{
  body_reads_as ("fl=(1) g.c\nfn=(1) g\n1 2\nfl=(2) h.c\nfn=(2) h\n2 3\n"
                 "fl=(1)\nfn=(1)\n3 4\n",
                 "cost g.c|g 1: 2\ncost h.c|h 2: 3\ncost g.c|g 3: 4\n");
  /* Sparse ones, of 64 bits.  */
  body_reads_as ("fn=(18446744073709551615) g\n1 2\nfn=(16) h\n2 3\n"
                 "fn=(18446744073709551615)\n3 4\nfn=(16)\n4 5\n",
                 "cost f.c|g 1: 2\ncost f.c|h 2: 3\ncost f.c|g 3: 4\n"
                 "cost f.c|h 4: 5\n");
}

/* Files and functions have ids of their own; fl=, fi=, fe=, cfi=, cfl= and jfi=
   share theirs, and so do fn= and cfn=, and ob= and cob=.  */
Test (cgin_names, three_tables)
{
  body_reads_as ("cob=(1) o\ncfi=(1) g.c\ncfn=(1) g\ncalls=1 2\n3 4\n"
                 "ob=(1)\nfl=(1)\nfn=(1)\n5 6\n",
                 "call f.c|f 3 -> o|g.c|g 2 x1: 4\ncost o|g.c|g 5: 6\n");
}

/* An id may be given to another name.  */
Test (cgin_names, ids_change)
{
  body_reads_as ("fn=(1) g\n1 2\nfn=(1) h\n2 3\nfn=(1)\n3 4\n",
                 "cost f.c|g 1: 2\ncost f.c|h 2: 3\ncost f.c|h 3: 4\n");
}

Test (cgin_names, undefined_ids)
{
  body_reads_as ("fn=(8)\n1 2\n",
                 "6: warning: undefined id becomes ???: (8)\n"
                 "cost f.c|??? 1: 2\n");
  body_reads_as ("fn=(8\n", "6: bad id: \"(8\"\n");
}

/* What only looks like an id is a name, and so is what has blanks in it.  */
Test (cgin_names, names)
{
  body_reads_as ("fn=(anonymous) x\n1 2\n", "cost f.c|(anonymous) x 1: 2\n");
  body_reads_as ("fn=()\n1 2\n", "cost f.c|() 1: 2\n");
  body_reads_as ("fn=(1)  f (int) \t\n1 2\n", "cost f.c|f (int) 1: 2\n");
  body_reads_as ("fn=\n1 2\n", "cost f.c|??? 1: 2\n");
  body_reads_as ("fl=\nfn=g\n1 2\n", "cost ???|g 1: 2\n");
}

/* One name is as many functions as there are files and objects around it.  */
Test (cgin_names, functions_of_one_name)
{
  body_reads_as ("fn=(1) g\n1 2\nfl=g.c\nfn=(1)\n2 3\nob=o\nfn=(1)\n3 4\n",
                 "cost f.c|g 1: 2\ncost g.c|g 2: 3\ncost o|g.c|g 3: 4\n");
}

/* fi= and fe= are inlined code up to the next function; without any fl=, as
   Python's profilers write it, fi= is the function's own file.  */
Test (cgin_names, inlined_code)
{
  body_reads_as ("fi=i.h\n1 2\nfe=f.c\n2 3\nfi=i.h\nfn=g\n3 4\n",
                 "cost f.c|f 1 in i.h: 2\ncost f.c|f 2: 3\n"
                 "cost f.c|g 3: 4\n");
  reads_as ("events: A\nfi=p.py\nfn=f\n1 2\nfi=q.py\nfn=g\n2 3\n",
            "part A line\ncost p.py|f 1: 2\ncost q.py|g 2: 3\n");
}

/* Nothing of one part holds in the next but the ids.  */
Test (cgin_names, parts)
{
  body_reads_as ("ob=(1) o\nfl=(1) g.c\nfn=(1) g\n1 2\npart: 2\n9 9\nob=(1)\n"
                 "fl=(1)\nfn=(1)\n1 2\n",
                 "cost o|g.c|g 1: 2\npart A,B line part=2\ncost none 9: 9\n"
                 "cost o|g.c|g 1: 2\n");
}
