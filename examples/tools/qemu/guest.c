/* guest.c - the code of the program that QEMU runs.

   QEMU maps the program's files into its own memory, so /proc/self/maps says
   which file an instruction is from.  It is read when code is translated, if a
   system call may have mapped something since the last time.  Of a whole
   system, the user names the file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "guest.h"

#include "../base/memory.h"
#include "../base/table.h"
#include "../symbols/demangle.h"
#include "../symbols/maps.h"
#include "../symbols/resolve.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

struct guest_block
{
  struct block block;
  struct location *at; /* of each instruction */
  uint32_t end;        /* which of them ends the block: maybe not the last */
  bool is_adopted;     /* its function was not known by the file */
  const struct function *part; /* code moved away from another function has
                                  this symbol; or NULL */
};

/* An instruction that ends blocks, or with jumps begins one: number `i` of one
   of them.  */
struct site
{
  const struct guest_block *block;
  uint32_t i;
};

static struct
{
  pthread_mutex_t lock;
  const struct processor *processor;
  qemu_data_is *is;               /* that of QEMU, or the other one */
  qemu_data_copy *copy;
  struct cgw_names *names;
  struct guest_limits limits;
  bool has_jumps;
  uint64_t mapped;                /* the lowest address where the program may
                                     have mapped something since its maps were
                                     read; UINT64_MAX: it mapped nothing */
  struct maps maps;
  struct resolver resolver;
  uint64_t system;                /* the object of a whole system, or 0 */
  struct intern keys;             /* of blocks */
  struct guest_block **blocks;    /* by number */
  uint32_t n_instructions;
  struct intern sites;
  struct site *site_blocks;       /* by number */
  struct table vectors;           /* addresses of handlers of interrupts */
  struct intern function_keys;
  const struct function **functions; /* by number */
} guest = { .lock = PTHREAD_MUTEX_INITIALIZER,
          .vectors = { .key_size = sizeof (uint64_t),
                       .entry_size = sizeof (uint64_t) } };

/* Cortex-M processors find the handlers of interrupts in a table of addresses,
   which stands at the beginning of the code.  All are odd, for Thumb.  The
   first word is no address, and the second one is that of the program.  */
static void
read_vectors (void)
{
  enum { FIRST = 2, MOST = 16 + 240 };
  size_t n = 0;
  const unsigned char *bytes
      = resolver_first (&guest.resolver, guest.system, &n);

  for (size_t i = FIRST; bytes != NULL && i < MOST && 4 * i + 4 <= n; i++)
    {
      uint64_t address = (uint64_t) bytes[4 * i + 3] << 24
                         | (uint64_t) bytes[4 * i + 2] << 16
                         | (uint64_t) bytes[4 * i + 1] << 8 | bytes[4 * i];

      if (address % 2 == 0 && address != 0)
        break;
      if (address-- != 0)
        table_add (&guest.vectors, &address);
    }
}

void
guest_begin (const struct qemu_info_t *qemu, const char *symbols,
             struct guest_limits limits, bool has_jumps,
             struct cgw_names *names)
{
  struct object object = { .path = symbols };

  guest.processor = processor_find (qemu->target_name);
  if (qemu->version.cur < 3)
    guest.is = (qemu_data_is *) qemu_plugin_insn_data;
  else
    guest.copy = (qemu_data_copy *) qemu_plugin_insn_data;
  guest.names = names;
  guest.limits = limits;
  guest.has_jumps = has_jumps;
  maps_begin (&guest.maps);
  resolver_begin (&guest.resolver, &guest.maps, names);
  if (symbols != NULL)
    guest.system = maps_object (&guest.maps, &object);
  if (symbols != NULL && processor_has_vectors (guest.processor))
    read_vectors ();
}

void
guest_lock (void)
{
  pthread_mutex_lock (&guest.lock);
}

void
guest_unlock (void)
{
  pthread_mutex_unlock (&guest.lock);
}

/* Locations.  */

/* The numbers of system calls differ between processors, but those that map
   something return the address of its first page, and few others return a
   multiple of a page's size.  QEMU extends the sign of 32-bit addresses.  */
void
guest_returned (int64_t result)
{
  uint64_t page = result < 0 ? (uint32_t) result : (uint64_t) result;

  if (page == 0 || page % PAGE != 0)
    return;
  pthread_mutex_lock (&guest.lock);
  if (page < guest.mapped)
    guest.mapped = page;
  pthread_mutex_unlock (&guest.lock);
}

