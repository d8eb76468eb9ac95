#!/bin/sh
# refusals.sh - what the tools refuse, with the status and the words of
# refusals.cases, leaves everything as it was.
# SPDX-License-Identifier: MIT
#
# From the environment: srcdir.  In the build folder: the tools.

. "${srcdir-.}/tests/support/tap.sh"
tools=$(pwd)/examples/tools
cases=$(cd "${srcdir-.}" && pwd)/tests/examples/refusals.cases
mkdir "$dir/here" "$dir/here/folder"
cd "$dir/here" || exit 1
log=../log

# says: what the tool said, in one line, and whether it printed the usage.
says ()
{
  said= usage=no
  while IFS= read -r line; do
    case $line in
      *": warning: "*) ;;
      "Usage: cgw-$tool "*) usage=yes; break ;;
      *) said="$said${said:+ // }${line#"cgw-$tool: "}" ;;
    esac
  done <../err
}

# files: sets $files to the names in this folder.
files ()
{
  set -- *
  files=$*
}

# refused TOOL ARGUMENTS STATUS MESSAGE
refused ()
{
  tool=$1 status=$3
  name="cgw-$1 $2: $4"
  program=$tools/$tool/cgw-$tool
  if ! test -x "$program"; then
    skip "$name" "cgw-$tool was not built"
    return
  fi
  case $2 in
    */dev/full*)
      if ! test -c /dev/full; then
        skip "$name" "there is no /dev/full"
        return
      fi ;;
  esac
  case $tool in
    mpi | qemu | sample | trace) wrong=125 fails=125 ;;
    lint) wrong=2 fails=2 ;;
    *) wrong=2 fails=1 ;;
  esac
  wants_usage=no
  case $3 in
    usage) status=$wrong wants_usage=yes ;;
    fails) status=$fails ;;
  esac
  echo before >out
  files
  before=$files
  eval "\"\$program\" $2" <in >../stdout 2>../err
  code=$?
  says
  case $said in "$4" | $4) ;; *) code="$code: $said" ;; esac
  test "$code" = $status && test $usage = $wants_usage && ! test -s ../stdout \
    && files && test "$files" = "$before" && read -r line <out \
    && test "$line" = before
  result $? "$name" ../err
}

all='export import lint merge mpi qemu recode report sample trace'
sed -e ':join' -e '$!N; s/\n  */ /; t join' -e 'P; D' "$cases" >../cases
while IFS= read -r line <&3; do
  case $line in
    '' | '#'*) continue ;;
    'file '*)
      line=${line#file }
      # shellcheck disable=SC2059 # it is a format
      printf "${line#* }" >"${line%% *}"
      continue ;;
    '< '*) line="$command $line" ;;
  esac
  message=${line#* => } command=${line%% => *}
  : >in
  case $command in
    # shellcheck disable=SC2059
    *' < '*) printf "${command#* < }" >in; command=${command%% < *} ;;
  esac
  arguments=${command#"${command%% *}"}
  case ${command%% *} in
    all) list=$all ;;
    writers) list=$(echo "$all" | sed 's/lint //') ;;
    *) list=$(echo "${command%% *}" | tr , ' ') ;;
  esac
  for tool in $list; do
    refused $tool "${arguments# }" "${message%% *}" "${message#* }"
  done
done 3<../cases
done_testing
