# coverage.py - after make check in a build with --enable-coverage: prints which
# lines and branches of lib/, and which lines of the tools, no test ran, but for
# what coverage.list names; and fails below the limits.  The last line is
# "N passed, N failed".
#
#   coverage.py SRCDIR
#
# From the environment: GCOV, by default gcov, which must be the compiler's.
# SPDX-License-Identifier: MIT

import collections
import json
import os
import re
import subprocess
import sys

# Of what must have run how much, in percent; what matters most is printed last.
# Only tools have folders, not lessons.
LIB, TOOLS = re.compile("lib/"), re.compile("examples/tools/")
LIMITS = [
    ("the tools", TOOLS, "lines", 95),
    ("lib/", LIB, "branches", 98),
    ("lib/", LIB, "lines", 100),
]


class Line:
    """How often a line, and each branch at its end, was run."""

    def __init__(self):
        self.count = 0
        self.branches = collections.Counter()


def read_counts(srcdir):
    """The lines of each file by their numbers.  What is compiled many times,
    as headers are, has the sum of all."""
    objects = sorted(os.path.join(folder, name)
                     for folder, _, names in os.walk(".")
                     for name in names if name.endswith(".gcno"))
    if not objects:
        sys.exit("make coverage: first configure --enable-coverage,"
                 " and make check")
    files = {}
    for text in run_gcov(objects).splitlines():
        for file in json.loads(text)["files"]:
            name = os.path.relpath(os.path.realpath(file["file"]), srcdir)
            if LIB.match(name) or TOOLS.match(name):
                add_counts(files.setdefault(name, {}), file["lines"])
    return files


def run_gcov(objects):
    """What gcov prints.  It ends with an error if counters are of an earlier
    build, whose lines and branches may have been others."""
    gcov = subprocess.run(
        [os.environ.get("GCOV", "gcov"), "--json-format", "--stdout",
         "--branch-probabilities", *objects],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    if gcov.returncode != 0:
        sys.exit("make coverage: gcov cannot use all counters:\n"
                 f"{gcov.stderr}"
                 "If they are of an earlier build, remove them, and make check"
                 " again:\n  find . -name '*.gcda' -delete")
    return gcov.stdout


def add_counts(lines, more):
    """Adds up what gcov says of one file in one object."""
    for one in more:
        line = lines.setdefault(one["line_number"], Line())
        line.count += one["count"]
        # The others are left by C++ exceptions alone.
        ways = [way for way in one["branches"] if not way["throw"]]
        for i, way in enumerate(ways):
            line.branches[i] += way["count"]


def read_list(name):
    """The entries of the list: a file, a kind and a source."""
    with open(name, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.split(" :: ")]
            if len(fields) != 4 or fields[1] not in ("line", "branch"):
                sys.exit(f"{name}:{number}: no entry: {line}")
            yield fields[:3]


def leave_out(files, srcdir):
    """Takes what the list names out of the files, if no test ran it.  A file
    that is not built here has no lines."""
    for name, kind, source in read_list(f"{srcdir}/tests/coverage.list"):
        lines = files.get(name, {})
        with open(f"{srcdir}/{name}", encoding="utf-8") as f:
            found = [i for i, text in enumerate(f, 1)
                     if text.strip() == source and i in lines]
        for i in found:
            if kind == "branch":
                lines[i].branches = +lines[i].branches
            elif lines[i].count == 0:
                del lines[i]


def counts_of(lines, what):
    """Pairs of a line's number and a count: of lines, or of branches."""
    for i, line in sorted(lines.items()):
        if what == "lines":
            yield i, line.count
        else:
            for count in line.branches.values():
                yield i, count


def ranges(numbers):
    """As "3-5,9"."""
    parts = []
    for i in sorted(set(numbers)):
        if parts and parts[-1][1] == i - 1:
            parts[-1][1] = i
        else:
            parts.append([i, i])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def judge(files, title, pattern, what, limit):
    """Prints a table of the files that lack something; returns whether the
    result is good, and the result."""
    print(f"{title + ', ' + what:44} {'all':>6} {'run':>6} {'%':>6}  missing")
    sums = [0, 0]
    for name in sorted(filter(pattern.match, files)):
        counts = list(counts_of(files[name], what))
        sums[0] += len(counts)
        run = sum(count != 0 for _, count in counts)
        sums[1] += run
        if run < len(counts):
            print(f"{name:44} {len(counts):6} {run:6}"
                  f" {100 * run / len(counts):6.1f}  "
                  + ranges(i for i, count in counts if count == 0))
    there, run = sums
    # Not rounded: 99.99 % is less than 100 %.
    good = there > 0 and 100 * run >= limit * there
    result = (f"{'PASS' if good else 'FAIL'}: {title}: {run} of {there} {what}"
              f" are run, {100 * run / max(there, 1):.2f} %;"
              f" at least {limit} % must be")
    print(f"{result}\n")
    return good, result


def main():
    srcdir = os.path.realpath(sys.argv[1])
    files = read_counts(srcdir)
    leave_out(files, srcdir)
    results = [judge(files, *limit) for limit in LIMITS]
    for _, result in results:
        print(result)
    good = sum(good for good, _ in results)
    print(f"\n{good} passed, {len(results) - good} failed")
    sys.exit(good != len(results))


main()
