# qemu.sh - for tests of cgw-qemu: what is in profiles.  Skips the test if the
# tool was not built, or if there is no QEMU.
#
#   $cgw_qemu  the tool
#   $programs  tests/programs
#
# SPDX-License-Identifier: MIT

cgw_qemu=$build/examples/tools/qemu/cgw-qemu
programs=$srcdir/tests/programs
ulimit -S -v unlimited # QEMU needs more.
test -x "$cgw_qemu" || skip_all "cgw-qemu was not built: there is no libdw"
command -v qemu-x86_64 >/dev/null || skip_all "there is no qemu-user"
cd "$dir" || exit 1
log=log

# Calls of a profile: "CALLER CALLEE COUNT", and by all callers "* CALLEE COUNT".
calls () # FILE
{
  "$cgread" --dump "$1" | awk -F '\t' '
    $1 == "call" { split ($13, cost, " "); sub (/@.*/, "", $10)
                   n[$4 " " $10] += cost[1]; n["* " $10] += cost[1] }
    END { for (edge in n) print edge, n[edge] }'
}

# Whether a profile has the calls that the program printed, and none with NO.
has_calls () # FILE PRINTED
{
  calls "$1" | sort >all && grep -v '^NO ' "$2" | sort >wanted \
    && test -s wanted && grep -Fxf wanted all | diff wanted - >>log \
    && ! awk 'FNR == NR { is_none[$2, $3] = $1 == "NO"; next }
              is_none[$1, $2] { print "no call: " $0 }' "$2" all \
         | grep . >>log
}

# Whether the calls of each of these functions cost, of each event, what it and
# its callees cost.  In recursion the outermost call has all.
adds_up () # FILE FUNCTION...
{
  "$cgread" --dump "$1" >dump
  shift
  awk -F '\t' -v of="$*" '
    $1 == "cost" { n = split ($8, cost, " ")
                   for (i = 1; i <= n; i++) inside[$4, i] += cost[i] }
    $1 == "call" && $4 != $10 {
      split ($13, cost, " "); sub (/@.*/, "", $10)
      for (i = 1; i <= n; i++)
        { inside[$4, i] += cost[1 + i]; calls[$10, i] += cost[1 + i] } }
    END { split (of, functions, " ")
          for (number in functions)
            for (i = 1; i <= n; i++)
              if ((f = functions[number]) == "" || !calls[f, 1] \
                  || calls[f, i] != inside[f, i])
                { print f ": calls", calls[f, i], "inside", inside[f, i]
                  bad = 1 }
          exit bad }' dump >>log
}

# Functions that nothing calls.
roots () # FILE
{
  "$cgread" --dump "$1" | awk -F '\t' '
    { caller = $2 FS $4; all[caller] }
    $1 == "call" { sub (/^-> /, "", $8); called[$8 FS $10]; all[$8 FS $10] }
    END { for (f in all) if (!(f in called)) print f }'
}
