# merge_files.awk - writes profiles with functions, inlined code, calls and
# jumps at random, some with ids and some without.
#
#   awk -v n=COUNT -v folder=FOLDER -f merge_files.awk
#
# SPDX-License-Identifier: MIT

function below(limit) { return int (rand () * limit) }
function hex(number) { return sprintf ("0x%x", number) }

# Functions of one name in several files, and in several objects.
function fn(k) { return "f" k % 21 }
function file(k) { return "src" k % 5 ".c" }
function object(k) { return k % 3 == 2 ? "???" : "/lib/o" k % 3 }

# A name as a line has it: with an id, or in full.
function spec(kind, name, what) {
  if (!with_ids)
    return name
  if ((kind, what) in ids)
    return "(" ids[kind, what] ")"
  ids[kind, what] = ++last_id[kind]
  return "(" last_id[kind] ") " name
}
function ob(name) { return spec("ob", name, name) }
function fl(name) { return spec("fl", name, name) }
function named(k) { return spec("fn", fn(k), k) }

function put(line) { print line >out }

# The files of a function's line: its own, or that of inlined code.
function source(k) { return below(3) ? file(k) : "inlined" below(3) ".h" }

function header(i) {
  put("version: 1")
  put("pid: " 1000 + i)
  put("cmd: program")
  put("part: 1")
  put("desc: File: " i)
  put("desc: Same: yes")
  put("positions: instr line")
  put("events: Ir Dr")
}

function record(k, kind,  src, at, count, k2, src2) {
  src = source(k)
  put("ob=" ob(object(k)))
  put("fl=" fl(file(k)))
  put("fn=" named(k))
  if (src != file(k))
    put("fi=" fl(src))
  at = hex(4096 * k + below(20)) " " below(9)
  count = 1 + below(9)
  if (kind == 1) {
    k2 = below(42)
    put("cob=" ob(object(k2)))
    put("cfi=" fl(file(k2)))
    put("cfn=" named(k2))
    put("calls=" count " " hex(4096 * k2) " " k2)
  }
  if (kind < 2) {
    put(at " " below(1000) " " below(3))
    return
  }
  k2 = below(2) ? k : (k + 3 * below(14)) % 42
  src2 = k2 == k ? source(k) : file(k2)
  put("jfi=" fl(src2))
  if (k2 != k)
    put("jfn=" named(k2))
  put((kind == 2 ? "jump=" : "jcnd=" below(3) "/") count " " \
      hex(4096 * k2 + below(9)) " " below(9))
  put(at)
}

BEGIN {
  srand (1)
  for (i = 1; i <= n; i++) {
    out = sprintf ("%s/callgrind.out.%d", folder, i)
    with_ids = i % 2
    split ("", ids)
    split ("", last_id)
    header(i)
    for (r = 0; r < 60; r++)
      record(below(42), below(4))
    close (out)
  }
}
