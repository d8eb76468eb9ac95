# python.sh - for shell tests whose Python programs import cgw: sets what they
# need for that, or the test is skipped.
#
# From the environment: builddir, srcdir, CFLAGS.
# SPDX-License-Identifier: MIT

CGW_LIBRARY=$(cd "${builddir-.}" && pwd -P)/.libs/libcgw.so
PYTHONPATH=$(cd "${srcdir-.}" && pwd -P)/lib
PYTHONDONTWRITEBYTECODE=1
export CGW_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE

test -f "$CGW_LIBRARY" || skip_all "there is no shared library"
case ${CFLAGS-} in
  *-fsanitize*) skip_all "Python has no sanitizer" ;;
esac
command -v python3 >/dev/null || skip_all "there is no python3"
