# qemu_instructions.awk - which instructions call, return, or jump, by their names:
# reads what objdump -dw prints.  Of mips, only jumps to an address in a register.
#
# SPDX-License-Identifier: MIT

BEGIN { FS = "\t" }

# A call or jump may have its target as its last operand, as in "bl 1234 <f>".
function target(operands)
{
  if (!sub (/ *<.*$/, "", operands))
    return "0"
  sub (/.*[, \t]/, "", operands)
  sub (/^0x/, "", operands)
  sub (/^0+/, "", operands)
  return operands
}

function say(kind)
{
  at = $1
  gsub (/[ :]/, "", at)
  print at, kind (kind ~ /^(call|jump)$/ ? " " target(operands) : "")
}

$1 ~ /^ *[0-9a-f]+:$/ && NF >= 3 {
  name = $3
  operands = ""
  for (i = 4; i <= NF; i++)
    operands = operands " " $i
  # x86's and s390's operands may be behind blanks.
  while (name ~ /^(bnd|notrack|data16|addr32|addr16|rex[.A-Z]*|[c-gs]s|repz|repnz|rep|lock) /)
    sub (/^[^ ]+ +/, "", name)
  if (name ~ / /)
    {
      operands = name operands
      sub (/ .*/, "", name)
      sub (/^[^ ]+ +/, "", operands)
    }
  sub (/^ +/, "", operands)
  if (processor == "x86_64" || processor == "i386")
    {
      if (name ~ /^l?call[wlq]?$/) say("call")
      else if (name ~ /^l?ret[fwlq]?$/) say("return")
      else if (name ~ /^iret/) say("resume")
      else if (name ~ /^l?jmp/ && operands ~ /^\*/) say("leap")
      else if (name ~ /^(j[a-z]+|loop(n?[ez])?)$/) say("jump")
    }
  else if (processor == "aarch64")
    {
      if (name ~ /^bl(r|ra[ab]z?)?$/) say("call")
      else if (name ~ /^ret(a[ab])?$/) say("return")
      else if (name ~ /^eret/) say("resume")
      else if (name ~ /^br(a[ab]z?)?$/) say("leap")
      else if (name ~ /^(b|b[.].*|cbn?z|tbn?z)$/) say("jump")
    }
  else if (processor == "arm")
    {
      sub (/\.[nw]$/, "", name)
      if (name !~ /^(bls|blt|ble|movs|bics|teq|adcs|sbcs|rscs|muls|mls|svc|vcvt.*)$/)
        sub (/(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)$/, "", name)
      is_list = operands ~ /[{,] *(r[0-9a-z]+-)?pc\}/
      if (name ~ /^blx?$/) say("call")
      else if (name == "bx") say(operands ~ /^lr/ ? "return" : "leap")
      else if (name ~ /^(pop|ldm(ia|ib|da|db|fd|ea)?)$/ && is_list)
        say("return")
      else if (name == "ldr" && operands ~ /^pc, \[sp\], #4/) say("return")
      else if (name == "mov" && operands ~ /^pc, lr/) say("return")
      else if (name ~ /^(subs|movs)$/ && operands ~ /^pc, lr/) say("resume")
      else if (name ~ /^rfe/) say("resume")
      else if (name ~ /^tb[bh]$/ \
               || (name ~ /^(ldr|mov|add|sub)$/ && operands ~ /^pc,/))
        say("leap")
      else if (name ~ /^(b|bls|blt|ble|cbn?z)$/) say("jump")
    }
  else if (processor == "riscv64")
    {
      link = operands
      sub (/,.*/, "", link)
      if (name == "jal" && (operands !~ /,/ || link ~ /^(ra|t0)$/))
        say("call")
      else if (name == "jalr" && (operands !~ /,/ || link ~ /^(ra|t0)$/))
        say("call")
      else if (name == "jalr") say("leap")
      else if (name == "ret" || (name == "jr" && operands ~ /^(ra|t0)$/))
        say("return")
      else if (name == "jr") say("leap")
      else if (name ~ /^[ms]ret$/) say("resume")
      else if (name ~ /^(jal|j|b.*)$/ && operands ~ /</) say("jump")
    }
  else if (processor == "s390x")
    {
      if (name ~ /^(brasl|bras|jasl|jas|bas)$/) say("call")
      else if (name == "basr" && operands !~ /,(%r)?0$/) say("call")
      else if (name ~ /^b[a-z]*r$/ && operands ~ /(^|,)%r14$/) say("return")
      else if (name ~ /^b(n?[ehlompz]|n?[hl][eh])?r$/) say("leap")
      else if (name ~ /^b(n?[ehlompz]|n?[hl][eh])?$/) say("leap")
      else if (name ~ /^(j|br|cl?g?[ir]j)/ && operands ~ /</) say("jump")
    }
  else if (processor == "ppc64le")
    {
      sub (/[-+]$/, "", name)
      if (name ~ /^b(l|la|cl|cla)$/ || name ~ /^b.*(ctr|lr)l$/) say("call")
      else if (name ~ /^b.*lr$/) say("return")
      else if (name ~ /^b.*ctr$/) say("leap")
      else if (name ~ /^h?rfi?d?$/) say("resume")
      else if (name ~ /^b/ && operands ~ /</) say("jump")
    }
  else if (processor == "mips64el")
    {
      if (name ~ /^(jal|jalx|bal|balc|jialc|bgezall?|bltzall?)$/ \
          || name ~ /^jalr(\.hb)?$/)
        say("call")
      else if (name ~ /^jr(\.hb)?$/)
        say(operands == "ra" ? "return" : "leap")
      else if (name == "eret") say("resume")
    }
}
