# checkout.sh - for shell tests of a whole checkout, after tap.sh.
#
# From the environment: srcdir, an absolute path.
# SPDX-License-Identifier: MIT

# need PROGRAM...: skips the test without one of them, or outside a checkout.
need ()
{
  for program; do
    command -v "$program" >/dev/null || skip_all "there is no $program"
  done
  git -C "$srcdir" ls-files --error-unmatch debian/control >/dev/null 2>&1 \
    || skip_all "debian/ is in a checkout only"
}

# copy_checkout FOLDER: makes the folder, with all files that git knows, as they
# are in the checkout.
copy_checkout ()
{
  mkdir "$1" && (cd "$srcdir" && git ls-files -z | tar -c --null -T -) \
    | tar -x -C "$1"
}
