#!/bin/sh
# report_page.sh - the page of cgw-report --html in headless Chromium, with
# profiles that report_fixtures.mjs makes: what it shows, by pointer and by
# keyboard, on a screen, a phone and paper; and that names in it are harmless.
#
# From the environment: srcdir; NODE_PATH, where playwright-core is; CGW_SHOTS, a
# folder that is to get a picture of each view.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
command -v node >/dev/null || skip_all "there is no node"
node -e 'require ("playwright-core")' 2>/dev/null \
  || skip_all "node has no playwright-core"
for name in chromium chromium-browser google-chrome; do
  CHROMIUM=$(command -v $name) && break
done
test -n "$CHROMIUM" || skip_all "there is no Chromium"

# It reserves terabytes of addresses, and keeps files in the home folder.
ulimit -S -v unlimited
HOME=$dir
TMPDIR=$dir
export CHROMIUM HOME TMPDIR srcdir

node "$srcdir/tests/examples/report_page.mjs" >"$dir/out" 2>"$dir/log"
status=$?
while IFS= read -r line; do
  case $line in
    'ok - '*) result 0 "${line#ok - }" ;;
    'not ok - '*) result 1 "${line#not ok - }" /dev/null ;;
    *) echo "$line" ;;
  esac
done <"$dir/out"
test $status -le 1 && test ! -s "$log"
result $? "all tests ran"
done_testing
