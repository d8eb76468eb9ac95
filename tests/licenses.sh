#!/bin/sh
# licenses.sh - each file of the repository names its license, but for those
# that have no comments, texts, and what profilers wrote: for these,
# debian/copyright does.
#
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
git -C "$srcdir" ls-files --error-unmatch COPYING >/dev/null 2>&1 \
  || skip_all "this is no checkout"

(cd "$srcdir" && git grep -L 'SPDX-License-Identifier: MIT' -- . \
  ':!COPYING' ':!ChangeLog' ':!*README' ':!*.png' ':!debian/changelog' \
  ':!debian/copyright' ':!debian/source' ':!debian/lib*' \
  ':!tests/fuzz/seeds' ':!tests/recordings') \
  >"$dir/without"
test ! -s "$dir/without"
result $? "each source has its tag" "$dir/without"
grep -q '^Files: \*$' "$srcdir/debian/copyright" \
  && grep -q '^MIT License$' "$srcdir/COPYING"
result $? "debian/copyright and COPYING cover the rest" "$srcdir/COPYING"
done_testing
