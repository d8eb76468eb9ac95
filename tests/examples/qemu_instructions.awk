# qemu_instructions.awk - what kind of instructions objdump's names are: reads
# what objdump -dw prints, and prints a row of qemu_instructions.table for each
# instruction.
#
# From the command line: processor=NAME.
# SPDX-License-Identifier: MIT

BEGIN { FS = "\t" }

# The bytes in the order of memory.  objdump prints single ones, or numbers.
function in_memory(column,   words, n, i, at, all)
{
  n = split (column, words, " ")
  for (i = 1; i <= n; i++)
    if (processor == "mips64")
      all = all words[i]
    else
      for (at = length (words[i]) - 1; at > 0; at -= 2)
        all = all substr (words[i], at, 2)
  return all
}

# The target is the last operand, as in "bl 1234 <f>".
function target(operands)
{
  # Not what "*8(%rip)" or "($27)" may lead to, nor what is of MIPS's other set, or
  # not relative.
  if (name ~ /^(jsr|jalx|bc?l?a)$/ || operands ~ /^[*]/ \
      || !sub (/ *<.*$/, "", operands))
    return "-"
  sub (/.*[, \t]/, "", operands)
  sub (/^0x/, "", operands)
  sub (/^0+/, "", operands)
  return operands
}

function kind_x86()
{
  if (name ~ /^l?call[wlq]?$/) return "call"
  if (name ~ /^l?ret[fwlq]?$/) return "return"
  if (name ~ /^iret/) return "resume"
  if (name ~ /^l?jmp/ && operands ~ /^\*/) return "leap"
  # Not by a distance of 2 bytes.
  if (name ~ /^(j[a-z]+|loop(n?[ez])?)$/)
    return $2 ~ /^(66 |e9 .. .. *$|0f 8. .. .. *$)/ ? "-" : "jump"
  if (prefixes ~ /rep/ && name ~ /^((mov|cmp|sto|lod|sca)s|ins|outs)[bwlq]?$/)
    return "repeat"
}

function kind_aarch64()
{
  if (name ~ /^bl(r|ra[ab]z?)?$/) return "call"
  if (name ~ /^ret(a[ab])?$/) return "return"
  if (name ~ /^eret/) return "resume"
  if (name ~ /^br(a[ab]z?)?$/) return "leap"
  if (name ~ /^(b|bc?[.].*|cbn?z|tbn?z)$/) return "jump"
}

