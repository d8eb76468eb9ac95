/* instruction.c - which instructions of a processor call and return, by their
   encoding.

   A jump to a return address of an open call may be a return or, in a function
   that calls itself, a branch to what follows the call.  Only the instruction
   tells.  Facts are from the manuals of the architectures.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "instruction.h"

#include <string.h>

/* An instruction is one that has these bits.  */
struct pattern
{
  uint32_t mask;
  uint32_t bits; /* 0 and mask 0: the end */
  enum transfer transfer;
};

/* A jump or call that has these bits, and a distance: parts of the
   instruction's bits go to places in the latter.  */
struct direct
{
  uint32_t mask;
  uint32_t bits;
  unsigned char size; /* in bits, of which the highest is the sign; 0: it is no
                         jump */
  struct
  {
    unsigned char from;
    unsigned char n; /* 0: the end */
    unsigned char to;
  } parts[9];
};

struct processor
{
  const char *names; /* with blanks around each */
  /* Instructions of 4 bytes, and those of 2, or NULL; or else a function.  */
  const struct pattern *patterns;
  const struct pattern *halves;
  const struct direct *directs;
  const struct direct *direct_halves;
  unsigned char ahead; /* a distance is from so much behind the beginning */
  enum transfer (*transfer) (const unsigned char *bytes, size_t n);
  bool is_big_endian;
  bool has_delay_slot;
  bool has_conditions; /* of returns and leaps */
};

#define LEAP TRANSFER_LEAP
#define CALL TRANSFER_CALL
#define RETURN TRANSFER_RETURN
#define RESUME TRANSFER_RESUME
#define END { 0, 0, TRANSFER_JUMP }

static const struct pattern aarch64[] = {
  { 0xfc000000, 0x94000000, CALL },   /* BL */
  { 0xfffffc1f, 0xd63f0000, CALL },   /* BLR */
  { 0xfefff800, 0xd63f0800, CALL },   /* BLRAA and its kind */
  { 0xfffffc1f, 0xd61f0000, LEAP },   /* BR */
  { 0xfefff800, 0xd61f0800, LEAP },   /* BRAA and its kind */
  { 0xfffffc1f, 0xd65f0000, RETURN }, /* RET */
  { 0xfffffbff, 0xd65f0bff, RETURN }, /* RETAA, RETAB */
  { 0xffffffff, 0xd69f03e0, RESUME }, /* ERET */
  { 0xfffffbff, 0xd69f0bff, RESUME }, /* ERETAA, ERETAB */
  END
};

