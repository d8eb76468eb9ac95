#!/bin/sh
# examples/lua.c: a Lua program of several files counts its own calls, and Lua's
# debug library its lines.  The profile must have the same numbers.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
programs=$(cd "${srcdir-.}" && pwd -P)/tests/programs/lua

test -f "$build/.libs/libcgw.so" || skip_all "there is no shared library"
case ${CFLAGS-} in
  *-fsanitize*) skip_all "Lua has no sanitizer" ;;
esac
pkg-config --exists lua5.4 2>/dev/null && command -v lua5.4 >/dev/null \
  || skip_all "there is no lua5.4"

. "${srcdir-.}/tests/examples/annotate.sh"
cp "$programs"/*.lua "$dir" && cd "$dir" || exit 1
# shellcheck disable=SC2046,SC2086 # words
${CC-cc} ${CFLAGS-} ${LDFLAGS-} -shared -fPIC -I"$srcdir/include" \
  "$srcdir/examples/lua.c" -o cgwlua.so $(pkg-config --cflags --libs lua5.4) \
  -L"$build/.libs" -Wl,-rpath,"$build/.libs" -lcgw >log 2>&1
result $? "it compiles" log
LUA_CPATH=./?.so
LUA_PATH=./?.lua
export LUA_CPATH LUA_PATH
unset LUA_INIT LUA_INIT_5_4 LUA_CPATH_5_4 LUA_PATH_5_4
profile=callgrind.out.lua

lua5.4 -l cgwlua main.lua >printed 2>log && test ! -s log
result $? "the program runs" log

"$cgread" --dump $profile >dump
result $? "the strict reader takes the profile" dump

# All but what require calls in C, and the files' own code.  The function of a
# coroutine is called whenever that is resumed.
awk -F '\t' '$1 == "call" { split ($13, c, " ")
    n[$10 ~ /tasks.lua:[1-9]/ ? "coroutine" : $10] += c[1] }
  END { for (f in n) if (f !~ /^\[C\]:-1$|:0$/) print f, n[f] }' dump \
  | sort >got
sed '/^$/d' printed | sort >expected
test "$(wc -l <expected)" -gt 25 && diff expected got >log
result $? "each function was called as often as the program says" log

# Whoever resumes a coroutine calls its function: all costs are inclusive costs of
# the program's first function.
awk -F '\t' '
  $1 == "cost" { all += $8; sum[$4] += $8 }
  $1 == "call" { split ($13, c, " "); sum[$4] += c[2]; called[$10] = 1 }
  END {
    for (f in sum)
      if (!(f in called)) { roots = roots " " f; below += sum[f] }
    print roots ":", below, "of", all
    exit roots != " main.lua:0" || below != all
  }' dump >log
result $? "inclusive costs add up" log

lua5.4 -l lines main.lua | awk -F '\t' 'NF == 3' | sed 's/^\.\///' \
  | sort >expected
awk -F '\t' '$1 == "cost" && $8 > 0 { n[$3 "\t" $7] += $8 }
  END { for (line in n) print line "\t" n[line] }' dump \
  | sed 's/^\.\///' | sort >got
test "$(wc -l <expected)" -gt 60 && diff expected got >log
result $? "each line ran as often as Lua's debug library says" log

# A function that failed ends there: what follows is its caller's.
awk -F '\t' '$1 == "call" && $4 == "sink" { print $10 }' dump | sort -u >got
printf 'count\nhandle\nsink\n' | diff - got >log
result $? "nothing is called from a function that failed" log

# Tail calls are made from where the first call was: those of is_even (101), and
# of is_even (3), which itself takes the place of errors.
awk -F '\t' '$1 == "call" && $10 ~ /^is_(odd|even)$/ { split ($13, c, " ")
    n[$4 " " $10 " " $7] += c[1] }
  END { for (edge in n) print edge, n[edge] }' dump | sort >got
first=$(grep -n '^is_even (101)' main.lua | cut -d : -f 1)
printf '%s\n' "main.lua:0 is_even $((first + 1)) 2" \
  "main.lua:0 is_even $first 51" "main.lua:0 is_odd $((first + 1)) 2" \
  "main.lua:0 is_odd $first 51" | sort >expected
diff expected got >log
result $? "tail calls" log

# Whatever is in new memory, such as Lua's extra space of the main thread.
cp $profile first && MALLOC_PERTURB_=85 lua5.4 -l cgwlua main.lua >log \
  && cmp first $profile
result $? "the same program has the same profile" log

# Out of calls that are open, in a coroutine: seven lines below outer.
cat >exits.lua <<'END_OF_PROGRAM'
function leave (depth)
  if depth == 0 then os.exit (3) end
  leave (depth - 1)
end
function outer () leave (3) end
coroutine.wrap (outer) ()
END_OF_PROGRAM
lua5.4 -l cgwlua exits.lua >log 2>&1
test $? = 3 && test -s $profile
result $? "os.exit writes the profile" log
shows "the calls that os.exit ended" $profile '^0 < exits.lua:leave (3x)' \
  '^7 < exits.lua:outer (1x)'
done_testing
