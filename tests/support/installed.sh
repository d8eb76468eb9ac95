# installed.sh - for shell tests of what make install puts in place, after
# tap.sh: the folder $dest has it, as tests/local.am says; its programs are in
# $bindir and found by PATH, the libraries are in $libdir and found, too.  The tests
# share it: none may change it.
#
# SPDX-License-Identifier: MIT

dest=$(pwd)/installed.out
bindir=$(dirname "$(find "$dest" -path '*/bin/cgw-recode')")
libdir=$(dirname "$(find "$dest" -name libcgw.la)")
PATH=$bindir:$PATH
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH LD_LIBRARY_PATH
