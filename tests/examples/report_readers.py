"""Compares what cgw-report --json prints with what other readers show.

  report_readers.py annotate REPORT SELF INCLUSIVE
      SELF, INCLUSIVE: what callgrind_annotate --tree=both prints, without and
      with --inclusive=yes
  report_readers.py cachegrind REPORT SHOWN    what cg_annotate prints
  report_readers.py dump REPORT DUMP           what cgread --dump prints
  report_readers.py schema REPORT SCHEMA

Prints each difference that has no reason.  The reasons:

  recursion   callgrind_annotate adds the inclusive cost of a function that calls
              itself, or others in a cycle with it, as often as it happens
  total       it shows inclusive costs above the total, which a file has whose
              calls cost more than what they call
  begins      of a function that is called, it shows the costs of the calls, though
              it also began by itself, and costs more

SPDX-License-Identifier: MIT
"""

import collections
import json
import re
import sys


def add(sums, key, costs):
    old = sums.get(key, [0] * len(costs))
    sums[key] = [a + b for a, b in zip(old, costs)]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


# What annotating programs print.

NUMBER = re.compile(r"\s*([0-9][0-9,]*|\.)(?:\s*\(calculated\))?"
                    r"(?:\s*\(\s*[0-9.]+%\))?\s")


def numbers(line, n):
    """The first n numbers of a line, and the rest; or None."""
    found = []
    while len(found) < n:
        match = NUMBER.match(line)
        if not match:
            return None, line
        text = match.group(1)
        found.append(0 if text == "." else int(text.replace(",", "")))
        line = line[match.end():]
    return found, line.strip()


def without_object(name):
    return re.sub(r" \[[^][ ]*\]$", "", name)


class Shown:
    """What a program prints: costs by "FILE:FUNCTION", calls by two of them."""

    def __init__(self, path, n):
        self.costs = {}
        self.callers = {}
        self.callees = {}
        self.totals = None
        callers = []
        name = None
        with open(path, encoding="utf-8", errors="backslashreplace") as file:
            for line in file:
                costs, rest = numbers(line, n)
                if costs is None:
                    continue
                if rest.startswith("PROGRAM TOTALS"):
                    self.totals = costs
                elif rest.startswith("< "):
                    callers.append((costs, rest[2:]))
                elif rest.startswith("* "):
                    name = without_object(rest[2:].strip())
                    add(self.costs, name, costs)
                    for its_costs, caller in callers:
                        other, counted = self.call(caller, its_costs)
                        add(self.callers, (other, name), counted)
                    callers = []
                elif rest.startswith("> "):
                    other, counted = self.call(rest[2:].strip(), costs)
                    add(self.callees, (name, other), counted)
                elif self.totals is not None and ":" in rest:
                    add(self.costs, without_object(rest), costs)

    @staticmethod
    def call(text, costs):
        match = re.match(r"(.*) \(([0-9,]+)x\)$", without_object(text))
        return match.group(1), [int(match.group(2).replace(",", ""))] + costs


# What cgw-report prints, by the same names.

def escaped(text):
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class Report:
    def __init__(self, path):
        self.json = load(path)
        self.totals = self.json["totals"]
        functions = self.json["functions"]
        self.names = [escaped(f.get("file", "???") + ":" + f["name"])
                      for f in functions]
        self.texts = [escaped(f["name"]) for f in functions]
        self.self, self.inclusive = {}, {}
        for name, function in zip(self.names, functions):
            add(self.inclusive, name, function["inclusive"])
        self.function = dict(zip(self.names, self.texts))
        for line in self.json["lines"]:
            function = line["function"]
            name = escaped(line.get("file", "???")) + ":"
            name += self.texts[function]
            add(self.self, name, line["self"])
            self.function[name] = self.texts[function]
        self.calls = {}
        callees = collections.defaultdict(set)
        self.called = set()
        for edge in self.json["edges"]:
            caller, callee = edge["caller"], edge["callee"]
            add(self.calls, (self.texts[caller], self.texts[callee]),
                [edge["calls"]] + edge["inclusive"])
            callees[self.names[caller]].add(self.names[callee])
            self.called.add(self.names[callee])
        self.recursive = self.find_recursive(callees)

    def find_recursive(self, callees):
        """The names of functions that reach themselves."""
        found = set()
        for name in set(self.names):
            seen, todo = set(), [name]
            while todo:
                for callee in callees[todo.pop()] - seen:
                    seen.add(callee)
                    todo.append(callee)
            if name in seen:
                found.add(name)
        return found


problems = []


def expect(what, key, found, wanted):
    if found != wanted:
        problems.append(f"{what} {key}: {found}, not {wanted}")


