# python.sh - for shell tests that load the shared library into Python: $library,
# or the test is skipped.
#
# From the environment: builddir, CFLAGS.
# SPDX-License-Identifier: MIT

library=$(cd "${builddir-.}" && pwd -P)/.libs/libcgw.so

if ! test -f "$library"; then
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
