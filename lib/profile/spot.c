/* spot.c - tables of positions and edges.

   SPDX-License-Identifier: MIT  */

#include "spot.h"

static uint64_t
hash (const void *entry)
{
  return cgwi_spot_hash (entry);
}

void
cgwi_spots_init (struct cgwi_table *t, size_t head, size_t n_costs)
{
  cgwi_table_init (t, head, n_costs, hash);
}

uint32_t
cgwi_spots_add_new (struct cgwi_table *t, const struct cgwi_memory *m,
                    const struct cgwi_spot *spot)
{
  return cgwi_table_reserve (t, m)
             ? cgwi_table_append (t, spot, sizeof *spot)
             : CGWI_TABLE_NONE;
}
