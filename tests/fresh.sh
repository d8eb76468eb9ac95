#!/bin/sh
# make check-fresh: in fresh minimal Debian systems of this one's release, an
# ordinary user who may use sudo runs the commands of README, copied out of it;
# the release tarball is built without autoconf; the Debian packages are built,
# installed, tested as autopkgtest would, and removed; and root runs tests/run
# --all in a clone, of the last commit, and finds only what debootstrap has put
# there.  The output of the last command stays in fresh.log.  Installs debootstrap
# if it is missing.
#
# From the environment: srcdir; FRESH_BASE, a tarball of the minimal system,
# which is written if it is missing; TMPDIR, for 5 GB, not mounted with nosuid.
# SPDX-License-Identifier: MIT

srcdir=$(cd "${srcdir-.}" && pwd) || exit 1
TMPDIR=${TMPDIR-/var/tmp}
export TMPDIR
. "$srcdir/tests/support/tap.sh"
. "$srcdir/tests/support/checkout.sh"
ulimit -S -v unlimited # AddressSanitizer needs more.
me=check-fresh
. "$srcdir/examples/install-packages.sh"
install_packages debootstrap git
need debootstrap unshare apt-get git
# A minimal system of this release, and the same mirrors.
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
sources () # FORMAT FILTER...
{
  format=$1
  shift
  apt-get indextargets --format "$format" 'Created-By: Packages' \
    'Origin: Debian' "$@"
}
mirror=$(sources '$(REPO_URI)' "Release: $suite" | head -n 1)
if test "$(id -u)" != 0 || ! unshare --mount --pid --fork true; then
  skip_all "only root can do it"
elif test -z "$mirror"; then
  skip_all "apt knows no mirror of Debian's (apt-get update)"
fi
log=$build/fresh.log
debs=$dir/debs

# inside COMMAND...: runs it as root in the system $root, with the folders $ours
# of this one.  All it mounts and starts ends with it.  Packages are downloaded
# once for all systems.
ours=
inside ()
{
  # The root is a mount of its own, or the tests could not mount anything.
  unshare --mount --pid --fork --kill-child sh -c '
    mount --bind "$0" "$0" || exit
    for folder in $2; do
      mount --rbind "$folder" "$0$folder" || exit
    done
    mount -t proc proc "$0/proc" && mount -t devpts devpts "$0/dev/pts" \
      && mount --bind "$1" "$0/var/cache/apt/archives" && cd "$0" && shift 2 \
      && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        DEBIAN_FRONTEND=noninteractive chroot . "$@"
    ' "$root" "$debs" "$ours" "$@" </dev/null
}

# as_user LINE: runs a line of shell as the user, in the copy of the checkout.
as_user ()
{
  inside su - user -c "cd libcgw && $1"
}

install () # PACKAGE...
{
  inside apt-get -q -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@"
}

# minimal: makes a new system $root, which has nothing but knows the mirrors.
minimal ()
{
  test -z "${root-}" || rm -rf "$root"
  root=$dir/root
  mkdir "$root" && tar -C "$root" -xpf "$base" \
    && cp /etc/resolv.conf /etc/hosts "$root/etc" \
    && sources 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
      >"$root/etc/apt/sources.list" \
    && apt-config dump | grep '^Acquire::' | grep -v '::IndexTargets' \
      >"$root/etc/apt/apt.conf.d/90host"
}

# fresh PACKAGE...: makes one with the packages, a user and the checkout.
fresh ()
{
  minimal && inside apt-get -q update && install sudo "$@" \
    && inside useradd -m -s /bin/sh user \
    && echo 'user ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/user" \
    && copy_checkout "$root/home/user/libcgw" \
    && inside chown -R user: /home/user
}

# ended STATUS NAME: a result, with the end of $log.
ended ()
{
  tail -n 30 "$log" >"$dir/end"
  result "$1" "$2" "$dir/end"
}

# calm STATUS NAME: the command ended well, and its output, in $log, has nothing
# that alarms.  debconf regrets that the system is minimal; and what cgw-sample
# says of its threads may have a reason.
alarms='warning[: ]|error:|failed|denied|unable to|cannot|no such|consider '
calm ()
{
  grep -iE "$alarms|^debconf:" "$log" \
    | grep -v '^debconf: delaying package config\|^cgw-sample: threads' \
      >"$dir/alarms"
  test "$1" = 0 && test ! -s "$dir/alarms"
  status=$?
  cat "$dir/alarms" >>"$log"
  ended $status "$2"
}

mkdir "$debs"
base=${FRESH_BASE:-$dir/base.tar}
if ! test -f "$base"; then
  unshare --mount debootstrap --variant=minbase "$suite" "$dir/base" \
    "$mirror" >"$log" 2>&1 \
    && tar -C "$dir/base" -cf "$base.tmp" . && mv "$base.tmp" "$base"
  ended $? "debootstrap makes a minimal $suite"
  rm -rf "$dir/base"
fi

## README.  The user may use sudo, and can read manuals.

fresh man-db >"$log" 2>&1
ended $? "README: a fresh system"
readme=$root/home/user/libcgw/README

command=$(sed -n 's/^  \([a-z]*\/quickstart\)  .*/\1/p' "$readme")
as_user "${command:-false}" >"$log" 2>&1
calm $? "$command"
# Its last lines are commands, too.
sed -n '/^==> Done/,$s/^  //p' "$log" | grep -v '^kcachegrind' \
  >"$dir/commands"
