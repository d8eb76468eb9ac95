# kcachegrind.sh - for shell tests: whether kcachegrind opens a profile.
#
# SPDX-License-Identifier: MIT

has_kcachegrind ()
{
  command -v kcachegrind >/dev/null && command -v dbus-run-session >/dev/null
}

# kcachegrind_says WORD FILE LOG: it does while it loads the file.  A home for it
# is made in $dir.  It goes on for ever, so it is stopped when it has said that,
# or something about the loading; the 60 seconds are for a file with which it
# does neither, and for a very busy machine.
kcachegrind_says ()
{
  mkdir -p "$dir/home/run" && chmod 700 "$dir/home/run"
  : >"$3"
  HOME=$dir/home XDG_RUNTIME_DIR=$dir/home/run LANG=C.UTF-8 LC_ALL=C.UTF-8 \
    QT_QPA_PLATFORM=offscreen timeout -k 1 60 \
    dbus-run-session -- kcachegrind "$2" >/dev/null 2>"$3" &
  pid=$!
  until grep -q "$1\|Loading" "$3"; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.1
  done
  kill $pid 2>/dev/null
  { wait $pid; } 2>/dev/null
  grep -q "$1" "$3"
}

# kcachegrind_opens FILE LOG: it says that it selected a function, such as main
# (so a program must have symbols), and has nothing to say about the loading.
kcachegrind_opens ()
{
  kcachegrind_says Selected "$1" "$2" && ! grep -q Loading "$2"
}
