# installed.sh - for shell tests of what make install puts in place, after
# tap.sh: the folder $dest has it, as a result of its own says, and the libraries
# in $libdir are found.
#
# From the environment: MAKE.
# SPDX-License-Identifier: MIT

dest=$dir/dest
# The jobs and variables of the make that runs this are not for this one.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
${MAKE-make} install DESTDIR="$dest" >"$dir/install.log" 2>&1
result $? "make install" "$dir/install.log"
libdir=$(dirname "$(find "$dest" -name libcgw.la)")
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
