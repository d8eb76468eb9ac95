#!/bin/sh
# commands.sh - the commands that README and the manual pages show behind "$"
# work as they are printed, one after the other, with what make install puts in
# place, and print no warning; and README is short.
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/support/mpi.sh"
case " ${CFLAGS-} " in
  *-fsanitize* | *-DCGW_COVERAGE*)
    skip_all "README links without sanitizers and counts" ;;
esac
pkg-config --version >/dev/null 2>&1 || skip_all "there is no pkg-config"

test "$(wc -l <"$srcdir/README")" -le 150 \
  && test "$(awk 'length > 80' "$srcdir/README" | wc -l)" = 0
result $? "README has at most 150 lines of 80 columns"

. "$srcdir/tests/support/installed.sh"
PKG_CONFIG_LIBDIR=$(dirname "$(find "$dest" -name cgw.pc)")
PKG_CONFIG_SYSROOT_DIR=$dest
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR

# Files that the commands name.  The program is that of the pictures.
mkdir "$dir/given" "$dir/bin" && cd "$dir/given" || exit 1
cp "$srcdir/examples/first.c" .
sed "s/6000000u/100000u/" "$srcdir/examples/programs/primes.c" >program.c
# Before DWARF 5, of which older versions of valgrind complain.
${CC-cc} -gdwarf-4 -O1 program.c -o program >"$log" 2>&1
result $? "the program that is profiled"
printf 'all:\n\t./program\n' >Makefile
cp "$srcdir/tests/fuzz/seeds/profile/by-pyprof2calltree" callgrind.out.4711
cp callgrind.out.4711 callgrind.out.4712
printf 'main;work 3\n' >program.folded
cp "$srcdir/tests/recordings/node.cpuprofile" .
head -c 10000000 /dev/zero >file
cp "$srcdir/tests/programs/mpi_stencil.c" stencil.c
no_mpi="there is no cgw-mpi, or no MPI to run its programs"
if command -v cgw-mpi >/dev/null && command -v mpirun >/dev/null; then
  no_mpi=
  mpicc stencil.c -o stencil >"$log" 2>&1 \
    && mpirun -n 2 cgw-mpi --keep ./stencil >"$log" 2>&1
  result $? "files of ranks"
fi
# What stands before cgw-import, where that is not installed.
cat >"$dir/bin/perf" <<END
#!/bin/sh
test "\$1" != record || perl "$srcdir/tests/examples/perf_records.pl" old >perf.data
END
printf '#!/bin/sh\necho "main;work 3"\n' >"$dir/bin/stackcollapse-perf.pl"
# Go's profiler would need a profile of a Go program.
printf '#!/bin/sh\nexec cat "%s"\n' "$srcdir/tests/fuzz/seeds/profile/by-pprof-go" >"$dir/bin/go"
# And for other programs inside of commands, if they are not here.
command -v less >/dev/null \
  || printf '#!/bin/sh\nexec cat "$@"\n' >"$dir/bin/less"
command -v jq >/dev/null || printf '#!/bin/sh\nexec cat\n' >"$dir/bin/jq"
if ! command -v qemu-riscv64 >/dev/null \
  || ! command -v cgw-qemu >/dev/null; then
  printf '#!/bin/sh\nexec cp callgrind.out.4711 "callgrind.out.${2##*.}"\n' \
    >"$dir/bin/cgw-qemu"
fi
command -v bzip2 >/dev/null \
  || printf '#!/bin/sh\nexec gzip "$@"\n' >"$dir/bin/bzip2"
chmod +x "$dir"/bin/*
PATH=$dir/bin:$PATH

# Runs the commands in a file, in a folder of their own, but for those that
# install the library.
run_commands ()
{
  cp -R "$dir/given" "$dir/here" && cd "$dir/here" || exit 1
  # One that ends in "|", or inside quotes, goes on in the next line.
  awk -v quote="'" '
    /^Install$/, /^A first profile$/ { next }
    sub (/^ *\$ /, "") || more {
      command = more ? command " " $0 : $0
      more = command ~ /\|$/ || gsub (quote, quote, command) % 2
      if (!more)
        print command
    }' "$1" >"$dir/commands"
  while read -r command; do
    program=${command#(}
    case $program in [A-Z]*=*) program=${program#* } ;; esac
    program=${program%% *}
    missing=
    case $command in
      *kcachegrind*) missing="it opens a window" ;;
      *"rank-*"* | *out.stencil*) missing=$no_mpi ;;
    esac
    if test "$program" != cd && ! command -v "$program" >/dev/null; then
      missing="there is no $program"
    fi
    if test -n "$missing"; then
      skip "${1##*/}: $command" "$missing"
      continue
    fi
    sh -c "$command" >"$dir/out" 2>"$log" </dev/null
    status=$?
    # cgw-lint found something.
    test "$program $status" != "cgw-lint 1" || status=0
    # What these say of their work is no warning: rows of tables, and lines that
    # begin with the name of the tool.
    sed '/warning/b
      /^cgw-[a-z]*: /d; /^ /d; /^$/d; /^Open it: /d; /^All threads: /d
      /^==[0-9]*==/d' \
      "$log" >"$dir/unexpected"
    test $status = 0 && test ! -s "$dir/unexpected" \
      && ! grep 'WARNING' "$dir/out" >>"$log"
    result $? "${1##*/}: $command" "$log"
  done <"$dir/commands"
  cd "$dir" && rm -rf "$dir/here"
}

for page in "$srcdir/README" "$srcdir"/lib/*.[37] \
  "$srcdir"/examples/tools/*/*.[17] "$srcdir"/examples/tools/*/*.1.in; do
  ! grep -q '^ *\$ ' "$page" || run_commands "$page"
done
test "$number" -ge 25
result $? "there are commands"
done_testing