/* A condition that is not met continues with the next block.  */
static const struct pattern arm[] = {
  { 0xfe000000, 0xfa000000, CALL },   /* BLX label, which has no condition */
  { 0xfe50ffff, 0xf8100a00, RESUME }, /* RFE */
  { 0xf0000000, 0xf0000000, TRANSFER_JUMP }, /* others that have none */
  { 0x0f000000, 0x0b000000, CALL },   /* BL */
  { 0x0ffffff0, 0x012fff30, CALL },   /* BLX register */
  { 0x0fffffff, 0x012fff1e, RETURN }, /* BX LR */
  { 0x0e508000, 0x08508000, RESUME }, /* LDM of PC, and of the mode */
  { 0x0e508000, 0x08108000, RETURN }, /* LDM of PC, so POP */
  { 0x0ffff000, 0x049df000, RETURN }, /* LDR PC from the stack */
  { 0x0fffffff, 0x01a0f00e, RETURN }, /* MOV PC, LR */
  { 0x0ffff000, 0x025ef000, RESUME }, /* SUBS PC, LR */
  { 0x0fffffff, 0x01b0f00e, RESUME }, /* MOVS PC, LR */
  { 0x0fffffff, 0x0160006e, RESUME }, /* ERET */
  { 0x0ffffff0, 0x012fff10, LEAP },   /* BX register */
  { 0x0e50f000, 0x0410f000, LEAP },   /* LDR PC */
  { 0x0e50f010, 0x0610f000, LEAP },
  { 0x0feff000, 0x01a0f000, LEAP },   /* MOV PC */
  { 0x0de0f000, 0x0080f000, LEAP },   /* ADD PC */
  { 0x0de0f000, 0x0040f000, LEAP },   /* SUB PC */
  END
};
/* Two halves, the first one above.  */
static const struct pattern thumb[] = {
  { 0xf800d000, 0xf000d000, CALL },   /* BL */
  { 0xf800d001, 0xf000c000, CALL },   /* BLX label */
  { 0xffd08000, 0xe8908000, RETURN }, /* LDMIA of PC, so POP.W */
  { 0xffd08000, 0xe9108000, RETURN }, /* LDMDB of PC */
  { 0xffffff00, 0xf85dfb00, RETURN }, /* LDR.W PC from the stack */
  { 0xffffff00, 0xf3de8f00, RESUME }, /* SUBS PC, LR */
  { 0xffd0ffff, 0xe810c000, RESUME }, /* RFEDB */
  { 0xffd0ffff, 0xe990c000, RESUME }, /* RFEIA */
  { 0xfff0ffe0, 0xe8d0f000, LEAP },   /* TBB, TBH */
  { 0xff70f000, 0xf850f000, LEAP },   /* LDR.W PC */
  END
};
static const struct pattern thumb_halves[] = {
  { 0xff83, 0x4780, CALL },   /* BLX register, BLXNS */
  { 0xfffb, 0x4770, RETURN }, /* BX LR, BXNS LR */
  { 0xff00, 0xbd00, RETURN }, /* POP of PC */
  { 0xffff, 0x46f7, RETURN }, /* MOV PC, LR */
  { 0xff83, 0x4700, LEAP },   /* BX register, BXNS */
  { 0xff87, 0x4687, LEAP },   /* MOV PC */
  { 0xff87, 0x4487, LEAP },   /* ADD PC */
  END
};

/* x1 and x5 are the link registers that the architecture names.  */
static const struct pattern riscv[] = {
  { 0x00000fff, 0x000000ef, CALL },   /* JAL ra */
  { 0x00000fff, 0x000002ef, CALL },   /* JAL t0 */
  { 0x00007fff, 0x000000e7, CALL },   /* JALR ra */
  { 0x00007fff, 0x000002e7, CALL },   /* JALR t0 */
  { 0x000fffff, 0x00008067, RETURN }, /* JALR x0, ra */
  { 0x000fffff, 0x00028067, RETURN }, /* JALR x0, t0 */
  { 0x0000707f, 0x00000067, LEAP },   /* JALR, another one */
  { 0xdfffffff, 0x10200073, RESUME }, /* SRET, MRET */
  END
};
static const struct pattern riscv64_halves[] = {
  { 0xffff, 0x9002, TRANSFER_JUMP },  /* C.EBREAK, no call of x0 */
  { 0xf07f, 0x9002, CALL },           /* C.JALR */
  { 0xffff, 0x8082, RETURN },         /* C.JR ra */
  { 0xffff, 0x8282, RETURN },         /* C.JR t0 */
  { 0xf07f, 0x8002, LEAP },           /* C.JR */
  END
};
static const struct pattern riscv32_halves[] = {
  { 0xe003, 0x2001, CALL },           /* C.JAL, which RV64 has not */
  { 0xffff, 0x9002, TRANSFER_JUMP },
  { 0xf07f, 0x9002, CALL },
  { 0xffff, 0x8082, RETURN },
  { 0xffff, 0x8282, RETURN },
  { 0xf07f, 0x8002, LEAP },
  END
};

static const struct pattern ppc[] = {
  { 0xfc000001, 0x48000001, CALL },   /* bl */
  { 0xfc000001, 0x40000001, CALL },   /* bcl */
  { 0xfc0007bf, 0x4c000421, CALL },   /* bcctrl, bctarl */
  { 0xfc0007ff, 0x4c000021, CALL },   /* bclrl */
  { 0xfc0007ff, 0x4c000020, RETURN }, /* bclr */
  { 0xfc0007bf, 0x4c000420, LEAP },   /* bcctr, bctar */
  { 0xffffffbf, 0x4c000024, RESUME }, /* rfid, rfi */
  { 0xffffffff, 0x4c000224, RESUME }, /* hrfid */
  { 0xffffffff, 0x4c0000a4, RESUME }, /* rfscv */
  END
};