/* A file that was removed is the one that it was.  */
static void
cut_deleted (char *path)
{
  static const char deleted[] = " (deleted)";
  size_t n = strlen (path), n_deleted = sizeof deleted - 1;

  if (n > n_deleted && strcmp (path + n - n_deleted, deleted) == 0)
    path[n - n_deleted] = '\0';
}

/* Reads what this process has mapped from files.  */
static void
read_maps (void)
{
  FILE *in = fopen ("/proc/self/maps", "re");
  char *line = NULL;
  size_t size = 0;

  if (in == NULL)
    return;
  guest.mapped = UINT64_MAX;
  maps_forget (&guest.maps, 1);
  while (getline (&line, &size, in) > 0)
    {
      struct region region;
      struct object object = { .path = NULL };
      int path = 0;

      if (sscanf (line,
                  "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64 " %n",
                  &region.start, &region.end, &region.offset, &object.inode,
                  &path)
            < 4
          || line[path] != '/')
        continue;
      line[strcspn (line, "\n")] = '\0';
      cut_deleted (line + path);
      object.path = line + path;
      region.object = maps_object (&guest.maps, &object);
      maps_add (&guest.maps, 1, region);
    }
  free (line);
  fclose (in);
}

/* Where an instruction is.  One that is in no file has its address.  */
static struct location
locate (const struct qemu_plugin_insn *insn)
{
  uint64_t address = qemu_plugin_insn_vaddr (insn);
  uint64_t host = (uint64_t) (uintptr_t) qemu_plugin_insn_haddr (insn);
  struct location location;

  if (guest.system != 0
        ? resolver_locate (&guest.resolver, guest.system, address, &location)
        : maps_find (&guest.maps, 1, host, &location))
    return location;
  return (struct location){ 0, address };
}

/* Functions.  */

/* Whether a file is a dynamic linker: ld.so, ld64.so.2, ld-linux.so.3.  */
static bool
is_linker (const char *path)
{
  const char *name = strrchr (path, '/');

  return name != NULL
         && (strncmp (name, "/ld-", 4) == 0 || strncmp (name, "/ld.so", 6) == 0
             || strncmp (name, "/ld64.so", 8) == 0);
}

/* Whether a function of the dynamic linker may be that which calls through a
   procedure linkage table lead to first.  */
static bool
may_resolve (const char *symbol)
{
  static const char start[] = "_dl_runtime_";

  return symbol == NULL || strncmp (symbol, start, sizeof start - 1) == 0;
}

static const struct function *
find_function (uint64_t object, const struct resolver_code *code)
{
  uint64_t key[] = { object, code->start.instr };
  uint32_t n = guest.function_keys.n;
  uint32_t i = intern (&guest.function_keys, key, sizeof key);

  if (i == n)
    {
      struct
      {
        struct number unwatched;
        struct function function;
      } *f = new_lines (sizeof *f);

      f->function = (struct function){
        .start = code->start,
        .unwatched = &f->unwatched,
        .object = object,
        .number = n,
        .symbol = code->symbol,
        .may_resolve
        = may_resolve (code->symbol)
          && is_linker (maps_object_of (&guest.maps, object).path),
        .is_handler = table_find (&guest.vectors, &code->start.instr) != NULL
      };
      guest.functions
          = resize_for_one (guest.functions, n, sizeof *guest.functions);
      guest.functions[n] = &f->function;
    }
  return guest.functions[i];
}

/* A function that nothing is known of but a call.  */
static const struct function *
name_by_address (struct location location)
{
  struct resolver_code code = resolver_code (&guest.resolver, location);
  const char *path
      = maps_object_of (&guest.maps, location.object).path;
  char *name = make_text ("0x%" PRIx64, code.address);
  struct cgw_object object = { 0 };

  if (location.object != 0)
    object = cgw_add_object (guest.names, path);
  code.start = (struct cgw_pos){ .fn = cgw_add_fn (guest.names, name,
                                                   (struct cgw_file){ 0 },
                                                   object),
                                 .instr = code.address };
  free (name);
  return find_function (location.object, &code);
}

/* Blocks share the site of the instruction that ends them, but not those that
   count as another function than the instruction does.  */
static uint32_t
find_site (const struct guest_block *b, uint32_t i)
{
  const struct location *at = &b->at[i];
  uint64_t owner = b->is_adopted ? b->block.function->number + 1 : 0;
  uint64_t key[] = { at->object, at->offset, owner };
  uint32_t n = guest.sites.n;
  uint32_t site = intern (&guest.sites, key, sizeof key);

  if (site == n)
    {
      guest.site_blocks
          = resize_for_one (guest.site_blocks, n, sizeof *guest.site_blocks);
      guest.site_blocks[n] = (struct site){ b, i };
    }
  return site;
}

