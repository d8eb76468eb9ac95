"""cgw - libcgw from Python: writes profiles in the callgrind format.

The module is one file and needs only ctypes.  It loads the library whose path
is in the environment variable CGW_LIBRARY, or else the installed libcgw.so.0.

    with cgw.Writer("callgrind.out.%p") as w:
        main = w.add_fn("main", w.add_file("main.c"))
        w.begin_part(["Ir"])
        w.cost(cgw.Pos(main, line=3), [17])

cgw.h describes the calls.  Instead of returning a status, they raise Error with
the sentence of cgw_explain.  write_stats converts the statistics of cProfile to
a profile.

SPDX-License-Identifier: MIT
"""
import ctypes
import ctypes.util
import os
import pstats
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_uint32
from ctypes import c_uint64, c_void_p

LINE, INSTR, INSTR_LINE = 1, 2, 3
PLAIN_NAMES, ABSOLUTE, KEEP_ZEROS, NO_PAD, ZERO_CALLS = 1, 2, 4, 8, 16
THREADS, WAIT, CACHEGRIND = 32, 64, 128


class Object(ctypes.Structure):
    _fields_ = [("handle", c_uint32)]


class File(ctypes.Structure):
    _fields_ = [("handle", c_uint32)]


class Fn(ctypes.Structure):
    _fields_ = [("handle", c_uint32)]


class _Pos(ctypes.Structure):
    _fields_ = [("fn", Fn), ("file", File), ("line", c_uint32),
                ("instr", c_uint64)]


class _Event(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("long_name", c_char_p),
                ("formula", c_char_p)]


class _Part(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("events", POINTER(_Event)),
                ("n_events", c_size_t), ("positions", c_uint),
                ("cmd", c_char_p), ("desc", POINTER(c_char_p)),
                ("n_desc", c_size_t), ("summary", POINTER(c_uint64)),
                ("n_summary", c_size_t), ("pid", c_uint64),
                ("part", c_uint64), ("thread", c_uint64)]


class _Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("flags", c_uint),
                ("queue_slots", c_uint32),
                ("buffer_size", c_size_t), ("creator", c_char_p),
                ("write", c_void_p), ("write_context", c_void_p),
                ("allocate", c_void_p), ("allocate_context", c_void_p)]


def _load():
    path = os.environ.get("CGW_LIBRARY")
    if path:
        return ctypes.CDLL(path)
    try:
        return ctypes.CDLL("libcgw.so.0")
    except OSError:
        path = ctypes.util.find_library("cgw")
        if path is None:
            raise
        return ctypes.CDLL(path)


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype = result
    function.argtypes = arguments


_lib = _load()
_declare("cgw_new", c_int, POINTER(c_void_p), c_int, POINTER(_Options))
_declare("cgw_create", c_int, POINTER(c_void_p), c_char_p, POINTER(_Options))
_declare("cgw_free", c_int, c_void_p)
_declare("cgw_finish", c_int, c_void_p)
_declare("cgw_error", c_int, c_void_p)
_declare("cgw_errno", c_int, c_void_p)
_declare("cgw_explain", c_char_p, c_void_p, c_int)
_declare("cgw_version", c_char_p)
_declare("cgw_add_object", Object, c_void_p, c_char_p)
_declare("cgw_add_file", File, c_void_p, c_char_p)
_declare("cgw_add_fn", Fn, c_void_p, c_char_p, File, Object)
_declare("cgw_begin_part", c_int, c_void_p, POINTER(_Part))
_declare("cgw_comment", c_int, c_void_p, c_char_p)
_declare("cgw_cost", c_int, c_void_p, POINTER(_Pos), POINTER(c_uint64),
         c_size_t)
_declare("cgw_call", c_int, c_void_p, POINTER(_Pos), POINTER(_Pos), c_uint64,
         POINTER(c_uint64), c_size_t)


def version():
    """Return the version of the library in use."""
    return _lib.cgw_version().decode()


class Error(Exception):
    """A call failed.  status is a value of enum cgw_status.  errno is that of
    the last open, write or close that failed, or 0."""

    def __init__(self, sentence, status, errno):
        super().__init__(sentence)
        self.status = status
        self.errno = errno


def _number(value, bits):
    # ctypes would take it modulo 2^bits.
    if not 0 <= value < 1 << bits:
        raise ValueError("%d is not between 0 and 2^%d-1" % (value, bits))
    return value