static const struct pattern mips[] = {
  { 0xfc000000, 0x0c000000, CALL },   /* JAL */
  { 0xfc000000, 0x74000000, CALL },   /* JALX */
  { 0xfc1c0000, 0x04100000, CALL },   /* BAL and its kind */
  { 0xfc000000, 0xe8000000, CALL },   /* BALC */
  { 0xffe00000, 0xf8000000, CALL },   /* JIALC */
  { 0xfffff83f, 0x03e00008, RETURN }, /* JR ra */
  { 0xffffffff, 0x42000018, RESUME }, /* ERET */
  { 0xfffff83f, 0x03e00009, RETURN }, /* JALR zero, ra */
  { 0xffffffff, 0xd81f0000, RETURN }, /* JIC ra */
  { 0xffe00000, 0xd8000000, LEAP },   /* JIC */
  { 0xfc1ff83e, 0x00000008, LEAP },   /* JR; JALR zero */
  { 0xfc00003f, 0x00000009, CALL },   /* JALR */
  END
};

static const struct pattern loongarch[] = {
  { 0xfc000000, 0x54000000, CALL },   /* BL */
  { 0xfc00001f, 0x4c000001, CALL },   /* JIRL ra */
  { 0xffffffff, 0x4c000020, RETURN }, /* JIRL zero, ra */
  { 0xfc00001f, 0x4c000000, LEAP },   /* JIRL zero */
  { 0xffffffff, 0x06483800, RESUME }, /* ERTN */
  END
};

static const struct pattern sparc[] = {
  { 0xc0000000, 0x40000000, CALL },   /* CALL */
  { 0xfff80000, 0x9fc00000, CALL },   /* JMPL to %o7 */
  { 0xfffffffb, 0x81c7e008, RETURN }, /* RET; 4 bytes on, of a structure */
  { 0xfffffffb, 0x81c3e008, RETURN }, /* RETL */
  { 0xfff80000, 0x81c80000, RETURN }, /* RETURN */
  { 0xfff80000, 0x81c00000, LEAP },   /* JMPL to %g0 */
  { 0xfdffffff, 0x81f00000, RESUME }, /* DONE, RETRY */
  END
};

static const struct pattern alpha[] = {
  { 0xfc000000, 0xd0000000, CALL },   /* BSR */
  { 0xfc00c000, 0x68004000, CALL },   /* JSR */
  { 0xfc00c000, 0x68008000, RETURN }, /* RET */
  { 0xfc00c000, 0x68000000, LEAP },   /* JMP */
  END
};

/* Direct jumps.  */

#define NONE { 0, 0, 0, { { 0, 0, 0 } } }

static const struct direct aarch64_directs[] = {
  { 0x7c000000, 0x14000000, 28, { { 0, 26, 2 } } }, /* B, BL */
  { 0xff000000, 0x54000000, 21, { { 5, 19, 2 } } }, /* B with a condition */
  { 0x7e000000, 0x34000000, 21, { { 5, 19, 2 } } }, /* CBZ, CBNZ */
  { 0x7e000000, 0x36000000, 16, { { 5, 14, 2 } } }, /* TBZ, TBNZ */
  { 0x7e000000, 0x74000000, 11, { { 5, 9, 2 } } },  /* CB */
  NONE
};

