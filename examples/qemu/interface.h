/* interface.h - what cgw-qemu uses of QEMU's interface for plugins, in its own
   words, because few systems ship the header.  The program that loads the
   plugin has the functions.

   A plugin says which version of the interface it was made for.  QEMU refuses
   versions above its own, and those below the oldest that it still knows.  The
   functions here are in all versions, and only qemu_plugin_insn_data changed.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef INTERFACE_H
#define INTERFACE_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef QEMU_INTERFACE
# define QEMU_INTERFACE 1
#endif

#define QEMU_EXPORT __attribute__ ((visibility ("default")))

/* What QEMU looks for in a plugin.  */
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

typedef void (*qemu_on_translation) (qemu_plugin_id_t,
                                     struct qemu_plugin_tb *);
typedef void (*qemu_on_vcpu) (qemu_plugin_id_t, unsigned vcpu);
typedef void (*qemu_on_execution) (unsigned vcpu, void *context);
typedef void (*qemu_on_access) (unsigned vcpu, uint32_t access,
                                uint64_t address, void *context);
typedef void (*qemu_on_exit) (qemu_plugin_id_t, void *context);

void qemu_plugin_register_vcpu_init_cb (qemu_plugin_id_t id, qemu_on_vcpu f);
void qemu_plugin_register_vcpu_exit_cb (qemu_plugin_id_t id, qemu_on_vcpu f);
void qemu_plugin_register_vcpu_tb_trans_cb (qemu_plugin_id_t id,
                                            qemu_on_translation f);
void qemu_plugin_register_atexit_cb (qemu_plugin_id_t id, qemu_on_exit f,
                                     void *context);

void qemu_plugin_register_vcpu_tb_exec_cb (struct qemu_plugin_tb *tb,
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

#if QEMU_INTERFACE < 3
const void *qemu_plugin_insn_data (const struct qemu_plugin_insn *insn);
#else
size_t qemu_plugin_insn_data (const struct qemu_plugin_insn *insn, void *to,
                              size_t n);
#endif

#endif /* INTERFACE_H */
