# merge_files.awk - writes profiles with functions, inlined code, calls and
# jumps at random, some with ids and some without, and prints what they say as
# cgread --dump does, but record by record.
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

function record(k, kind,  src, at, where, a, b, count, k2, src2, to) {
  src = source(k)
  put("ob=" ob(object(k)))
  put("fl=" fl(file(k)))
  put("fn=" named(k))
  if (src != file(k))
    put("fi=" fl(src))
  at = hex(4096 * k + below(20)) " " below(9)
  where = at; sub (/ /, "\t", where)
  where = object(k) "\t" file(k) "\t" fn(k) "\t" src "\t" where
  a = below(1000); b = below(3); count = 1 + below(9)
  if (kind == 0) {
    put(at " " a " " b)
    print "cost\t" where "\t" a " " b
    return
  }
  if (kind == 1) {
    k2 = below(42)
    to = hex(4096 * k2) " " k2
    put("cob=" ob(object(k2)))
    put("cfi=" fl(file(k2)))
    put("cfn=" named(k2))
    put("calls=" count " " to)
    put(at " " a " " b)
    sub (/ /, "\t", to)
    print "call\t" where "\t-> " object(k2) "\t" file(k2) "\t" fn(k2) "\t" to \
      "\t" count " " a " " b
    return
  }
  k2 = below(2) ? k : (k + 3 * below(14)) % 42
  src2 = k2 == k ? source(k) : file(k2)
  to = hex(4096 * k2 + below(9)) " " below(9)
  put("jfi=" fl(src2))
  if (k2 != k)
    put("jfn=" named(k2))
  put(kind == 2 ? "jump=" count " " to : "jcnd=" b "/" count " " to)
  put(at)
  sub (/ /, "\t", to)
  print "jump\t" where "\t-> " object(k2) "\t" file(k2) "\t" fn(k2) "\t" src2 \
    "\t" to "\t" (kind == 2 ? "always\t" count " 0" \
                            : "conditional\t" count " " b)
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