static const struct direct arm_directs[] = {
  { 0xfe000000, 0xfa000000, 26, { { 0, 24, 2 }, { 24, 1, 1 } } }, /* BLX */
  { 0x0e000000, 0x0a000000, 26, { { 0, 24, 2 } } },               /* B, BL */
  NONE
};
/* Of the conditions of a branch, two numbers are other instructions.  */
static const struct direct thumb_directs[] = {
  { 0xfb80d000, 0xf3808000, 0, { { 0, 0, 0 } } },
  { 0xf800d000, 0xf0008000, 21, /* B with a condition */
    { { 26, 1, 20 }, { 11, 1, 19 }, { 13, 1, 18 }, { 16, 6, 12 }, { 0, 11, 1 } } },
  { 0xf800d001, 0xf000c001, 0, { { 0, 0, 0 } } },
  { 0xf8008000, 0xf0008000, 25, /* B, BL, BLX */
    { { 26, 1, 24 }, { 13, 1, 23 }, { 11, 1, 22 }, { 16, 10, 12 }, { 0, 11, 1 } } },
  NONE
};
static const struct direct thumb_direct_halves[] = {
  { 0xfe00, 0xde00, 0, { { 0, 0, 0 } } },
  { 0xf000, 0xd000, 9, { { 0, 8, 1 } } },             /* B with a condition */
  { 0xf800, 0xe000, 12, { { 0, 11, 1 } } },           /* B */
  { 0xf500, 0xb100, 8, { { 3, 5, 1 }, { 9, 1, 6 } } }, /* CBZ, CBNZ */
  NONE
};

static const struct direct riscv_directs[] = {
  { 0x0000007f, 0x0000006f, 21, /* JAL */
    { { 31, 1, 20 }, { 12, 8, 12 }, { 20, 1, 11 }, { 21, 10, 1 } } },
  { 0x0000007f, 0x00000063, 13, /* BEQ and its kind */
    { { 31, 1, 12 }, { 7, 1, 11 }, { 25, 6, 5 }, { 8, 4, 1 } } },
  NONE
};
#define C_J \
  { { 12, 1, 11 }, { 11, 1, 4 }, { 9, 2, 8 }, { 8, 1, 10 }, { 7, 1, 6 }, \
    { 6, 1, 7 }, { 3, 3, 1 }, { 2, 1, 5 } }
#define C_BEQZ \
  { { 12, 1, 8 }, { 10, 2, 3 }, { 5, 2, 6 }, { 3, 2, 1 }, { 2, 1, 5 } }
static const struct direct riscv64_direct_halves[] = {
  { 0xe003, 0xa001, 12, C_J },   /* C.J */
  { 0xc003, 0xc001, 9, C_BEQZ }, /* C.BEQZ, C.BNEZ */
  NONE
};
static const struct direct riscv32_direct_halves[] = {
  { 0x6003, 0x2001, 12, C_J }, /* C.J, C.JAL */
  { 0xc003, 0xc001, 9, C_BEQZ },
  NONE
};

static const struct direct ppc_directs[] = {
  { 0xfc000002, 0x48000000, 26, { { 2, 24, 2 } } }, /* b, bl */
  { 0xfc000002, 0x40000000, 16, { { 2, 14, 2 } } }, /* bc, bcl */
  NONE
};

/* Only calls: a jump with a delay slot does not end a block.  */
static const struct direct mips_directs[] = {
  { 0xfc1c0000, 0x04100000, 18, { { 0, 16, 2 } } }, /* BAL and its kind */
  { 0xfc000000, 0xe8000000, 28, { { 0, 26, 2 } } }, /* BALC */
  NONE
};
static const struct direct sparc_directs[] = {
  { 0xc0000000, 0x40000000, 32, { { 0, 30, 2 } } }, /* CALL */
  NONE
};

static const struct direct loongarch_directs[] = {
  { 0xf8000000, 0x50000000, 28, { { 10, 16, 2 }, { 0, 10, 18 } } }, /* B, BL */
  { 0xf8000000, 0x40000000, 23, { { 10, 16, 2 }, { 0, 5, 18 } } }, /* BEQZ... */
  { 0xfc000200, 0x48000000, 23, { { 10, 16, 2 }, { 0, 5, 18 } } }, /* BCEQZ... */
  { 0xf8000000, 0x58000000, 18, { { 10, 16, 2 } } }, /* BEQ, BNE */
  { 0xf0000000, 0x60000000, 18, { { 10, 16, 2 } } }, /* BLT and its kind */
  NONE
};

static const struct direct alpha_directs[] = {
  { 0xc0000000, 0xc0000000, 23, { { 0, 21, 2 } } }, /* BR, BSR, and others */
  NONE
};