function kind_arm(is_list)
{
  sub (/\.[nw]$/, "", name)
  if (name !~ /^(bls|blt|ble|le|wls|movs|bics|teq|adcs|sbcs|rscs|muls|mls|svc|vcvt.*)$/)
    sub (/(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)$/, "", name)
  is_list = operands ~ /[{,] *(r[0-9a-z]+-)?pc\}/
  if (name ~ /^blx?$/ || name == "blxns") return "call"
  if (name ~ /^bx(ns)?$/) return operands ~ /^lr/ ? "return" : "leap"
  if (name ~ /^(pop|ldm(ia|ib|da|db|fd|ea)?)$/ && is_list)
    return operands ~ /\^/ ? "resume" : "return"
  if (name == "ldr" && operands ~ /^pc, \[sp\], #/) return "return"
  if (name == "mov" && operands ~ /^pc, lr/) return "return"
  if (name ~ /^(subs|movs)$/ && operands ~ /^pc, lr/) return "resume"
  if (name ~ /^(rfe|eret)/) return "resume"
  if (name ~ /^tb[bh]$/ || (name ~ /^(ldr|mov|add|sub)$/ && operands ~ /^pc,/))
    return "leap"
  if (name ~ /^(b|bls|blt|ble|cbn?z|(le|wls)(tp[.0-9]*)?)$/) return "jump"
}

function kind_riscv(link)
{
  link = operands
  sub (/,.*/, "", link)
  link = operands !~ /,/ || link ~ /^(ra|t0)$/
  if (name ~ /^jalr?$/ && link) return "call"
  if (name == "jalr") return "leap"
  if (name == "ret" || (name == "jr" && operands ~ /^([0-9]+\()?(ra|t0)\)?$/))
    return "return"
  if (name == "jr") return "leap"
  if (name ~ /^[ms]ret$/) return "resume"
  if (name ~ /^(jal|j|b.*)$/ && operands ~ /</) return "jump"
}

function kind_s390()
{
  if (name ~ /^(brasl|bras|jasl|jas|bas)$/) return "call"
  if (name == "basr" && operands !~ /,%r0$/) return "call"
  if (name ~ /^b[a-z]*r$/ && operands ~ /(^|,)%r0$/) return "-"
  if (name ~ /^b[a-z]*r$/ && operands ~ /(^|,)%r14$/) return "return"
  if (name ~ /^b(n?[ehlompz]|n?[hl][eh]|ct)?r$/) return "leap"
  if (name ~ /^bi?(n?[ehlompz]|n?[hl][eh])?$/) return "leap"
  # Compare, and branch to an address in a register.
  if (name ~ /^cl?g?[ir]b/)
    return operands ~ /,0\(%r14\)$/ ? "return" : "leap"
  if (name ~ /^lpswe/) return "resume"
  if (name ~ /^(j|br|cl?g?[ir]j)/ && operands ~ /</) return "jump"
}

function kind_ppc()
{
  sub (/[-+]$/, "", name)
  if (name ~ /^b(l|la|cl|cla)$/ || name ~ /^b.*(ctr|lr|tar)l$/) return "call"
  if (name ~ /^b.*lr$/) return "return"
  if (name ~ /^b.*(ctr|tar)$/) return "leap"
  if (name ~ /^h?rf(i|id|scv)$/) return "resume"
  if (name ~ /^b[a-z]*(lr|l|la)$/ && operands ~ /</) return "call"
  if (name ~ /^b/ && operands ~ /</) return name ~ /^bc?a$/ ? "-" : "jump"
}

function kind_mips()
{
  if (name ~ /^(jalx?|balc?|jialc|bgezall?|bltzall?|jalrc?(\.hb)?)$/)
    return "call"
  if (name ~ /^jrc?(\.hb)?$/) return operands == "ra" ? "return" : "leap"
  if (name == "jic") return "leap"
  if (name ~ /^eret/) return "resume"
  if (name ~ /^(b|j$)/ && operands ~ /</) return "jump"
}

function kind_loongarch()
{
  if (name == "bl" || (name == "jirl" && operands ~ /^[$]ra,/)) return "call"
  if (name == "ret") return "return"
  if (name == "jr" || (name == "jirl" && operands ~ /^[$]zero,/)) return "leap"
  if (name == "ertn") return "resume"
  if (name ~ /^b/ && operands ~ /</) return "jump"
}

function kind_sparc()
{
  if (name == "call" || (name == "jmpl" && operands ~ /%o7$/)) return "call"
  if (name ~ /^(retl?|return|rett)$/) return "return"
  if (name == "jmp" && operands ~ /^%[io]7 [+] (8|0xc)$/) return "return"
  if (name == "jmp") return "leap"
  if (name ~ /^(done|retry)$/) return "resume"
  if (name ~ /^[fc]?b/ && operands ~ /</) return "jump"
}

function kind_alpha()
{
  if (name ~ /^[bj]sr$/) return "call"
  if (name == "ret") return "return"
  if (name == "jmp") return "leap"
  if (name ~ /^f?b/ && operands ~ /</) return "jump"
}

# What is no instruction, such as .word, is left out.
$1 ~ /^ *[0-9a-f]+:$/ && NF >= 3 && $3 !~ /^[.(<]/ {
  name = text = $3
  operands = prefixes = ""
  for (i = 4; i <= NF; i++)
    {
      operands = operands " " $i
      text = text " " $i
    }
  # x86's and s390's operands may be behind blanks.
  while (match (name, /^(bnd|notrack|data16|addr32|addr16|rex[.A-Z]*|[c-gs]s|repz|repnz|rep|lock) +/))
    {
      prefixes = prefixes substr (name, 1, RLENGTH)
      name = substr (name, RLENGTH + 1)
    }
  if (name ~ / /)
    {
      operands = name operands
      sub (/ .*/, "", name)
      sub (/^[^ ]+ +/, "", operands)
    }
  sub (/^ +/, "", operands)
  set = processor
  if (processor ~ /^(x86_64|i386)$/) kind = kind_x86()
  else if (processor == "aarch64") kind = kind_aarch64()
  else if (processor == "arm")
    {
      kind = kind_arm()
      if ($2 !~ /^[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]/)
        set = "thumb"
    }
  else if (processor ~ /^riscv/) kind = kind_riscv()
  else if (processor == "s390x") kind = kind_s390()
  else if (processor ~ /^ppc/) kind = kind_ppc()
  else if (processor ~ /^mips/) kind = kind_mips()
  else if (processor == "loongarch64") kind = kind_loongarch()
  else if (processor == "sparc64") kind = kind_sparc()
  else if (processor == "alpha") kind = kind_alpha()
  if (kind == "")
    kind = "-"
  at = $1
  gsub (/[ :]/, "", at)
  gsub (/ +/, " ", text)
  printf "%-11s %-6s %-18s %-6s %-8s %s\n", set, at, in_memory($2), kind,
         kind ~ /^(call|jump)$/ ? target(operands) : "-", text
}