def compare_self(report, shown):
    expect("totals", "", report.totals, shown.totals)
    zero = [0] * len(report.totals)
    for name in set(shown.costs) | set(report.self):
        expect("self", name, report.self.get(name, zero),
               shown.costs.get(name, zero))


def compare_calls(report, what, calls):
    """By the names of functions alone, for a caller has the file of the code
    that was inlined into it."""
    sums = {}
    several = {name for name, n in collections.Counter(report.texts).items()
               if n > 1}
    for (caller, callee), costs in calls.items():
        add(sums, (report.function.get(caller, caller),
                   report.function.get(callee, callee)), costs)
    for key, costs in sums.items():
        if not several & set(key):
            expect(what, key, report.calls.get(key), costs)


def reason(report, name, ours, shown):
    """Why the inclusive costs of a function are not those that are shown."""
    if any(a > t for a, t in zip(ours, report.totals)):
        return None
    if name in report.recursive:
        return "recursion"
    if all(a in (b, t) for a, b, t in zip(ours, shown, report.totals)):
        return "total"
    if all(a >= b for a, b in zip(ours, shown)) and name in report.called:
        return "begins"
    return None


def compare_inclusive(report, shown):
    reasons = collections.Counter()
    for name, ours in report.inclusive.items():
        costs = shown.costs.get(name, [0] * len(ours))
        if ours == costs:
            reasons["equal"] += 1
            continue
        why = reason(report, name, ours, costs)
        if why is None:
            expect("inclusive", name, ours, costs)
        else:
            reasons[why] += 1
    return reasons


def compare_annotate(report_path, self_path, inclusive_path):
    report = Report(report_path)
    n = len(report.totals)
    shown = Shown(self_path, n)
    compare_self(report, shown)
    compare_calls(report, "caller", shown.callers)
    compare_calls(report, "callee", shown.callees)
    reasons = compare_inclusive(report, Shown(inclusive_path, n))
    print("#", len(shown.costs), "rows,", len(report.calls), "calls;",
          "inclusive:", ", ".join(f"{k} {v}" for k, v in reasons.items()))


def compare_cachegrind(report_path, shown_path):
    report = Report(report_path)
    shown = Shown(shown_path, len(report.totals))
    compare_self(report, shown)
    print("#", len(shown.costs), "rows")


def compare_dump(report_path, dump_path):
    """Functions and lines, of the strict reader."""
    report = Report(report_path)
    selfs, lines, calls = {}, {}, {}
    with open(dump_path, encoding="utf-8", errors="backslashreplace") as file:
        for record in file:
            field = record.rstrip("\n").split("\t")
            if field[0] == "cost":
                costs = [int(n) for n in field[7].split()]
                add(selfs, tuple(field[1:4]), costs)
                add(lines, (*field[1:5], int(field[6]), "self"), costs)
            elif field[0] == "call":
                costs = [int(n) for n in field[12].split()]
                callee = (field[7].removeprefix("-> "), *field[8:10])
                add(calls, (tuple(field[1:4]), callee), costs)
                add(lines, (*field[1:5], int(field[6]), "calls"), costs[1:])
    ids = [(f.get("object", "???"), f.get("file", "???"), escaped(f["name"]))
           for f in report.json["functions"]]
    ours = dict(zip(ids, (f["self"] for f in report.json["functions"])))
    zero = [0] * len(report.totals)
    for key in set(selfs) | set(ours):
        expect("self", key, ours.get(key, zero), selfs.get(key, zero))
    ours = {(ids[e["caller"]], ids[e["callee"]]):
            [e["calls"]] + e["inclusive"] for e in report.json["edges"]}
    for key in set(calls) | set(ours):
        expect("call", key, ours.get(key), calls.get(key))
    ours = {}
    for line in report.json["lines"]:
        key = (*ids[line["function"]], line.get("file", "???"),
               line.get("line", 0))
        add(ours, (*key, "self"), line["self"])
        add(ours, (*key, "calls"), line["inclusive"])
    for key in set(lines) | set(ours):
        expect("line", key, ours.get(key, zero), lines.get(key, zero))
    print("#", len(ids), "functions,", len(calls), "calls,",
          len(lines), "lines")


def check_schema(report_path, schema_path):
    import jsonschema
    schema = load(schema_path)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    for error in validator(schema).iter_errors(load(report_path)):
        problems.append(f"{list(error.absolute_path)}: {error.message}")


{
    "annotate": compare_annotate,
    "cachegrind": compare_cachegrind,
    "dump": compare_dump,
    "schema": check_schema,
}[sys.argv[1]](*sys.argv[2:])
for problem in problems:
    print(problem)
sys.exit(bool(problems))