static void
find_sites (struct guest_block *b)
{
  b->block.site = find_site (b, b->end);
  if (guest.has_jumps)
    b->block.head = find_site (b, 0);
}

void
guest_adopt (struct block *block, const struct function *of)
{
  struct guest_block *b = (struct guest_block *) block;

  pthread_mutex_lock (&guest.lock);
  /* A jump to another object leads to a function there.  */
  if (of != NULL && of->object != b->at[0].object)
    of = NULL;
  if (block->function == NULL)
    {
      b->is_adopted = of != NULL || b->part == NULL;
      if (of == NULL)
        block->is_entry |= b->part == NULL;
      if (of == NULL)
        of = b->part != NULL ? b->part : name_by_address (b->at[0]);
      block->function = of;
      if (b->is_adopted)
        find_sites (b);
    }
  pthread_mutex_unlock (&guest.lock);
}

/* gcc names what is executed rarely "f.cold".  */
static const char *
find_cold (const char *symbol)
{
  return symbol != NULL ? strstr (symbol, ".cold") : NULL;
}

bool
guest_has_symbol (const struct block *block)
{
  return ((const struct guest_block *) block)->part != NULL;
}

bool
guest_is_part (const struct block *block, const struct function *function)
{
  const struct function *part = ((const struct guest_block *) block)->part;
  size_t n;

  if (part == NULL || function->symbol == NULL
      || part->object != function->object)
    return false;
  n = (size_t) (find_cold (part->symbol) - part->symbol);
  return strncmp (function->symbol, part->symbol, n) == 0
         && function->symbol[n] == '\0';
}

/* Blocks.  */

enum { INSTRUCTION_MAX = 16 };

static size_t
get_bytes (const struct qemu_plugin_insn *insn,
           unsigned char bytes[INSTRUCTION_MAX])
{
  size_t n = qemu_plugin_insn_size (insn);

  if (n > INSTRUCTION_MAX)
    n = INSTRUCTION_MAX;
  if (guest.copy != NULL)
    return guest.copy (insn, bytes, n);
  memcpy (bytes, guest.is (insn), n);
  return n;
}

/* Whether an instruction is a block that goes on until it is done.  */
static bool
repeats (const struct qemu_plugin_insn *insn)
{
  unsigned char bytes[INSTRUCTION_MAX];
  size_t n = get_bytes (insn, bytes);

  return instruction_repeats (guest.processor, bytes, n);
}

static enum transfer
transfer_of (const struct qemu_plugin_insn *insn, bool is_thumb)
{
  unsigned char bytes[INSTRUCTION_MAX];
  size_t n = get_bytes (insn, bytes);

  return instruction_transfer (guest.processor, bytes, n, is_thumb);
}

/* Where a call or a jump leads, if it says so itself; or 0.  */
static uint64_t
target_of (const struct qemu_plugin_insn *insn, bool is_thumb)
{
  unsigned char bytes[INSTRUCTION_MAX];
  size_t n = get_bytes (insn, bytes);

  return instruction_target (guest.processor, bytes, n,
                             qemu_plugin_insn_vaddr (insn), is_thumb);
}

/* Instructions that QEMU translates at once.  */
struct code
{
  const struct qemu_plugin_tb *tb;
  size_t first;
  size_t n;
};

static const struct qemu_plugin_insn *
instruction_of (struct code code, size_t i)
{
  return qemu_plugin_tb_get_insn (code.tb, code.first + i);
}

static const struct qemu_plugin_insn *
last_of (struct code code)
{
  return instruction_of (code, code.n - 1);
}

static uint64_t
start_of (struct code code)
{
  return qemu_plugin_insn_vaddr (instruction_of (code, 0));
}

static uint64_t
end_of (const struct qemu_plugin_insn *insn)
{
  return qemu_plugin_insn_vaddr (insn) + qemu_plugin_insn_size (insn);
}

/* Whether code is of Thumb, that has no symbol to say so.  All of ARM's other
   instructions have 4 bytes and stand at multiples of 4.  */
static bool
looks_like_thumb (struct code code)
{
  bool do_all = true;

  for (size_t i = 0; i < code.n; i++)
    {
      const struct qemu_plugin_insn *insn = instruction_of (code, i);
      unsigned char bytes[INSTRUCTION_MAX];

      if (get_bytes (insn, bytes) != 4
          || qemu_plugin_insn_vaddr (insn) % 4 != 0)
        return true;
      do_all &= instruction_is_thumb (guest.processor, bytes);
    }
  return do_all;
}

/* Finds the instruction that ends a block: with a delay slot, one more follows
   it.  */
