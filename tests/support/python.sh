# python.sh - for shell tests whose Python programs import cgw: sets what they
# need for that, or the test is skipped.
#
# From the environment: builddir, srcdir, CFLAGS.
# SPDX-License-Identifier: MIT

CGW_LIBRARY=$(cd "${builddir-.}" && pwd -P)/.libs/libcgw.so
PYTHONPATH=$(cd "${srcdir-.}" && pwd -P)/lib
PYTHONDONTWRITEBYTECODE=1
export CGW_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE

if ! test -f "$CGW_LIBRARY"; then
  echo "1..0 # SKIP there is no shared library"
  exit 0
fi
case ${CFLAGS-} in
  *-fsanitize*)
    echo "1..0 # SKIP Python has no sanitizer"
    exit 0 ;;
esac
if ! command -v python3 >/dev/null; then
  echo "1..0 # SKIP there is no python3"
  exit 0
fi
