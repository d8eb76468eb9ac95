/* interface.h - what cgw-qemu uses of QEMU's interface for plugins, in its own
   words, because few systems ship the header.  The program that loads the
   plugin has the functions.

   The interface has numbers, which grow: 1 in QEMU 7 and 8, 2 in 9.0, 4 in
   10.0, 7 in 11.1.  QEMU says its own, and loads plugins that say a number
   between the oldest that it still knows and its own.  Of what is used here,
   number 3 changed qemu_plugin_insn_data, and number 7 what callbacks are told.
   So there are two kinds of callbacks, and registering ones takes their
   context, which older QEMUs ignore.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef INTERFACE_H
#define INTERFACE_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_EXPORT __attribute__ ((visibility ("default")))

/* The number that the plugin says.  */
extern QEMU_EXPORT int qemu_plugin_version;

typedef uint64_t qemu_plugin_id_t;

struct qemu_info_t
{
  const char *target_name;
  struct
  {
    int min;
    int cur;
  } version;
  bool system_emulation;
  int smp_vcpus; /* for a whole system; of programs 0 */
  int max_vcpus;
};

QEMU_EXPORT int qemu_plugin_install (qemu_plugin_id_t id,
                                     const struct qemu_info_t *info, int argc,
                                     char **argv);

/* A block of instructions that QEMU translates at once, and an instruction in
   it: both are valid in the callback of the translation.  */
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum qemu_plugin_cb_flags
{
  QEMU_PLUGIN_CB_NO_REGS
};

enum qemu_plugin_mem_rw
{
  QEMU_PLUGIN_MEM_RW = 3
};

/* Callbacks that changed: each has two types.  */
typedef void qemu_callback (void);
void qemu_plugin_register_vcpu_init_cb (qemu_plugin_id_t id, qemu_callback *f,
                                        void *context);
void qemu_plugin_register_vcpu_exit_cb (qemu_plugin_id_t id, qemu_callback *f,
                                        void *context);
void qemu_plugin_register_vcpu_tb_trans_cb (qemu_plugin_id_t id,
                                            qemu_callback *f, void *context);
void qemu_plugin_register_vcpu_syscall_cb (qemu_plugin_id_t id,
                                           qemu_callback *f, void *context);
void qemu_plugin_register_vcpu_syscall_ret_cb (qemu_plugin_id_t id,
                                               qemu_callback *f,
                                               void *context);
void qemu_plugin_register_atexit_cb (qemu_plugin_id_t id, qemu_callback *f,
                                     void *context);
void qemu_plugin_register_flush_cb (qemu_plugin_id_t id, qemu_callback *f,
                                    void *context);

typedef void (*qemu_on_execution) (unsigned vcpu, void *context);
typedef void (*qemu_on_access) (unsigned vcpu, uint32_t access,
                                uint64_t address, void *context);
void qemu_plugin_register_vcpu_tb_exec_cb (struct qemu_plugin_tb *tb,
                                           qemu_on_execution f,
                                           enum qemu_plugin_cb_flags flags,
                                           void *context);
void qemu_plugin_register_vcpu_insn_exec_cb (struct qemu_plugin_insn *insn,
                                             qemu_on_execution f,
                                             enum qemu_plugin_cb_flags flags,
                                             void *context);
void qemu_plugin_register_vcpu_mem_cb (struct qemu_plugin_insn *insn,
                                       qemu_on_access f,
                                       enum qemu_plugin_cb_flags flags,
                                       enum qemu_plugin_mem_rw rw,
                                       void *context);
bool qemu_plugin_mem_is_store (uint32_t access);

uint64_t qemu_plugin_tb_vaddr (const struct qemu_plugin_tb *tb);
size_t qemu_plugin_tb_n_insns (const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn (const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr (const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size (const struct qemu_plugin_insn *insn);

/* Where QEMU has the instruction in its own memory.  */
void *qemu_plugin_insn_haddr (const struct qemu_plugin_insn *insn);

/* Gives the bytes of an instruction.  Of the two types, the first one is that
   of numbers below 3; the other copies them, and returns how many there
   are.  */
qemu_callback qemu_plugin_insn_data;
typedef const void *qemu_data_is (const struct qemu_plugin_insn *insn);
typedef size_t qemu_data_copy (const struct qemu_plugin_insn *insn, void *to,
                               size_t n);

/* Adds to a number whenever a block is executed, without a call.  All vcpus add
   to the same one, and not atomically.  It ended with number 1.  */
enum qemu_plugin_op
{
  QEMU_PLUGIN_INLINE_ADD_U64
};
void qemu_plugin_register_vcpu_tb_exec_inline (struct qemu_plugin_tb *tb,
                                               enum qemu_plugin_op op,
                                               void *number, uint64_t addend)
    __attribute__ ((weak));

/* What came instead with number 2.  A scoreboard is memory of a size for each
   vcpu, zeroed at first.  It moves when there are more vcpus than it has room
   for, while none executes a block; then QEMU drops what it has translated.  */
struct qemu_plugin_scoreboard;
typedef struct
{
  struct qemu_plugin_scoreboard *score;
  size_t offset;
} qemu_plugin_u64;
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new (size_t size)
    __attribute__ ((weak));
void *qemu_plugin_scoreboard_find (struct qemu_plugin_scoreboard *board,
                                   unsigned vcpu) __attribute__ ((weak));
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu (
    struct qemu_plugin_tb *tb, enum qemu_plugin_op op, qemu_plugin_u64 number,
    uint64_t addend) __attribute__ ((weak));

/* Came with number 7.  With the function above, it tells QEMUs apart before
   they say their number.  */
void qemu_plugin_set_pc (void) __attribute__ ((weak));

#endif /* INTERFACE_H */