def _costs(numbers):
    return (c_uint64 * len(numbers))(*(_number(n, 64) for n in numbers))


def _text(text):
    """Return a name as bytes.  A NUL, which would end it in C, becomes \\x00,
    as the library writes other control characters."""
    if text is None or isinstance(text, bytes):
        return text
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-8", "surrogatepass")
    return data.replace(b"\0", b"\\x00")


class Pos(_Pos):
    """The position of a cost or a call.  file is for inlined code: the file of
    its source, if that is not the function's own."""

    def __init__(self, fn, line=0, file=File(), instr=0):
        super().__init__(fn, file, _number(line, 32), _number(instr, 64))


class Writer:
    """A profile that is being written.  file is a path, in which "%p" stands
    for the process id and "%%" for "%" (see cgw_create), or a descriptor.  The
    end of a with block finishes the file.  Only one thread at a time may use a
    Writer."""

    _writer = None

    def __init__(self, file, flags=0, creator=None):
        writer = c_void_p()
        options = _Options(ctypes.sizeof(_Options), flags,
                           creator=_text(creator))
        if isinstance(file, int):
            status = _lib.cgw_new(writer, file, options)
        else:
            path = os.fsencode(file)
            if b"\0" in path:
                raise ValueError("a path has no NUL")
            status = _lib.cgw_create(writer, path, options)
        self._writer = writer
        if status:
            error = self._error(status)
            self._free()
            raise error

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        try:
            self.finish()
        except Error:
            if kind is None:
                raise

    def __del__(self):
        self._free()

    def _free(self):
        if self._writer:
            _lib.cgw_free(self._writer)
        self._writer = None

    def _error(self, status):
        sentence = _lib.cgw_explain(self._writer, status)
        return Error(sentence.decode("utf-8", "replace"), status,
                     _lib.cgw_errno(self._writer) if self._writer else 0)

    def _check(self, status):
        if status:
            raise self._error(status)

    def _added(self, handle, name):
        if not handle.handle and name:
            self._check(_lib.cgw_error(self._writer))
        return handle

    def add_object(self, path):
        return self._added(_lib.cgw_add_object(self._writer, _text(path)),
                           path)

    def add_file(self, path):
        return self._added(_lib.cgw_add_file(self._writer, _text(path)), path)

    def add_fn(self, name, file=File(), object=Object()):
        return self._added(
            _lib.cgw_add_fn(self._writer, _text(name), file, object), name)

    def begin_part(self, events, positions=LINE, pid=0, part=0, thread=0,
                   cmd=None, desc=(), summary=()):
        """Begin a part.  Each event is a name, or (name, long name[,
        formula])."""
        array = (_Event * len(events))()
        for event, given in zip(array, events):
            if isinstance(given, (str, bytes)):
                given = (given,)
            event.__init__(*map(_text, given))
        lines = (c_char_p * len(desc))(*map(_text, desc))
        self._check(_lib.cgw_begin_part(self._writer, _Part(
            ctypes.sizeof(_Part), array, len(array), positions,
            _text(cmd), lines if desc else None, len(lines),
            _costs(summary) if summary else None, len(summary),
            _number(pid, 64), _number(part, 64), _number(thread, 64))))

    def cost(self, pos, costs):
        self._check(_lib.cgw_cost(self._writer, pos, _costs(costs),
                                  len(costs)))

    def call(self, caller, callee, count, costs):
        """Record count calls.  costs are inclusive: those of the callee and of
        all that it called."""
        self._check(_lib.cgw_call(self._writer, caller, callee,
                                  _number(count, 64), _costs(costs),
                                  len(costs)))

    def comment(self, text):
        self._check(_lib.cgw_comment(self._writer, _text(text)))

    def finish(self):
        """End the file.  Raise the first error that left something out of it,
        even if an earlier call raised it.  A second finish does nothing."""
        if self._writer:
            status = _lib.cgw_finish(self._writer)
            error = self._error(status)
            self._free()
            if status:
                raise error


