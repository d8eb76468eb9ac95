#!/bin/sh
# The examples of the format's document, as spec_fixtures writes them: their
# bodies must be those of the document, byte for byte.  The header lines that
# libcgw always writes and blank lines are left aside.
#
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
fixtures=$build/tests/format/spec_fixtures
cd "$dir" || exit 1

# Compares the body of a fixture with standard input.
same_body () # FIXTURE NAME
{
  cat >"$dir/expected"
  sed -e '/^# callgrind format$/d' -e '/^$/d' \
      -e '/^[a-z]*:/d' "$dir/$1.callgrind" >"$dir/body"
  diff "$dir/expected" "$dir/body" >"$dir/diff" 2>&1
  status=$?
  sed 's/^/# /' "$dir/diff"
  result $status "$2"
}


"$fixtures"
result $? "spec_fixtures writes all files"

same_body simple "simple example" <<'END'
fl=file.f
fn=main
15 90 14 2
16 20 12
END

same_body extended "extended example" <<'END'
fl=file1.c
fn=main
16 20
cfn=func1
calls=1 50
16 400
cfi=file2.c
cfn=func2
calls=3 20
16 400
fn=func1
51 100
cfi=file2.c
cfn=func2
calls=2 20
51 300
fl=file2.c
fn=func2
20 700
END

names='fl=(1) file1.c
fn=(1) main
16 20
cfn=(2) func1
calls=1 50
16 400
cfi=(2) file2.c
cfn=(3) func2
calls=3 20
16 400
fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
51 300
fl=(2)
fn=(3)
20 700'

same_body names "name compression" <<END
$names
END

# The document defines the ids ahead; KCachegrind would then put all three
# functions into file2.c.  What follows the definitions is the same.
same_body predefined "name compression with comments" <<END
# define file ID mapping
# define function ID mapping
$names
END

# The document has no fl= here; libcgw always writes it, for
# callgrind_annotate stumbles over a function without a file.
same_body absolute "absolute subpositions" <<'END'
fl=???
fn=func
0x80001234 90 1
0x80001237 90 5
0x80001238 91 6
END

# The document has "+1 +1 6": "91" is as short as "+1".
same_body relative "relative subpositions" <<'END'
fl=???
fn=func
0x80001234 90 1
+3 * 5
+1 91 6
END

# The header's lines, in the order that all readers take.
sed -n '/^creator:/d; /^[#a-z].*:/p' "$dir/header.callgrind" >"$dir/header"
diff - "$dir/header" <<'END'
version: 1
positions: line
event: Ir : Instruction Fetches
event: Sum = Ir + Dr
events: Ir Dr
summary: 100 20
totals: 90 14
END
result $? "long name, derived event and summary"

# Every fixture begins with the mark of the format.
status=0
for file in "$dir"/*.callgrind; do
  test "$(head -n 1 "$file")" = "# callgrind format" || status=1
done
result $status "the first line is the format's mark"

# The same calls give the same bytes.
mkdir again && (cd again && "$fixtures")
status=$?
for file in "$dir"/*.callgrind; do
  cmp -s "$file" "$dir/again/${file##*/}" || status=1
done
result $status "a second run writes the same bytes"
done_testing
