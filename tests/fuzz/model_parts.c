/* model_parts.c - headers of parts for the fuzzer fuzz_calls.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

/* Events of parts.  */

static const struct cgw_event one[] = { { .name = "Ir" } };
static const struct cgw_event two[] = { { .name = "wall_ns" },
                                        { .name = "calls" } };
static const struct cgw_event three[]
    = { { .name = "A", .long_name = "the first" },
        { .name = "B" },
        { .name = "AB", .formula = "2 A + B" },
        { .name = "C" } };
static const struct cgw_event named[] = { { .name = "Ir",
                                            .long_name = "Instructions" } };
static const struct cgw_event odd[] = { { .name = "Time_(10ns)" },
                                        { .name = "_" } };

static const char *const desc[] = { "Trigger: interval", " a: \n", "" };
static const uint64_t summary[] = { 1, UINT64_MAX, 0 };

#define N(array) (sizeof (array) / sizeof *(array))
#define EVENTS(e) .events = e, .n_events = N (e)
#define SIZE .size = sizeof (struct cgw_part)

/* The part of a shape, plain; and one with all the rest.  */
#define SHAPE(e, n, p)                                                        \
  {                                                                           \
    { SIZE, EVENTS (e), .positions = p },                                     \
    {                                                                         \
      SIZE, EVENTS (e), .positions = p, .cmd = "a \\ b\nc", .desc = desc,     \
      .n_desc = N (desc), .summary = summary, .n_summary = n, .pid = 1,       \
      .number = UINT64_MAX, .thread = 3                                       \
    }                                                                         \
  }

static const struct cgw_part right[MODEL_SHAPES][2]
    = { SHAPE (one, 1, CGW_LINE),         SHAPE (two, 2, 0),
        SHAPE (three, 3, CGW_LINE),       SHAPE (three, 2, CGW_INSTR),
        SHAPE (two, 1, CGW_INSTR_LINE),   SHAPE (named, 1, CGW_LINE),
        SHAPE (one, 1, CGW_INSTR_LINE),   SHAPE (odd, 2, CGW_LINE) };

static const struct cgw_event twice[] = { { .name = "A" }, { .name = "A" } };
static const struct cgw_event blank[] = { { .name = "wall time" } };
static const struct cgw_event nameless[] = { { .name = NULL } };
static const struct cgw_event formula[]
    = { { .name = "A" }, { .name = "B", .formula = "A + C" } };
static const struct cgw_event derived[]
    = { { .name = "A" }, { .name = "B", .formula = "2147483648 A" } };
static const char *const no_text[] = { "a: b", NULL };

static const struct cgw_part wrong[]
    = { { EVENTS (one) },
        { .size = sizeof (size_t) - 1, EVENTS (one) },
        { SIZE },
        { SIZE, .n_events = 1 },
        { SIZE, EVENTS (twice) },
        { SIZE, EVENTS (blank) },
        { SIZE, EVENTS (nameless) },
        { SIZE, EVENTS (formula) },
        { SIZE, EVENTS (derived) },
        { SIZE, EVENTS (one), .positions = 4 },
        { SIZE, EVENTS (one), .summary = summary, .n_summary = 2 },
        { SIZE, EVENTS (one), .n_summary = 1 },
        { SIZE, EVENTS (one), .n_desc = 1 },
        { SIZE, EVENTS (one), .desc = no_text, .n_desc = 2 } };

const struct cgw_part *
model_right_part (unsigned shape, unsigned variant)
{
  return &right[shape][variant % 2];
}

const struct cgw_part *
model_wrong_part (unsigned n)
{
  return n % (N (wrong) + 1) == N (wrong) ? NULL : &wrong[n % N (wrong)];
}

size_t
model_n_events (unsigned shape)
{
  const struct cgw_part *part = &right[shape][0];
  size_t n = 0;

  for (size_t i = 0; i < part->n_events; i++)
    n += part->events[i].formula == NULL;
  return n;
}

unsigned
model_positions (unsigned shape)
{
  unsigned positions = right[shape][0].positions;

  return positions != 0 ? positions : CGW_LINE;
}

/* Long names may differ.  */
bool
model_go_together (unsigned a, unsigned b)
{
  return a == b
         || ((right[a][0].events == one || right[a][0].events == named)
             && (right[b][0].events == one || right[b][0].events == named)
             && model_positions (a) == model_positions (b));
}

bool
model_is_for_cachegrind (unsigned shape)
{
  return right[shape][0].events != odd;
}
