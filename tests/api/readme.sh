#!/bin/sh
# readme.sh - the commands that README shows behind "$", after those that install,
# work as they stand, one after the other, with what make install puts in place;
# and README is short.
#
# From the environment: srcdir, MAKE.
# SPDX-License-Identifier: MIT

srcdir=$(cd "${srcdir-.}" && pwd) || exit 1
. "$srcdir/tests/support/tap.sh"
log=$dir/log
case " ${CFLAGS-} " in
  *-fsanitize*) echo "1..0 # SKIP README links without sanitizers"; exit 0 ;;
esac
if ! pkg-config --version >/dev/null 2>&1; then
  echo "1..0 # SKIP there is no pkg-config"
  exit 0
fi

test "$(wc -l <"$srcdir/README")" -le 150 \
  && test "$(awk 'length > 80' "$srcdir/README" | wc -l)" = 0
result $? "README has at most 150 lines of 80 columns"

. "$srcdir/tests/support/installed.sh"
PATH=$(dirname "$(find "$dest" -name cgw-recode -type f)"):$PATH
PKG_CONFIG_LIBDIR=$(dirname "$(find "$dest" -name cgw.pc)")
PKG_CONFIG_SYSROOT_DIR=$dest
export PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR

mkdir "$dir/here" && cp "$srcdir/examples/first.c" "$dir/here" \
  && cd "$dir/here" || exit 1
sed -n '/^A first profile/,$s/^ *\$ //p' "$srcdir/README" >"$dir/commands"
test "$(wc -l <"$dir/commands")" -ge 5
result $? "README has commands"

while read -r command; do
  program=${command%% *}
  if ! command -v "$program" >/dev/null; then
    skip "$command" "it is not here"
    continue
  fi
  # What cgw-sample says of its samples is no warning.
  sh -c "$command" >out 2>"$log" </dev/null
  status=$?
  grep -v '^cgw-sample: .* sample\|^cgw-sample: threads' "$log" >unexpected
  test $status = 0 && test ! -s unexpected && ! grep 'WARNING' out >>"$log"
  result $? "$command" "$log"
done <"$dir/commands"
echo "1..$number"
test $failures = 0
