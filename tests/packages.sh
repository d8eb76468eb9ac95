#!/bin/sh
# make check-packages: builds the Debian packages in a temporary folder, asks
# lintian, and builds and runs examples/first.c with what is in them, unpacked
# and not installed.  reprotest builds them and the release tarball twice: at
# another time, in another folder, locale and time zone, with another umask, home,
# number of processors and order of files.  Debian packages that are missing are
# installed.
#
# From the environment: srcdir, CC.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
. "$srcdir/tests/support/checkout.sh"
me=check-packages
. "$srcdir/examples/install-packages.sh"
# shellcheck disable=SC2046 # names are words
install_packages git dpkg-dev debhelper lintian reprotest faketime disorderfs \
  && install_packages $(cd "$srcdir" && dpkg-checkbuilddeps 2>&1 \
    | sed -n 's/.*Unmet build dependencies: //p' | sed 's/([^)]*)//g')
need dpkg-buildpackage lintian git
tree=$dir/libcgw
root=$dir/root

# The jobs and variables of the make that runs this are not for this one.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
mkdir "$root" && copy_checkout "$tree" \
  && cd "$tree" && dpkg-buildpackage -us -uc -b >"$dir/build.log" 2>&1
status=$?
tail -n 40 "$dir/build.log" >"$log"
result $status "dpkg-buildpackage"
lintian --allow-root --fail-on error,warning "$dir"/*.changes >"$log" 2>&1
result $? "lintian finds no error and warns of nothing"

packages='libcgw1 libcgw-dev libcgw-tools'
test "$(dpkg --print-architecture)" != amd64 || packages="$packages cgw-mpi"
for package in $packages; do
  dpkg -x "$dir/$package"_*.deb "$root" >"$log" 2>&1
  result $? "$package is built"
done
! dpkg -c "$dir"/libcgw-tools_*.deb | grep -E 'cgw-mpi|/mpi_' >"$log"
result $? "cgw-mpi is in its own package alone"
test -z "$(find "$root" -name '*.la')"
result $? "no file of libtool's is in them"
for tool in "$root"/usr/bin/*; do
  test -f "$root/usr/share/man/man1/${tool##*/}.1.gz" || echo "$tool"
done >"$log"
test -x "$root/usr/bin/cgw-recode" && test ! -s "$log" \
  && dpkg -c "$dir"/libcgw-tools_*.deb | grep 'man7/cgw-readers[.]7' >>"$log"
result $? "each tool has its manual page"

for tool in "$root"/usr/bin/*; do
  test -f "$root/usr/share/bash-completion/completions/${tool##*/}" \
    || echo "$tool"
done >"$log"
test -f "$root/usr/share/zsh/vendor-completions/_cgw" && test ! -s "$log"
result $? "bash and zsh complete its options" "$log"

libdir=$(dirname "$(find "$root" -name libcgw.so)")

# with_packages COMMAND...: runs it with the unpacked packages in place of
# installed ones.  Not for the builds below, which would find no other library.
with_packages ()
{
  PKG_CONFIG_LIBDIR=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
    PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
    LD_LIBRARY_PATH=$libdir "$@"
}

cd "$dir" || exit 1
# shellcheck disable=SC2046 # flags are words
${CC-cc} -o first "$srcdir/examples/first.c" \
  $(with_packages pkg-config --cflags --libs cgw) >"$log" 2>&1
result $? "examples/first.c is built with them"
with_packages ./first >"$log" 2>&1 && grep -q '^totals: 100$' callgrind.out.first
result $? "and writes its profile"

# reproducible NAME COMMAND FILES
reproducible ()
{
  for tool in reprotest faketime disorderfs; do
    command -v $tool >/dev/null || { skip "$1" "there is no $tool"; return; }
  done
  rm -rf "$dir/twice"
  mkdir "$dir/twice" && copy_checkout "$dir/twice/libcgw" \
    && cd "$dir/twice" \
    && SOURCE_DATE_EPOCH=$(git -C "$srcdir" log -1 --format=%ct) \
      DEB_BUILD_OPTIONS=nocheck \
      reprotest --no-diffoscope --vary=-user_group,-domain_host \
      -c "$2" libcgw "$3" -- null >"$dir/reprotest.log" 2>&1
  status=$?
  tail -n 40 "$dir/reprotest.log" >"$log"
  result $status "$1"
}
reproducible "all builds make the same packages" \
  'dpkg-buildpackage -us -uc -b' '../*.deb'
reproducible "all builds make the same tarball" \
  'autoreconf -i && ./configure && make dist' 'libcgw-*.tar.gz'
done_testing
