# export_show.py - what cgw-export wrote, as lines of text: a decoder of its own
# for each format.
# SPDX-License-Identifier: MIT
#
#   python3 export_show.py pprof|folded|speedscope FILE
#
# Prints what the file has, sorted as it is: of a stack its costs and its frames,
# the outermost first.  Ends with status 1 and a reason if the file is wrong.
#
#   python3 export_show.py self pprof|folded|speedscope FILE
#
# Prints each function's own costs, sorted: "COST... NAME".

import gzip
import json
import sys


def readable(text):
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else "\\u%04x" % ord(c) for c in text)


def check(ok, reason):
    if not ok:
        sys.exit("export_show.py: " + reason)


# pprof.

def varint(data, at):
    value = shift = 0
    while True:
        check(at < len(data) and shift < 70, "a number has no end")
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            check(value < 1 << 64, "a number is too large")
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        check(key & 7 in (0, 2) and key >> 3 != 0, "a field has no such type")
        value, at = varint(data, at)
        if key & 7 == 2:
            check(at + value <= len(data), "a field is cut off")
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def numbers(value):
    if isinstance(value, int):
        return [value]
    result, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        result.append(number)
    return result


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def message(data, known):
    """Its numbers by their names; 0 is what is not there."""
    m = dict.fromkeys(known.values(), 0)
    for number, value in fields(data):
        check(number in known, "field %d is not known" % number)
        m[known[number]] = value
    return m


def by_id(messages, known):
    result = {}
    for data in messages:
        m = message(data, known)
        check(m["id"] != 0 and m["id"] not in result, "an id is not unique")
        result[m["id"]] = m
    return result


class Pprof:
    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        if data[:2] == b"\x1f\x8b":
            check(data[4:8] == bytes(4), "gzip's time is not 0")
            data = gzip.decompress(data)
        m = {}
        for number, value in fields(data):
            m.setdefault(number, []).append(value)
        check(m.keys() <= {1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14},
              "there are other fields")
        self.strings = m.get(6, [])
        check(self.strings and self.strings[0] == b"",
              "the first string is not empty")
        check(len(set(self.strings)) == len(self.strings),
              "a string is there twice")
        self.types = [(self.text(t["type"]), self.text(t["unit"])) for t in
                      (message(d, {1: "type", 2: "unit"}) for d in m[1])]
        self.comments = [self.text(n) for v in m.get(13, [])
                         for n in numbers(v)]
        self.default = self.text(m.get(14, [0])[-1])
        self.mappings = by_id(m.get(3, []), {
            1: "id", 2: "start", 3: "limit", 4: "offset", 5: "file",
            6: "build_id", 7: "functions", 8: "files", 9: "lines",
            10: "inlined"})
        self.functions = by_id(m.get(5, []), {
            1: "id", 2: "name", 3: "system_name", 4: "file", 5: "line"})
        self.locations = {}
        for data in m.get(4, []):
            self.add_location(data)
        self.samples = [self.sample(d) for d in m.get(2, [])]
        self.check_all()

    def text(self, number):
        check(number < len(self.strings), "there is no such string")
        return readable(self.strings[number])

    def add_location(self, data):
        location = {"id": 0, "mapping": 0, "address": 0, "lines": []}
        for number, value in fields(data):
            if number == 4:
                line = message(value, {1: "function", 2: "line"})
                location["lines"].append((line["function"], line["line"]))
            else:
                check(number in (1, 2, 3), "a location has another field")
                location[{1: "id", 2: "mapping", 3: "address"}[number]] = value
        check(location["id"] != 0 and location["id"] not in self.locations,
              "a location's id is not unique")
        self.locations[location["id"]] = location

    def sample(self, data):
        locations, values, labels = [], [], []
        for number, value in fields(data):
            if number == 1:
                locations += numbers(value)
            elif number == 2:
                values += [signed(v) for v in numbers(value)]
            else:
                check(number == 3, "a sample has another field")
                m = message(value, {1: "key", 2: "text", 3: "number"})
                labels.append("%s=%s" % (self.text(m["key"]),
                                         self.text(m["text"]) if m["text"]
                                         else m["number"]))
        return values, locations, labels

    def check_all(self):
        """What go tool pprof checks, and what is of no use."""
        used = {i for s in self.samples for i in s[1]}
        check(used == set(self.locations), "locations are missing, or unused")
        used = {f for l in self.locations.values() for f, _ in l["lines"]}
        check(used == set(self.functions), "functions are missing, or unused")
        used = {l["mapping"] for l in self.locations.values()} - {0}
        check(used == set(self.mappings), "mappings are missing, or unused")
        for values, locations, _ in self.samples:
            check(len(values) == len(self.types), "there are too few values")
            check(locations, "a stack is empty")
        for l in self.locations.values():
            m = self.mappings.get(l["mapping"])
            check(m is None or m["start"] <= l["address"] < m["limit"],
                  "an address is in no mapping")

    def frame(self, function, line):
        f = self.functions[function]
        check(f["name"] == f["system_name"], "there are two names")
        text = self.text(f["name"])
        if f["file"] or line:
            text += " (%s:%d)" % (self.text(f["file"]), line)
        return text

    def location(self, number):
        location = self.locations[number]
        text = " < ".join(self.frame(*line) for line in location["lines"])
        if location["address"]:
            text += " 0x%x" % location["address"]
        mapping = self.mappings.get(location["mapping"])
        return text + (" [%s]" % self.text(mapping["file"]) if mapping else "")

    def lines(self):
        for i, (name, unit) in enumerate(self.types):
            yield "type %s %s%s" % (name, unit, " default"
                                    if name == self.default else "")
        for comment in self.comments:
            yield "comment " + comment
        for m in self.mappings.values():
            yield "mapping %s %s %x-%x+%x %d%d%d%d" % (
                self.text(m["file"]), self.text(m["build_id"]) or "-",
                m["start"], m["limit"], m["offset"], m["functions"],
                m["files"], m["lines"], m["inlined"])
        for values, locations, labels in self.samples:
            yield "stack %s %s%s" % (
                " ".join(map(str, values)),
                "; ".join(map(self.location, reversed(locations))),
                " {%s}" % ", ".join(labels) if labels else "")

    def self_costs(self):
        for values, locations, _ in self.samples:
            function = self.locations[locations[0]]["lines"][0][0]
            yield self.text(self.functions[function]["name"]), values