/* Prefixes of x86: of segments, sizes, repetitions, locks, and of 64 bits.  */
static bool
is_prefix (unsigned char byte, bool is_64_bit)
{
  switch (byte)
    {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
      return true;
    default:
      return is_64_bit && byte >> 4 == 4;
    }
}

/* Instructions of any length, after prefixes.  */
static enum transfer
transfer_x86 (const unsigned char *bytes, size_t n, bool is_64_bit)
{
  while (n > 1 && is_prefix (*bytes, is_64_bit))
    bytes++, n--;
  switch (*bytes)
    {
    case 0xe8:
    case 0x9a:
      return CALL;
    case 0xff: /* the second to fifth of its operations */
      switch (n > 1 ? bytes[1] >> 3 & 7 : 0)
        {
        case 2:
        case 3:
          return CALL;
        case 4:
        case 5:
          return LEAP;
        default:
          return TRANSFER_JUMP;
        }
    case 0xc2:
    case 0xc3:
    case 0xca:
    case 0xcb:
      return RETURN;
    case 0xcf:
      return RESUME;
    default:
      return TRANSFER_JUMP;
    }
}

static enum transfer
transfer_x86_64 (const unsigned char *bytes, size_t n)
{
  return transfer_x86 (bytes, n, true);
}

static enum transfer
transfer_i386 (const unsigned char *bytes, size_t n)
{
  return transfer_x86 (bytes, n, false);
}

/* Of s390, which compares, and branches to an address in a register.  */
static enum transfer
transfer_compare (const unsigned char *bytes)
{
  bool has_number = bytes[5] >= 0xfc; /* CIB, CGIB, CLIB, CLGIB */
  unsigned condition = has_number ? bytes[1] & 0xf : bytes[4] >> 4;

  /* CGRB, CLGRB; CRB, CLRB.  */
  if ((!has_number && (bytes[5] & 0xfe) != 0xe4 && (bytes[5] & 0xfe) != 0xf6)
      || condition == 0)
    return TRANSFER_JUMP;
  return bytes[2] == 0xe0 && bytes[3] == 0 ? RETURN : LEAP;
}

/* Instructions of 6, 4 and 2 bytes, as the first one says.  Register 14 is the
   link.  Other registers link code that returns by another one, too.  Without a
   condition or a register, they do nothing.  */
static enum transfer
transfer_s390 (const unsigned char *bytes, size_t n)
{
  unsigned high = n > 1 ? bytes[1] >> 4 : 0;
  unsigned low = n > 1 ? bytes[1] & 0xf : 0;

  switch (*bytes)
    {
    case 0x07: /* BCR */
      if (high == 0)
        return TRANSFER_JUMP;
      /* fallthrough */
    case 0x06: /* BCTR */
      return low == 0 ? TRANSFER_JUMP : low == 14 ? RETURN : LEAP;
    case 0x0d: /* BASR */
      return low != 0 ? CALL : TRANSFER_JUMP;
    case 0x47: /* BC */
      return high != 0 ? LEAP : TRANSFER_JUMP;
    case 0x4d: /* BAS */
      return CALL;
    case 0xa7: /* BRAS */
    case 0xc0: /* BRASL */
      return low == 5 ? CALL : TRANSFER_JUMP;
    case 0xb2: /* LPSWE */
      return n > 1 && bytes[1] == 0xb2 ? RESUME : TRANSFER_JUMP;
    case 0xe3: /* BIC */
      return n == 6 && bytes[5] == 0x47 && high != 0 ? LEAP : TRANSFER_JUMP;
    case 0xec:
      return n == 6 ? transfer_compare (bytes) : TRANSFER_JUMP;
    default:
      return TRANSFER_JUMP;
    }
}

