#!/bin/sh
# Every source of the library compiles as it is, without configure and without
# a warning, by each compiler that is here, also for 32 bits and for musl; and
# what was compiled so takes files of more than 4 GiB.
#
# From the environment: srcdir.
# SPDX-License-Identifier: MIT

srcdir=$(cd "${srcdir-.}" && pwd) || exit 1
. "$srcdir/tests/support/tap.sh"

# The sources, as lib/local.am lists them.
awk '/^(ground|writer|profile)_sources = / { on = 1 }
  on { for (i = 1; i <= NF; i++) if ($i ~ /\.c$/) print $i }
  !/\\$/ { on = 0 }' "$srcdir/lib/local.am" | sort >"$dir/listed"
(cd "$srcdir" && find lib -name '*.c') | sort >"$dir/found"

# A profile over an old file of 5 GiB, and one behind its end.
cat >"$dir/large.c" <<'END'
#define _FILE_OFFSET_BITS 64
#include <cgw.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE (UINT64_C (5) << 30)

static int
records (struct cgw_writer *w)
{
  struct cgw_event event = { "Ir", 0, 0 };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_pos pos = { { 0 }, { 0 }, 1, 0 };
  uint64_t cost = 1;

  part.events = &event;
  part.n_events = 1;
  return cgw_begin_part (w, &part) != CGW_OK
         || cgw_cost (w, &pos, &cost, 1) != CGW_OK
         || cgw_finish (w) != CGW_OK;
}

int
main (int argc, char **argv)
{
  struct cgw_names *names;
  struct cgw_writer *w;
  struct stat st;
  pid_t child;
  int status;
  int fd = open (argv[argc - 1], O_RDWR | O_CREAT, 0600);

  if (fd == -1 || ftruncate (fd, LARGE) != 0)
    return 77;
  if (cgw_names_new (&names, NULL) != CGW_OK
      || lseek (fd, LARGE, SEEK_SET) == -1
      || cgw_new (&w, names, fd, NULL) != CGW_OK || records (w) != 0)
    return 1;
  cgw_free (w);
  if (fstat (fd, &st) != 0 || (uint64_t) st.st_size < LARGE + 50)
    return 2;
  if (cgw_create (&w, names, argv[argc - 1], NULL) != CGW_OK || records (w) != 0)
    return 3;
  /* A child finds that this is its parent's file: all sources must agree on
     how long an inode's number is.  */
  child = fork ();
  if (child == 0)
    _exit (cgw_recreate (w, argv[argc - 1]));
  if (child == -1 || waitpid (child, &status, 0) != child
      || !WIFEXITED (status) || WEXITSTATUS (status) != CGW_EFILE)
    return 5;
  cgw_free (w);
  return fstat (fd, &st) != 0 || st.st_size > 4096 ? 4 : 0;
}
END

# All sources, in a folder of their own.
compile () # COMPILER-AND-FLAGS...
{
  rm -rf "$dir/objects"
  mkdir "$dir/objects" || return
  (cd "$dir/objects" && sed "s#^#$srcdir/#" ../listed \
    | xargs "$@" -std=c11 -Wall -Wextra -I"$srcdir/include" -c) \
    >"$dir/messages" 2>&1
  status=$?
  sed 's/^/# /' "$dir/messages"
  test $status = 0 && test ! -s "$dir/messages"
}

large_files () # COMPILER-AND-FLAGS...
{
  "$@" -I"$srcdir/include" "$dir/large.c" "$dir"/objects/*.o -pthread \
    -o "$dir/large" && "$dir/large" "$dir/profile"
  status=$?
  rm -f "$dir/profile"
  test $status = 0 || echo "# it ended with $status"
  return $status
}

try () # NAME COMPILER-AND-FLAGS...
{
  name=$1
  shift
  echo 'int main (void) { return 0; }' >"$dir/trial.c"
  if ! "$@" -o "$dir/trial" "$dir/trial.c" >"$dir/messages" 2>&1; then
    skip "$name: each source without a warning" "there is no such compiler"
    skip "$name: files of more than 4 GiB" "there is no such compiler"
    return
  fi
  compile "$@"
  result $? "$name: each source without a warning"
  if "$dir/trial"; then
    large_files "$@"
    case $? in
      77) skip "$name: files of more than 4 GiB" "the file system has none" ;;
      *) result $status "$name: files of more than 4 GiB" ;;
    esac
  else
    skip "$name: files of more than 4 GiB" "its programs do not run here"
  fi
}

test -s "$dir/listed" && diff "$dir/listed" "$dir/found" | sed 's/^/# /'
cmp -s "$dir/listed" "$dir/found"
result $? "lib/local.am lists the sources that lib/ has"

# The guard of features.h is defined, so that it asks for nothing.
cp "$dir/listed" "$dir/all"
grep -v '^lib/platform\.c$' "$dir/all" >"$dir/listed"
compile gcc -DCGWI_FEATURES_H -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64
result $? "each source but platform.c uses POSIX alone"
mv "$dir/all" "$dir/listed"

try gcc gcc
try "gcc -O2" gcc -O2
try clang clang
try "clang -O2" clang -O2
# Debian's gcc-multilib cannot be installed beside its cross compilers; one of
# these is for the same processor.  (-Wno-psabi: as in configure.ac.)
if gcc -m32 -o "$dir/trial" -x c - 2>/dev/null <<'END'
#include <errno.h>
int main (void) { return errno; }
END
then
  try "32 bits" gcc -m32 -Wno-psabi
else
  try "32 bits" i686-linux-gnu-gcc -static -Wno-psabi
fi
try musl musl-gcc -static
done_testing
