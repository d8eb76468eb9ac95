# kcachegrind.sh - for shell tests: whether kcachegrind opens a profile.
#
# SPDX-License-Identifier: MIT

has_kcachegrind ()
{
  command -v kcachegrind >/dev/null && command -v dbus-run-session >/dev/null
}

# kcachegrind_opens FILE LOG: it says that it selected a function, such as main
# (so a program must have symbols), and has nothing to say about the loading.
# A home for it is made in $dir.  It goes on for ever, so it is stopped when it
# has said something; the 60 seconds are for a file with which it does neither,
# and for a very busy machine.
kcachegrind_opens ()
{
  mkdir -p "$dir/home/run" && chmod 700 "$dir/home/run"
  : >"$2"
  HOME=$dir/home XDG_RUNTIME_DIR=$dir/home/run LANG=C.UTF-8 LC_ALL=C.UTF-8 \
    QT_QPA_PLATFORM=offscreen timeout -k 1 60 \
    dbus-run-session -- kcachegrind "$1" >/dev/null 2>"$2" &
  pid=$!
  until grep -q 'Selected\|Loading' "$2"; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.1
  done
  kill $pid 2>/dev/null
  { wait $pid; } 2>/dev/null
  grep -q Selected "$2" && ! grep -q Loading "$2"
}