def _from_entries(entries):
    """Convert the entries of a cProfile.Profile as pstats does, with one
    difference: functions that share (file, line, name), such as two lambdas on
    a line, are added up.  pstats keeps only the last of them."""
    def key(code):
        if isinstance(code, str):
            return "~", 0, code
        return code.co_filename, code.co_firstlineno, code.co_name

    def add(sums, at, entry):
        old = sums.get(at, (0, 0, 0, 0))
        new = (entry.callcount, entry.callcount - entry.reccallcount,
               entry.inlinetime, entry.totaltime)
        sums[at] = tuple(a + b for a, b in zip(old, new))

    functions, callers = {}, {}
    for entry in entries:
        add(functions, key(entry.code), entry)
        for callee in entry.calls or ():
            add(callers.setdefault(key(callee.code), {}), key(entry.code),
                callee)
    return {at: (primitive, calls, own, all, callers.get(at, {}))
            for at, (calls, primitive, own, all) in functions.items()}


def _ns(seconds):
    return max(0, round(seconds * 1e9))


def _edges(stats):
    """Return {(caller, callee): [calls, inclusive ns]}.

    cProfile counts the time of a recursive call twice: in the outer call, and
    in the edge of the inner one.  Readers add up the inclusive times of a
    function's callers.  To make this sum the function's cumulative time, which
    counts each moment once, the times of recursive functions are changed.
    Calls from outside the recursion keep their times.  Calls of a function by
    itself get 0.  Calls from other functions in the recursion share the rest
    in proportion to their times, or keep them if these are smaller."""
    edges, callees = {}, {}
    for callee, (_, calls, _, cumulative, callers) in stats.items():
        for caller, counts in callers.items():
            callees.setdefault(caller, []).append(callee)
            if isinstance(counts, tuple):
                n, time = counts[0], counts[3]
            else:  # The profile module counts calls alone.
                n, time = counts, cumulative * counts / calls
            edges[caller, callee] = [n, _ns(time)]
    for callee, (primitive, calls, _, cumulative, callers) in stats.items():
        if primitive == calls:
            continue
        below, new = set(), [callee]
        while new:
            for fn in callees.get(new.pop(), ()):
                if fn not in below:
                    below.add(fn)
                    new.append(fn)
        inside = [c for c in callers if c in below and c != callee]
        outside = sum(edges[c, callee][1] for c in callers if c not in below)
        left = max(0, _ns(cumulative) - outside)
        shared = sum(edges[c, callee][1] for c in inside)
        if callee in callers:
            edges[callee, callee][1] = 0
        if shared > left:
            for c in inside:
                edges[c, callee][1] = edges[c, callee][1] * left // shared
    return edges


def write_stats(stats, path, cmd=None):
    """Write the statistics of cProfile to path, which may be any file that
    Writer takes.  stats is a cProfile.Profile, which is stopped, a
    pstats.Stats, or the name of a saved file.

    The event Time is in nanoseconds: self time (tottime) for each function,
    inclusive time for each caller and callee (see _edges for recursion).  The
    event Calls counts all calls of a function, including recursive ones.  It
    has no inclusive costs, because cProfile does not know them.

    Costs, and the calls from a function, are at the function's first line,
    because cProfile knows no other lines.  Functions in C have no file and
    line.  If several functions in a file share a name, each name gets ":" and
    the function's line appended.  Equal stats give equal bytes."""
    if hasattr(stats, "getstats"):
        stats.disable()
        stats = _from_entries(stats.getstats())
    else:
        if not hasattr(stats, "stats"):
            stats = pstats.Stats(stats)
        stats = stats.stats
    edges = _edges(stats)
    keys = sorted(set(stats).union(caller for caller, _ in edges))
    same = {}
    for file, _, name in keys:
        same[file, name] = same.get((file, name), 0) + 1
    with Writer(path, creator="cgw.py") as w:
        positions = {}
        for key in keys:
            file, line, name = key
            if same[file, name] > 1:
                name = "%s:%d" % (name, line)
            handle = File() if file == "~" else w.add_file(file)
            positions[key] = Pos(w.add_fn(name, handle), max(0, line))
        w.begin_part([("Time", "Time (ns)"), ("Calls", "Calls, self only")],
                     cmd=cmd)
        by_caller = {}
        for caller, callee in sorted(edges):
            by_caller.setdefault(caller, []).append(callee)
        for key in keys:
            if key in stats:
                w.cost(positions[key], [_ns(stats[key][2]), stats[key][1]])
            for callee in by_caller.get(key, ()):
                count, time = edges[key, callee]
                w.call(positions[key], positions[callee], count, [time])