# speedscope.

class Speedscope:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.all = json.load(f)
        check(set(self.all) == {"$schema", "exporter", "name", "shared",
                                "profiles"}, "its members are others")
        self.frames = self.all["shared"]["frames"]
        check(len({json.dumps(f, sort_keys=True) for f in self.frames})
              <= len(self.frames), "")
        for p in self.all["profiles"]:
            check(p["type"] == "sampled" and p["startValue"] == 0,
                  "it is not sampled")
            check(p["unit"] in ("none", "nanoseconds", "microseconds",
                                "milliseconds", "seconds", "bytes"),
                  "the unit is not known")
            check(len(p["samples"]) == len(p["weights"]),
                  "there are not as many weights as samples")
            check(all(isinstance(w, int) and 0 < w < 1 << 63
                      for w in p["weights"]), "a weight is none")
            check(sum(p["weights"]) == p["endValue"]
                  or p["endValue"] == (1 << 63) - 1,
                  "the end is not the sum of the weights")
            check(all(0 <= f < len(self.frames) for s in p["samples"]
                      for f in s), "there is no such frame")

    def frame(self, number):
        f = self.frames[number]
        check(set(f) <= {"name", "file"}, "a frame has other members")
        return readable(f["name"]) + (
            " (%s)" % readable(f["file"]) if "file" in f else "")

    def lines(self):
        yield "name " + readable(self.all["name"])
        for p in self.all["profiles"]:
            yield "profile %s: %d %s" % (readable(p["name"]), p["endValue"],
                                         p["unit"])
            for stack, weight in zip(p["samples"], p["weights"]):
                yield "stack %d %s" % (weight, "; ".join(map(self.frame,
                                                             stack)))

    def self_costs(self):
        """Of profiles of one thread, one for each event."""
        n = len(self.all["profiles"])
        for i, p in enumerate(self.all["profiles"]):
            for stack, weight in zip(p["samples"], p["weights"]):
                yield (readable(self.frames[stack[-1]]["name"]),
                       [0] * i + [weight] + [0] * (n - i - 1))


# Folded stacks: they may be binary.

class Folded:
    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        check(data == b"" or data.endswith(b"\n"), "the last line has no end")
        self.stacks = []
        for line in data.split(b"\n")[:-1]:
            stack, _, count = line.rpartition(b" ")
            check(count.isdigit() and 0 < int(count) < 1 << 64
                  and b"%d" % int(count) == count, "a line has no count")
            word = stack.rpartition(b" ")[2]
            check(b" " not in stack or not word.replace(b".", b"").isdigit(),
                  "a line has two counts")
            check(stack == stack.strip() and b"" not in stack.split(b";"),
                  "a frame is empty")
            self.stacks.append((int(count), stack.split(b";")))
        names = [s for _, s in self.stacks]
        check(len(names) == len(set(map(tuple, names))), "a stack is there twice")

    def lines(self):
        for count, stack in self.stacks:
            yield "stack %d %s" % (count, "; ".join(map(readable, stack)))

    def self_costs(self):
        for count, stack in self.stacks:
            yield readable(stack[-1]), [count]


def main():
    kinds = {"pprof": Pprof, "folded": Folded, "speedscope": Speedscope}
    arguments = sys.argv[1:]
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if arguments[0] != "self":
        for line in kinds[arguments[0]](arguments[1]).lines():
            print(line)
        return
    sums = {}
    for name, costs in kinds[arguments[1]](arguments[2]).self_costs():
        sums[name] = [a + b for a, b in zip(sums.get(name, [0] * len(costs)),
                                            costs)]
    for name in sorted(sums):
        if any(sums[name]):
            print(" ".join(map(str, sums[name])), name)


main()