static const struct processor processors[] = {
  { .names = " x86_64 ", .transfer = transfer_x86_64 },
  { .names = " i386 ", .transfer = transfer_i386 },
  { .names = " aarch64 aarch64_be ",
    .patterns = aarch64,
    .directs = aarch64_directs },
  { .names = " arm armeb ",
    .patterns = arm,
    .halves = thumb_halves,
    .directs = arm_directs,
    .direct_halves = thumb_direct_halves,
    .ahead = 8,
    .has_conditions = true },
  { .names = " riscv64 ",
    .patterns = riscv,
    .halves = riscv64_halves,
    .directs = riscv_directs,
    .direct_halves = riscv64_direct_halves },
  { .names = " riscv32 ",
    .patterns = riscv,
    .halves = riscv32_halves,
    .directs = riscv_directs,
    .direct_halves = riscv32_direct_halves },
  { .names = " s390x ", .transfer = transfer_s390, .has_conditions = true },
  { .names = " ppc64le ",
    .patterns = ppc,
    .directs = ppc_directs,
    .has_conditions = true },
  { .names = " ppc ppc64 ",
    .patterns = ppc,
    .directs = ppc_directs,
    .is_big_endian = true,
    .has_conditions = true },
  { .names = " mips64el mipsel mipsn32el ",
    .patterns = mips,
    .directs = mips_directs,
    .ahead = 4,
    .has_delay_slot = true },
  { .names = " mips64 mips mipsn32 ",
    .patterns = mips,
    .directs = mips_directs,
    .ahead = 4,
    .is_big_endian = true,
    .has_delay_slot = true },
  { .names = " loongarch64 ",
    .patterns = loongarch,
    .directs = loongarch_directs },
  { .names = " sparc sparc32plus sparc64 ",
    .patterns = sparc,
    .directs = sparc_directs,
    .is_big_endian = true,
    .has_delay_slot = true },
  { .names = " alpha ",
    .patterns = alpha,
    .directs = alpha_directs,
    .ahead = 4 },
};

const struct processor *
processor_find (const char *name)
{
  size_t length = strlen (name);

  for (size_t i = 0; i < sizeof processors / sizeof *processors; i++)
    {
      const char *at = processors[i].names;

      while ((at = strstr (at, name)) != NULL)
        if (at++[-1] == ' ' && at[length - 1] == ' ')
          return &processors[i];
    }
  return NULL;
}

bool
processor_has_delay_slot (const struct processor *p)
{
  return p != NULL && p->has_delay_slot;
}

bool
processor_knows_jumps (const struct processor *p)
{
  return p != NULL && p->directs != NULL && !p->has_delay_slot;
}

static bool
is_x86 (const struct processor *p)
{
  return p != NULL
         && (p->transfer == transfer_x86_64 || p->transfer == transfer_i386);
}

bool
processor_cuts_at_pages (const struct processor *p)
{
  return is_x86 (p);
}

bool
processor_has_repeats (const struct processor *p)
{
  return is_x86 (p);
}

/* Of x86, string instructions with a REP prefix.  */
bool
instruction_repeats (const struct processor *p, const unsigned char *bytes,
                     size_t n)
{
  bool has_prefix = false;

  if (!is_x86 (p))
    return false;
  while (n > 1 && is_prefix (*bytes, p->transfer == transfer_x86_64))
    {
      has_prefix |= *bytes == 0xf2 || *bytes == 0xf3;
      bytes++, n--;
    }
  return has_prefix
         && ((*bytes >= 0xa4 && *bytes <= 0xa7)
             || (*bytes >= 0xaa && *bytes <= 0xaf)
             || (*bytes >= 0x6c && *bytes <= 0x6f));
}

bool
processor_has_vectors (const struct processor *p)
{
  return p != NULL && p->patterns == arm;
}

static enum transfer
find (const struct pattern *p, uint32_t word)
{
  for (; p->mask != 0; p++)
    if ((word & p->mask) == p->bits)
      return p->transfer;
  return TRANSFER_JUMP;
}

static uint32_t
word_of (const unsigned char *bytes, bool is_big_endian)
{
  return is_big_endian
           ? (uint32_t) bytes[0] << 24 | (uint32_t) bytes[1] << 16
               | (uint32_t) bytes[2] << 8 | bytes[3]
           : (uint32_t) bytes[3] << 24 | (uint32_t) bytes[2] << 16
               | (uint32_t) bytes[1] << 8 | bytes[0];
}

