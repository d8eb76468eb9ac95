/* test_table.c - the hash table: entries by keys of one size, numbers of byte
   strings, and the numbers of one hash below both.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base/table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* hash.c.  */

Test (hash, all_numbers_of_a_hash_are_found)
{
  enum { N = 3000, HASHES = 7 };
  struct hash h = { 0 };

  for (uint32_t i = 0; i < N; i++)
    hash_add (&h, i % HASHES * UINT32_C (0x10000000), i);
  for (uint32_t k = 0; k < HASHES; k++)
    {
      uint32_t hash = k * UINT32_C (0x10000000), at = hash, i;
      bool seen[N] = { false };
      uint32_t n = 0;

      for (; (i = hash_next (&h, hash, &at)) != HASH_NONE; n++)
        {
          cr_assert_eq (i % HASHES, k);
          cr_assert_not (seen[i]);
          seen[i] = true;
        }
      cr_assert_eq (n, (N + HASHES - 1 - k) / HASHES);
    }
  hash_free (&h);
}

Test (hash, an_empty_one_has_nothing)
{
  struct hash h = { 0 };
  uint32_t at = 5;

  cr_assert_eq (hash_next (&h, 5, &at), HASH_NONE);
  hash_free (&h);
}

/* These keys have one hash where a word is multiplied by a known odd number and
   its halves are added.  */
Test (hash, nobody_can_choose_keys_of_one_hash)
{
  enum { N = 2000, SLOTS = 4 * N };
  const uint64_t inverse = UINT64_C (0xf1de83e19937733d);
  bool seen[SLOTS] = { false };
  unsigned n = 0;

  for (uint64_t i = 1; i <= N; i++)
    {
      uint64_t key = (i << 32 | i) * inverse ^ sizeof key;
      uint32_t slot = hash_of (&key, sizeof key) % SLOTS;

      n += !seen[slot];
      seen[slot] = true;
    }
  cr_assert_gt (n, N * 3 / 4);
}

/* Bytes behind the last word count, and how many there are.  */
Test (hash, every_byte_counts)
{
  unsigned char key[21] = { 0 };
  uint32_t before = hash_of (key, sizeof key);

  for (size_t i = 0; i < sizeof key; i++)
    {
      key[i] = 1;
      cr_assert_neq (hash_of (key, sizeof key), before);
      key[i] = 0;
      cr_assert_neq (hash_of (key, i), before);
    }
}

/* table.c.  */

struct entry
{
  uint32_t key[3];
  uint64_t value;
};

static const struct table empty
    = { .key_size = 3 * sizeof (uint32_t), .entry_size = sizeof (struct entry) };

Test (table, entries_are_found_and_numbered)
{
  enum { N = 50000 };
  struct table t = empty;

  cr_assert_null (table_find (&t, (uint32_t[3]){ 0 }));
  for (uint32_t i = 0; i < N; i++)
    {
      const uint32_t key[3] = { i % 10, i / 10, i };
      struct entry *e = table_add (&t, key);

      cr_assert_eq (e->value, 0);
      cr_assert_eq (memcmp (e->key, key, sizeof key), 0);
      e->value = i + 1;
    }
  cr_assert_eq (t.n, N);
  for (uint32_t i = 0; i < N; i++)
    {
      const uint32_t key[3] = { i % 10, i / 10, i };
      const uint32_t other[3] = { i % 10, i / 10, i + N };
      const struct entry *e = table_find (&t, key);

      cr_assert_not_null (e);
      cr_assert_eq (e->value, i + 1);
      cr_assert_eq (e, table_entry (&t, i));
      cr_assert_null (table_find (&t, other));
    }
  table_free (&t);
}

Test (table, an_entry_that_is_there_stays)
{
  struct table t = empty;
  const uint32_t key[3] = { 1, 2, 3 };
  struct entry *e = table_add (&t, key);

  e->value = 17;
  cr_assert_eq (table_add (&t, key), e);
  cr_assert_eq (e->value, 17);
  cr_assert_eq (t.n, 1);
  table_free (&t);
}

/* intern.c.  */

Test (intern, strings_have_numbers)
{
  struct intern t = { 0 };
  const char *texts[] = { "", "a", "ab", "a\0b", "a\0c", "12345678",
                          "123456789", "\0", "\0\0" };
  const size_t lengths[] = { 0, 1, 2, 3, 3, 8, 9, 1, 2 };
  enum { N = sizeof texts / sizeof *texts };

  for (int again = 0; again < 2; again++)
    for (uint32_t i = 0; i < N; i++)
      cr_assert_eq (intern (&t, texts[i], lengths[i]), i);
  cr_assert_eq (t.n, N);
  for (uint32_t i = 0; i < N; i++)
    {
      size_t n;
      const void *bytes = intern_bytes (&t, i, &n);

      cr_assert_eq (n, lengths[i]);
      cr_assert_eq (memcmp (bytes, texts[i], n), 0);
      cr_assert_eq ((uintptr_t) bytes % 8, 0); /* for structs */
      cr_assert_eq (intern_bytes (&t, i, NULL), bytes);
    }
  intern_free (&t);
}

/* Of 1 to 5000 bytes: more than the first memory for them at once.  */
Test (intern, many_and_long_ones)
{
  enum { N = 5000 };
  struct intern t = { 0 };
  char text[N];

  memset (text, 'x', sizeof text);
  for (uint32_t i = N; i-- > 0;)
    cr_assert_eq (intern (&t, text, i + 1), N - 1 - i);
  for (uint32_t i = 0; i < N; i++)
    {
      size_t n;
      cr_assert_eq (memcmp (intern_bytes (&t, i, &n), text, N - i), 0);
      cr_assert_eq (n, N - i);
    }
  intern_free (&t);
}