static void
find_end (struct guest_block *b, struct code code, bool is_thumb)
{
  uint32_t last = b->block.n - 1;

  b->end = last;
  b->block.transfer
      = transfer_of (instruction_of (code, last), is_thumb);
  if (b->block.transfer == TRANSFER_JUMP && last > 0
      && processor_has_delay_slot (guest.processor))
    {
      b->block.transfer
          = transfer_of (instruction_of (code, last - 1), is_thumb);
      if (b->block.transfer != TRANSFER_JUMP)
        b->end = last - 1;
    }
  if (b->block.transfer == TRANSFER_CALL || b->block.transfer == TRANSFER_JUMP)
    b->block.target = target_of (instruction_of (code, b->end), is_thumb);
  b->block.stays = b->block.target != 0
                   || (b->block.transfer == TRANSFER_JUMP
                       && processor_knows_jumps (guest.processor));
  b->block.leaps = b->block.transfer == TRANSFER_LEAP
                   || b->block.transfer == TRANSFER_UNKNOWN;
  if (b->block.transfer == TRANSFER_LEAP)
    b->block.transfer = TRANSFER_JUMP;
}

/* Whether a function has a name: with or without its arguments, if it is one of
   C++.  */
static bool
is_named (const char *symbol, const char *name)
{
  char *full = demangle (symbol);
  size_t n = strlen (name);
  bool is_it = strcmp (symbol, name) == 0
               || (strncmp (full, name, n) == 0
                   && (full[n] == '\0' || full[n] == '(' || full[n] == '@'));

  free (full);
  return is_it;
}

/* Whether a block is a function's beginning that has this name or address, that
   in the file or in memory.  */
static bool
is_limit (const char *limit, const struct block *block,
          const struct resolver_code *code)
{
  char *end;
  uint64_t address;

  if (limit == NULL)
    return false;
  address = strtoull (limit, &end, 0);
  if (end != limit && *end == '\0')
    return address == block->start || address == code->address;
  return code->is_entry && code->symbol != NULL
         && is_named (code->symbol, limit);
}

/* Whether an instruction may cross the end of its page.  */
static bool
is_near_end (uint64_t address)
{
  return address % PAGE > PAGE - INSTRUCTION_MAX;
}

/* Whether an instruction may be executed after the one before it has led
   elsewhere.  */
static bool
may_follow_transfer (const struct qemu_plugin_insn *insn, bool is_thumb)
{
  const unsigned char *at = qemu_plugin_insn_haddr (insn);

  return at == NULL || qemu_plugin_insn_vaddr (insn) % PAGE < BEFORE_MAX
         || instruction_may_come_back (guest.processor, at - BEFORE_MAX,
                                       is_thumb);
}

/* Whether an address to which a block's last instruction leads may have one
   that repeats itself.  */
static bool
may_repeat (const struct qemu_plugin_insn *last, uint64_t to)
{
  const unsigned char *at = qemu_plugin_insn_haddr (last);
  uint64_t address = qemu_plugin_insn_vaddr (last);

  return processor_has_repeats (guest.processor)
         && (at == NULL || address / PAGE != to / PAGE || is_near_end (to)
             || instruction_repeats (guest.processor, at + (to - address),
                                     INSTRUCTION_MAX));
}

/* Whether an address is of the function of a block, near its last
   instruction.  */
static bool
is_inside (const struct guest_block *b, uint64_t address)
{
  struct location at = b->at[b->block.n - 1];
  struct resolver_code code;

  at.offset += address - b->block.last;
  code = resolver_code (&guest.resolver, at);
  return !code.is_linkage && code.start.fn.handle != 0
         && code.start.instr == b->block.function->start.instr;
}

static bool
is_inner (const struct guest_block *b, struct code code, bool is_thumb)
{
  const struct block *block = &b->block;
  const struct qemu_plugin_insn *last = last_of (code);

  return block->kind == BLOCK_USUAL && block->function != NULL
         && !block->is_entry && block->transfer == TRANSFER_JUMP
         && block->target != 0
         && !may_follow_transfer (instruction_of (code, 0), is_thumb)
         && is_inside (b, block->end) && !may_repeat (last, block->end)
         && is_inside (b, block->target) && !may_repeat (last, block->target);
}