/* Only some numbers begin an instruction of 4 bytes, but some of Arm's other
   instructions have these numbers in their lower half: branches back, and those
   that return.  */
bool
instruction_is_thumb (const struct processor *p, const unsigned char *bytes)
{
  uint32_t word, first, second;
  bool is_branch, is_always, is_blx;

  if (p == NULL || p->halves != thumb_halves)
    return false;
  word = word_of (bytes, false);
  first = word & 0xffff;
  second = word >> 16;
  is_branch = (word & 0x0e000000) == 0x0a000000;
  is_always = word >> 28 == 0xe;
  is_blx = first >> 11 == 0x1e && (second & 0xd001) == 0xc000;
  return first >= 0xe800
         && !(is_branch && (first >= 0xfc00 || (is_always && !is_blx)))
         && (word & 0x0fffffd0) != 0x012fff10  /* BX, BLX */
         && (word & 0xfffff000) != 0xe49df000; /* LDR PC from the stack */
}

enum transfer
instruction_transfer (const struct processor *p, const unsigned char *bytes,
                      size_t n, bool is_thumb)
{
  uint32_t word;

  if (p == NULL || n == 0)
    return TRANSFER_UNKNOWN;
  if (p->transfer != NULL)
    return p->transfer (bytes, n);
  if (n == 2)
    return p->halves != NULL
             ? find (p->halves, (uint32_t) bytes[1] << 8 | bytes[0])
             : TRANSFER_JUMP;
  if (n != 4)
    return TRANSFER_JUMP;
  word = word_of (bytes, p->is_big_endian);
  if (is_thumb && p->halves == thumb_halves)
    return find (thumb, word << 16 | word >> 16);
  return find (p->patterns, word);
}

/* Targets.  */

/* The lowest bits of a number, with the highest of them as its sign.  */
static uint64_t
extend (uint64_t number, unsigned bits)
{
  uint64_t sign = UINT64_C (1) << (bits - 1);

  return ((number & (2 * sign - 1)) ^ sign) - sign;
}

/* Bits of a word, moved to a place in a number.  */
static uint64_t
field (uint32_t word, unsigned from, unsigned bits, unsigned to)
{
  return (uint64_t) (word >> from & ((UINT32_C (1) << bits) - 1)) << to;
}

/* Jumps by a distance of 1 or 4 bytes; in code of 16 bits, 2.  */
static bool
is_direct_jump_x86 (const unsigned char *bytes, size_t n)
{
  return *bytes >> 4 == 7 || (*bytes & 0xfc) == 0xe0 || *bytes == 0xeb
         || *bytes == 0xe9 || (n > 1 && *bytes == 0x0f && bytes[1] >> 4 == 8);
}

static uint64_t
target_x86 (const unsigned char *bytes, size_t n, uint64_t address,
            bool is_64_bit)
{
  const unsigned char *end = bytes + n;
  uint64_t next = address + n;
  bool has_size = false;

  for (; n > 1 && is_prefix (*bytes, is_64_bit); bytes++, n--)
    has_size |= *bytes == 0x66;
  if (*bytes == 0xe8 ? n != 5
                     : has_size || n == 3 || n == 4
                           || !is_direct_jump_x86 (bytes, n))
    return 0;
  return next
         + (n < 5 ? extend (end[-1], 8) : extend (word_of (end - 4, false), 32));
}

/* A call instruction ends with a distance of 4 bytes, or with an operand of 1
   to 6; a far one with an address of 6.  */
static bool
may_call_x86 (const unsigned char *end)
{
  for (int n = 2; n <= 7; n++)
    if (end[-n] == 0xff && (end[1 - n] >> 4 & 3) == 1)
      return true;
  return end[-5] == 0xe8 || end[-7] == 0x9a;
}

/* Whether an instruction of s390 that begins with 0xec compares, or counts, and
   jumps.  */
