# sample.sh - for shell tests of cgw-sample, after tap.sh: $sample, $cgread, and
# $programs, those to be sampled; or the test is skipped.  They run in $dir.
#
# From the environment: srcdir.
# SPDX-License-Identifier: MIT

srcdir=$(cd "${srcdir-.}" && pwd)
sample=$(pwd)/examples/sample/cgw-sample
cgread=$(pwd)/tests/support/cgread
programs=$srcdir/tests/programs
LC_ALL=C
export LC_ALL
test -x "$sample" || skip_all "cgw-sample is not built (configure says why)"
cd "$dir" || exit 1
