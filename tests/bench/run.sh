#!/bin/sh
# run.sh - make bench: makes a real profile, lets all write it that are compared,
# measures these and other parts of the library, counts instructions, compares
# sizes.
# SPDX-License-Identifier: MIT
#
# run.sh [GROUP...]: only these groups, see report.awk.
#
# From the environment: srcdir, AWK, CFLAGS.  In the build folder:
# tests/bench/bench, examples/tools/recode/cgw-recode.  Leaves bench.out there, with
# the profile, which the next run uses again, and the values.
#
# Says nothing about speed by its status: that is 1 when what is written is
# wrong.

here=$srcdir/tests/bench
bench=tests/bench/bench
out=bench.out
mkdir -p $out || exit 1
profile=$out/profile

case " $CFLAGS " in
  *' -O2 '*) ;;
  *) echo "bench: warning: built with CFLAGS='$CFLAGS', not with -O2" >&2 ;;
esac
test -f .libs/libcgw.so \
  || echo "bench: warning: no shared library was built" >&2

sh "$here/profile.sh" $profile || exit 1
echo "profile: $(sed -n 's/^cmd: *//p' $profile | cut -c 1-60)"
$bench --measure $profile "$@" >$out/values || exit 1
if command -v valgrind >/dev/null; then
  sh "$here/count.sh" $bench --count $profile "$@" >>$out/values || exit 1
else
  echo "bench: valgrind is missing: no instructions are counted" >&2
fi

# The library's output with the same header and body as callgrind's, and
# without padding, as callgrind's.
if test $# -eq 0; then
  examples/tools/recode/cgw-recode -o $out/recoded $profile || exit 1
  cat >>$out/values <<END
group size callgrind a file
row callgrind callgrind's
row libcgw recoded
value size callgrind bytes $(wc -c <$profile)
value size libcgw bytes $(wc -c <$out/recoded)
END
fi
"$AWK" -f "$here/report.awk" "$here/targets" $out/values
