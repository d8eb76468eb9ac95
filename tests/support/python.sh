# python.sh - for shell tests that load the shared library into Python: $library,
# or the test is skipped.
#
# From the environment: builddir, CFLAGS.
# SPDX-License-Identifier: MIT

library=$(cd "${builddir-.}" && pwd -P)/.libs/libcgw.so

test -f "$library" || skip_all "there is no shared library"
case ${CFLAGS-} in
  *-fsanitize*) skip_all "Python has no sanitizer" ;;
esac
command -v python3 >/dev/null || skip_all "there is no python3"
