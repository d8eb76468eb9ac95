# checkout.sh - for shell tests of a whole checkout, before tap.sh.
#
# From the environment: srcdir, an absolute path.
# SPDX-License-Identifier: MIT

# need PROGRAM...: skips the test without one of them, or outside a checkout.
need ()
{
  for program; do
    if ! command -v "$program" >/dev/null; then
      echo "1..0 # SKIP there is no $program"
      exit 0
    fi
  done
  if ! git -C "$srcdir" ls-files --error-unmatch debian/control \
    >/dev/null 2>&1; then
    echo "1..0 # SKIP debian/ is in a checkout only"
    exit 0
  fi
}

# copy_checkout FOLDER: makes the folder, with all files that git knows, as they
# are in the checkout.
copy_checkout ()
{
  mkdir "$1" && (cd "$srcdir" && git ls-files -z | tar -c --null -T -) \
    | tar -x -C "$1"
}