sed -n 's/^ *\$ //p' "$readme" >>"$dir/commands"
test "$(wc -l <"$dir/commands")" = 9
result $? "README and quickstart have commands" "$dir/commands"

sed -n '/^    \/\* first\.c/,/^    }/s/^    //p' "$readme" \
  >"$root/home/user/libcgw/first.c"
while read -r command; do
  as_user "$command" >"$log" 2>&1
  calm $? "$command"
  case $command in
    callgrind_annotate*first)
      grep -q '^100 .*PROGRAM TOTALS' "$log" && grep -q 'work (3x)' "$log"
      result $? "main calls work three times" ;;
    callgrind_annotate*)
      grep -q '^[1-9].*PROGRAM TOTALS' "$log"
      result $? "there are samples" ;;
  esac
done <"$dir/commands"
as_user "ldd first" >"$log" 2>&1 && grep -q 'libcgw\.so.*/usr/local/' "$log"
result $? "first uses the library that was installed"

# Without an MPI, cgw-mpi is not built.
{
  grep -o 'man cgw[a-z_]*' "$readme"
  sed -n 's/^  \(cgw-[a-z]*\)  .*/man \1/p' "$readme"
} | grep -vx 'man cgw-mpi' | sort -u >"$dir/commands"
test "$(wc -l <"$dir/commands")" -ge 9
result $? "README names manual pages" "$dir/commands"
while read -r command; do
  as_user "MANOPT=--warnings $command" >"$dir/page" 2>"$log"
  test $? = 0 && test ! -s "$log" && grep -q "${command#man }" "$dir/page"
  result $? "$command"
done <"$dir/commands"

## The release tarball.

as_user 'make dist' >"$log" 2>&1
calm $? "make dist"
mv "$root"/home/user/libcgw/libcgw-*.tar.gz "$dir/release.tar.gz"
fresh gcc libc6-dev make >"$log" 2>&1
ended $? "the tarball: a system without autoconf"
rm -r "$root/home/user/libcgw"
cp "$dir/release.tar.gz" "$root/home/user" \
  && inside su - user -c 'tar -xf release.tar.gz && mv libcgw-* libcgw'
result $? "it is unpacked"
as_user 'command -v autoconf || command -v automake || command -v libtoolize' \
  >"$log"
test $? != 0
result $? "there is no autoconf, automake or libtool"
command=$(sed -n 's/^ *\$ \(\.\/configure\)/\1/p' "$srcdir/README")
as_user "${command:-false}" >"$log" 2>&1
calm $? "$command"
as_user 'cc examples/first.c -o first -lcgw && ./first' >"$log" 2>&1
calm $? "examples/first.c is built with what it installed"

## The Debian packages: built, and put into a folder from which apt installs.

fresh >"$log" 2>&1
ended $? "the packages: a system with nothing"
inside sh -c 'cd ~user/libcgw && apt-get -q -y build-dep .' >"$log" 2>&1 \
  && as_user 'dpkg-buildpackage -us -uc -b && cd .. && mkdir packages \
    && mv *.deb packages && cd packages && dpkg-scanpackages . >Packages' \
    >"$log" 2>&1
ended $? "they are built with their Build-Depends"
mv "$root/home/user/packages" "$dir/packages"
result $? "apt gets them"

# field TEST NAME: a field of debian/tests/control.
field ()
{
  awk -v RS= -v test="$1" '$0 ~ "(^|\n)Tests: " test "\n"' \
    "$srcdir/debian/tests/control" | sed -n "s/^$2: //p"
}
files ()
{
  inside find / -xdev \( -path /home -o -path /var/cache -o -path /var/log \
    -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort
}
own=$(sed -n 's/^Package: //p' "$srcdir/debian/control")

# As autopkgtest would: with what Depends names, and nothing on stderr.
for name in $(sed -n 's/^Tests: //p' "$srcdir/debian/tests/control"); do
  depends=$(field "$name" Depends | tr -d ,)
  others=$(printf '%s\n' $depends | grep -vxF "$own")
  fresh $others >"$log" 2>&1
  ended $? "debian/tests/$name: a system with$(printf ' %s' $others)"
  files >"$dir/before"
  cp -r "$dir/packages" "$root/srv" \
    && echo 'deb [trusted=yes] file:/srv/packages ./' \
      >>"$root/etc/apt/sources.list" \
    && inside apt-get -q update >"$log" 2>&1 && install $depends >>"$log" 2>&1
  calm $? "apt installs libcgw's packages"
  as_user "mkdir ../tmp && AUTOPKGTEST_TMP=\$HOME/tmp debian/tests/$name" \
    >"$log" 2>"$dir/stderr"
  status=$?
  cat "$dir/stderr" >>"$log"
  case $(field "$name" Restrictions) in
    *allow-stderr*) ;;
    *) test ! -s "$dir/stderr" || status=1 ;;
  esac
  ended $status "debian/tests/$name"
  # shellcheck disable=SC2086 # names are words
  inside apt-get -q -y --autoremove purge $own >"$log" 2>&1
  calm $? "apt removes them"
  rm -rf "$root/srv/packages"
  files | diff "$dir/before" - >"$log"
  result $? "and nothing is left"
done

## tests/run installs all that the tests need.

minimal >"$log" 2>&1 && git clone "$srcdir" "$root/root/libcgw" >>"$log" 2>&1
ended $? "tests/run --all: a system with nothing"
ours='/sys /dev'
inside /root/libcgw/tests/run --all >"$log" 2>&1
ended $? "tests/run --all"
done_testing