static void
fill_in (struct guest_block *b, struct code code)
{
  struct block *block = &b->block;
  struct resolver_code resolved;
  bool is_thumb;

  block->first = guest.n_instructions;
  guest.n_instructions += block->n;
  b->at = resize (NULL, block->n, sizeof *b->at);
  for (uint32_t i = 0; i < block->n; i++)
    b->at[i] = locate (instruction_of (code, i));
  block->last = qemu_plugin_insn_vaddr (last_of (code));
  resolved = resolver_code (&guest.resolver, b->at[0]);
  block->kind = resolved.is_linkage ? BLOCK_LINKAGE : BLOCK_USUAL;
  block->is_entry = resolved.is_entry;
  block->is_from = is_limit (guest.limits.from, block, &resolved);
  block->is_until = is_limit (guest.limits.until, block, &resolved);
  if (find_cold (resolved.symbol) != NULL)
    b->part = find_function (b->at[0].object, &resolved);
  else if (resolved.start.fn.handle != 0)
    block->function = find_function (b->at[0].object, &resolved);
  is_thumb = resolved.symbol != NULL ? resolved.is_thumb
                                     : looks_like_thumb (code);
  find_end (b, code, is_thumb);
  find_sites (b);
  if (block->kind == BLOCK_USUAL && block->n == 1
      && repeats (instruction_of (code, 0)))
    block->kind = BLOCK_REPEAT;
  block->is_inner = is_inner (b, code, is_thumb);
}

/* Whether code is the same as before: a program may write other code to where
   it was.  */
static uint64_t
hash_bytes (struct code code)
{
  uint64_t hash = UINT64_C (0xcbf29ce484222325);

  for (size_t i = 0; i < code.n; i++)
    {
      unsigned char bytes[INSTRUCTION_MAX];
      size_t n = get_bytes (instruction_of (code, i), bytes);

      for (size_t k = 0; k < n; k++)
        hash = (hash ^ bytes[k]) * UINT64_C (0x100000001b3);
    }
  return hash;
}

static struct block *
find_block (struct code code)
{
  struct
  {
    uint64_t start, end, hash;
    struct location at;
  } key = { start_of (code), end_of (last_of (code)), hash_bytes (code),
            locate (instruction_of (code, 0)) };
  uint32_t n_blocks = guest.keys.n;
  uint32_t i = intern (&guest.keys, &key, sizeof key);

  if (i == n_blocks)
    {
      struct guest_block *b = new_lines (sizeof *b);

      b->block.start = key.start;
      b->block.end = key.end;
      b->block.number = i;
      b->block.n = (uint32_t) code.n;
      fill_in (b, code);
      guest.blocks = resize_for_one (guest.blocks, i, sizeof *guest.blocks);
      guest.blocks[i] = b;
    }
  return &guest.blocks[i]->block;
}

struct block *
guest_translated (const struct qemu_plugin_tb *tb, struct block **rest)
{
  struct code code = { tb, 0, qemu_plugin_tb_n_insns (tb) };
  const struct qemu_plugin_insn *last = last_of (code);
  struct block *block;

  pthread_mutex_lock (&guest.lock);
  if (end_of (last) > guest.mapped && guest.system == 0)
    read_maps ();
  *rest = NULL;
  if (code.n > 1 && processor_cuts_at_pages (guest.processor)
      && is_near_end (qemu_plugin_insn_vaddr (last)))
    *rest = find_block ((struct code){ tb, --code.n, 1 });
  block = find_block (code);
  pthread_mutex_unlock (&guest.lock);
  return block;
}

void
guest_unwatch (struct block *block, struct qemu_plugin_tb *tb)
{
  pthread_mutex_lock (&guest.lock);
  number_add (&block->executions, tb, 1);
  number_add (block->function->unwatched, tb, block->n);
  pthread_mutex_unlock (&guest.lock);
}

/* Positions.  */

struct cgw_pos
guest_position (const struct block *block, uint32_t i)
{
  const struct guest_block *b = (const struct guest_block *) block;
  struct cgw_pos pos = resolve (&guest.resolver, b->at[i], false).at->pos;

  if (b->is_adopted)
    pos.fn = block->function->start.fn;
  return pos;
}

struct cgw_pos
guest_site (uint32_t site)
{
  const struct site *s = &guest.site_blocks[site];

  return guest_position (&s->block->block, s->i);
}

bool
guest_leaps (uint32_t site)
{
  const struct site *s = &guest.site_blocks[site];

  return s->i == s->block->end && s->block->block.leaps;
}

void
guest_clear (void)
{
  for (uint32_t i = 0; i < guest.keys.n; i++)
    guest.blocks[i]->block.executions.first = 0;
  for (uint32_t i = 0; i < guest.function_keys.n; i++)
    guest.functions[i]->unwatched->first = 0;
}

uint32_t
guest_sites (void)
{
  return guest.sites.n;
}

uint32_t
guest_blocks (void)
{
  return guest.keys.n;
}

struct block *
guest_block (uint32_t number)
{
  return &guest.blocks[number]->block;
}