static bool
is_compared_s390 (unsigned char last)
{
  return last == 0x44 || last == 0x45 || last == 0x64 || last == 0x65
         || last == 0x76 || last == 0x77 || (last & 0xfc) == 0x7c;
}

static uint64_t
target_s390 (const unsigned char *bytes, size_t n, uint64_t address)
{
  unsigned char low = bytes[1] & 0xf;

  if (n == 6
      && ((bytes[0] == 0xc0 && (low == 4 || low == 5))
          || (bytes[0] == 0xcc && low == 6)))
    return address + 2 * extend (word_of (bytes + 2, true), 32);
  if ((n == 4
       && ((bytes[0] == 0xa7 && low >= 4 && low <= 7) || bytes[0] >> 1 == 0x42))
      || (n == 6 && bytes[0] == 0xec && is_compared_s390 (bytes[5])))
    return address + 2 * extend ((uint64_t) bytes[2] << 8 | bytes[3], 16);
  return 0;
}

static uint64_t
target_by (const struct direct *d, uint32_t word, uint64_t from)
{
  uint64_t distance = 0;

  while ((word & d->mask) != d->bits)
    d++;
  if (d->size == 0)
    return 0;
  for (size_t i = 0; d->parts[i].n != 0; i++)
    distance |= field (word, d->parts[i].from, d->parts[i].n, d->parts[i].to);
  return from + extend (distance, d->size);
}

/* The sign inverts the two bits below it, but of a branch with a condition.
   BLX goes to code that is not Thumb, at a multiple of 4.  A loop's WLS, with a
   register, goes forward, and LE, without one, back.  */
static uint64_t
target_thumb (uint32_t word, uint64_t address)
{
  if ((word & 0xff80f001) == 0xf000c001)
    {
      uint64_t distance = field (word, 1, 10, 2) | field (word, 11, 1, 1);

      return address + 4 + ((word >> 16 & 15) == 15 ? -distance : distance);
    }
  if ((word & 0x5000) != 0 && (word >> 26 & 1) == 0)
    word ^= 0x2800;
  if ((word & 0x5000) == 0x4000)
    address &= ~UINT64_C (3);
  return target_by (thumb_directs, word, address + 4);
}

uint64_t
instruction_target (const struct processor *p, const unsigned char *bytes,
                    size_t n, uint64_t address, bool is_thumb)
{
  uint64_t mask = UINT64_MAX;
  uint32_t word;

  if (p == NULL)
    return 0;
  if (p->transfer == transfer_s390)
    return target_s390 (bytes, n, address);
  if (p->transfer == transfer_x86_64)
    return target_x86 (bytes, n, address, true);
  if (p->transfer == transfer_i386)
    return target_x86 (bytes, n, address, false) & UINT32_MAX;
  if (p->patterns == arm)
    mask = UINT32_MAX;
  if (n == 2 && p->direct_halves != NULL)
    return target_by (p->direct_halves, (uint32_t) bytes[1] << 8 | bytes[0],
                      address + p->ahead / 2)
           & mask;
  if (n != 4)
    return 0;
  word = word_of (bytes, p->is_big_endian);
  if (is_thumb && p->patterns == arm)
    return target_thumb (word << 16 | word >> 16, address) & mask;
  if (p->patterns == mips && word >> 26 == 3) /* JAL */
    return ((address + 4) & ~UINT64_C (0xfffffff)) | field (word, 0, 26, 2);
  return target_by (p->directs, word, address + p->ahead) & mask;
}

/* Behind a delay slot, nothing is known.  */
bool
instruction_may_come_back (const struct processor *p,
                           const unsigned char bytes[BEFORE_MAX],
                           bool is_thumb)
{
  const unsigned char *end = bytes + BEFORE_MAX;

  if (p == NULL || p->has_delay_slot)
    return true;
  if (is_x86 (p))
    return may_call_x86 (end);
  for (size_t n = 2; n <= 6; n += 2)
    {
      enum transfer transfer = instruction_transfer (p, end - n, n, is_thumb);

      if (transfer == TRANSFER_CALL
          || (p->has_conditions && transfer != TRANSFER_JUMP))
        return true;
    }
  return false;
}
