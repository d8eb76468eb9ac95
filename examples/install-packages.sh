# install-packages.sh - sourced by examples/quickstart and tests/run: puts the
# Debian packages in place that a machine lacks.
# SPDX-License-Identifier: MIT
#
# shellcheck shell=sh
# The script that sources this sets $me, the name its messages begin with.

say () { printf '%s: %s\n' "$me" "$*"; }
die () { printf '%s: %s\n' "$me" "$*" >&2; exit 1; }

# missing_packages NAME...: prints those that are not installed.
missing_packages () {
  for package; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
      installed) ;;
      *) printf ' %s' "$package" ;;
    esac
  done
}

# as_root COMMAND...: sudo asks for a password only where someone can answer.
as_root () {
  if test "$(id -u)" -eq 0; then
    env DEBIAN_FRONTEND=noninteractive "$@" </dev/null
  elif test -t 0; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo -n env DEBIAN_FRONTEND=noninteractive "$@" </dev/null
  fi
}

# can_be_root: false when neither root nor sudo is to be had.
can_be_root () {
  test "$(id -u)" -eq 0 && return 0
  command -v sudo >/dev/null 2>&1 || return 1
  if test -t 0; then sudo -v; else sudo -n true 2>/dev/null; fi
}

# explain_full_disk DIRECTORY...: names the full file systems, if any is.
explain_full_disk () {
  for directory; do
    free=$(df -Pk "$directory" 2>/dev/null | awk 'NR == 2 { print $4 }')
    if test "${free:-100000}" -lt 4096; then
      printf '%s: the disk is full: %s kB are free for %s\n' \
        "$me" "$free" "$directory" >&2
    fi
  done
}

# install_packages NAME...: calls apt-get only when something is missing.
install_packages () {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null
  then
    say "not a Debian system: its own packages must provide these: $*"
    return 0
  fi
  missing=$(missing_packages "$@")
  if test -z "$missing"; then
    say "all packages are installed"
    return 0
  fi
  say "to install:$missing"
  can_be_root || die "installing packages needs root or sudo; run as root:
  apt-get update && apt-get install --no-install-recommends$missing"
  # $missing is a list of words.
  # shellcheck disable=SC2086
  if ! as_root apt-get -q -o Acquire::Retries=3 update \
    || ! as_root apt-get -q -y -o Acquire::Retries=3 \
      -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
      install --no-install-recommends $missing
  then
    explain_full_disk / /usr /var/lib /var/cache
    die "apt-get failed, its messages above say why; wanted:$missing"
  fi
}
