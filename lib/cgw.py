"""cgw - libcgw from Python: writes profiles in the callgrind format.

The module is one file and needs only ctypes.  Copy it, or add the folder that
"pkg-config --variable=pythondir cgw" prints to PYTHONPATH.  The module loads
the library at the path in the environment variable CGW_LIBRARY, or else the
installed libcgw.so.1.

    names = cgw.Names()
    main = names.add_fn("main", names.add_file("main.c"))
    with cgw.Writer(names, "callgrind.out") as w:
        w.begin_part(["Ir"])
        w.cost(cgw.Pos(main, line=3), [17])

cgw.h describes the calls.  Instead of returning an error status, they raise
Error with the sentence of cgw_explain and the calls like it, in the words of
this module.  Arguments of a wrong type raise TypeError, numbers out of range
ValueError.  write_stats converts the statistics of cProfile to a profile.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import atexit
import contextlib
import ctypes
import ctypes.util
import enum
import operator
import os
import pstats
import re
import types
import warnings
import weakref
from collections.abc import Sequence
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_ssize_t, c_uint
from ctypes import c_uint32, c_uint64, c_void_p
from typing import Union

LINE, INSTR, INSTR_LINE = 1, 2, 3
PLAIN_NAMES, ABSOLUTE, KEEP_ZEROS, NO_PAD, ZERO_CALLS = 1, 2, 4, 8, 16
THREADS, WAIT, CACHEGRIND, REPLACE = 32, 64, 128, 256
PATH_EXPAND, PATH_STRICT = 512, 1024
CALLS_ONLY = 1  # a flag of tracers

Status = enum.IntEnum("Status", """OK EINVAL EORDER EFINISHED EHANDLE ECOSTS
    ENOMEM EIO EAGAIN EOVERFLOW EFILE ELOST EBUSY EFORK EDEPTH EBACKWARDS
    EPACK""", start=0)

# Functions of cgw.h without a wrapper.  Names are added with their length.
# Recorders are for handlers that may interrupt any code.  Python runs its
# handlers between bytecode instructions, where they may call Profile.stack.
LEFT_OUT = ("cgw_add_object", "cgw_add_file", "cgw_add_fn",
            "cgw_recorder_size", "cgw_recorder_init", "cgw_recorder_push",
            "cgw_recorder_push_shared", "cgw_recorder_drain",
            "cgw_recorder_drain_shared", "cgw_recorder_get_stats")

Text = Union[str, bytes, None]  # None and "" are unknown names
Event = Union[str, bytes, Sequence[Text]]
Counters = Union[Sequence[int], None]


class Object(ctypes.Structure):
    _fields_ = [("handle", c_uint32)]


class File(ctypes.Structure):
    _fields_ = [("handle", c_uint32)]


class Fn(ctypes.Structure):
    _fields_ = [("handle", c_uint32)]


class Edge(ctypes.Structure):
    _fields_ = [("handle", c_uint64), ("begin", c_uint64)]


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
                ("number", c_uint64), ("thread", c_uint64)]


class _Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("flags", c_uint),
                ("queue_slots", c_uint32),
                ("buffer_size", c_size_t), ("creator", c_char_p),
                ("write", c_void_p), ("write_context", c_void_p)]


class _Stats(ctypes.Structure):
    _counts = ("recorded", "lost", "lost_busy", "refused", "written",
               "buffered", "discarded", "names_changed")
    _fields_ = [("size", c_size_t), ("n_costs", c_size_t),
                ("recorded_costs", POINTER(c_uint64)),
                ("lost_costs", POINTER(c_uint64))] \
        + [(name, c_uint64) for name in _counts]


class _Visitor(ctypes.Structure):
    _cost = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Pos), POINTER(c_uint64),
                             c_size_t)
    _call = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Pos), POINTER(_Pos),
                             c_uint64, POINTER(c_uint64), c_size_t)
    _stack = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Pos), c_size_t,
                              c_uint64, POINTER(c_uint64), c_size_t)
    _fields_ = [("size", c_size_t), ("context", c_void_p), ("cost", _cost),
                ("call", _call), ("stack", _stack)]


class _TracerOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("n_counters", c_size_t),
                ("flags", c_uint64)]


def _load():
    path = os.environ.get("CGW_LIBRARY")
    if path:
        return ctypes.CDLL(path)
    try:
        return ctypes.CDLL("libcgw.so.1")
    except OSError:
        path = ctypes.util.find_library("cgw")
        if path is None:
            raise OSError("libcgw.so.1 is not found: set CGW_LIBRARY to its "
                          "path, or LD_LIBRARY_PATH") from None
        return ctypes.CDLL(path)


_lib = _load()
_Hook = ctypes.CFUNCTYPE(c_ssize_t, c_void_p, c_void_p, c_size_t)
_p, _n, _u64 = c_void_p, c_size_t, c_uint64
_at, _numbers, _text_at = POINTER(_Pos), POINTER(c_uint64), POINTER(c_char_p)
for _name, _result, *_arguments in (
        ("names_new", c_int, POINTER(_p), _p),
        ("names_free", None, _p),
        ("names_explain", c_char_p, _p),
        ("names_error", c_int, _p, _text_at),
        ("add_object_n", Object, _p, c_char_p, _n),
        ("add_file_n", File, _p, c_char_p, _n),
        ("add_fn_n", Fn, _p, c_char_p, _n, File, Object),
        ("object_name", c_char_p, _p, Object),
        ("file_name", c_char_p, _p, File),
        ("fn_name", c_char_p, _p, Fn, POINTER(File), POINTER(Object)),
        ("open_fd", c_int, POINTER(_p), _p, c_int, POINTER(_Options)),
        ("open", c_int, POINTER(_p), _p, c_char_p, POINTER(_Options)),
        ("free", None, _p),
        ("begin_part", c_int, _p, POINTER(_Part)),
        ("cost", c_int, _p, _at, _numbers, _n),
        ("call", c_int, _p, _at, _at, _u64, _numbers, _n),
        ("jump", c_int, _p, _at, _at, _u64),
        ("cond_jump", c_int, _p, _at, _at, _u64, _u64),
        ("comment", c_int, _p, c_char_p),
        ("flush", c_int, _p),
        ("finish", c_int, _p),
        ("salvage", c_int, _p),
        ("get_stats", c_int, _p, POINTER(_Stats)),
        ("explain", c_char_p, _p),
        ("error", c_int, _p, _text_at),
        ("errno", c_int, _p),
        ("strerror", c_char_p, c_int),
        ("version", c_char_p),
        ("profile_new", c_int, POINTER(_p), _p, _n, c_uint),
        ("profile_free", None, _p),
        ("profile_clear", c_int, _p),
        ("profile_cost", c_int, _p, _at, _numbers, _n),
        ("profile_call", c_int, _p, _at, _at, _u64, _numbers, _n),
        ("profile_stack", c_int, _p, _at, _n, _u64, _numbers, _n),
        ("profile_node", c_int, _p, _at, _n, _u64, _numbers, _n),
        ("profile_set_root", c_int, _p, Fn),
        ("profile_set_signed", c_int, _p, _n),
        ("profile_total", c_int, _p, _numbers, _n),
        ("profile_visit", c_int, _p, POINTER(_Visitor)),
        ("profile_merge", c_int, _p, _p),
        ("profile_pack", c_int, _p, _Hook, _p),
        ("profile_unpack", c_int, _p, c_char_p, _n),
        ("profile_write", c_int, _p, _p, POINTER(_Part)),
        ("profile_save", c_int, _p, c_char_p, POINTER(_Part),
         POINTER(_Options)),
        ("profile_explain", c_char_p, _p),
        ("profile_error", c_int, _p, _text_at),
        ("tracer_new", c_int, POINTER(_p), _p, POINTER(_TracerOptions)),
        ("tracer_free", c_int, _p),
        ("tracer_enter", c_int, _p, _at, _at, _u64, _numbers),
        ("tracer_edge", c_int, _p, _at, _at, POINTER(Edge)),
        ("tracer_enter_edge", c_int, _p, Edge, _u64, _numbers),
        ("tracer_leave", c_int, _p, _numbers),
        ("tracer_tail", c_int, _p, _at, _u64, _numbers),
        ("tracer_move", c_int, _p, _at, _numbers),
        ("tracer_block", c_int, _p, _at, _n, _numbers, _n, _numbers),
        ("tracer_cost", c_int, _p, _at, _numbers, _n),
        ("tracer_unwind", c_int, _p, _n, _numbers),
        ("tracer_unwind_tag", c_int, _p, _u64, _numbers),
        ("tracer_depth", _n, _p),
        ("tracer_tag", _u64, _p, _n),
        ("tracer_stop", c_int, _p, _numbers),
        ("tracer_start", c_int, _p, _numbers),
        ("tracer_resume", c_int, _p, _p, _at, _numbers),
        ("tracer_yield", c_int, _p, _numbers),
        ("tracer_sync", c_int, _p, _numbers)):
    _function = getattr(_lib, "cgw_" + _name)
    _function.restype, _function.argtypes = _result, _arguments


def version() -> str:
    """Return the version of the library in use."""
    return _lib.cgw_version().decode()


def strerror(status: int) -> str:
    """Return a phrase for a status."""
    return _lib.cgw_strerror(status).decode()


class Error(Exception):
    """A call failed.  status is a Status, or a number if this module does not
    know the status.  errno is that of the open, write or close that failed,
    or 0."""

    def __init__(self, sentence: bytes, status: int, errno: int):
        super().__init__(_in_python(sentence.decode("utf-8", "replace")))
        self.status = Status(status) if status < len(Status) else status
        self.errno = errno


# What sentences of the library say, and what Python says instead.
_WORDS = (
    (r"cgw_open(?:_fd)?\b", "Writer"),
    (r"cgw_(profile|tracer)_new\b", lambda m: m[1].title()),
    (r"cgw_(names|profile|tracer)_(\w+)", lambda m: m[1].title() + "." + m[2]),
    (r"cgw_add_(object|file|fn)(?:_n)?\b", r"Names.add_\1"),
    (r"cgw_(\w+)", r"Writer.\1"),
    (r"CGW_(\w+)", r"cgw.\1"),
    (r"part\.n_summary", "len(summary)"),
    (r"(events\[\d+\])\.name", r"\1"),
    (r"(?:part|options)\.", ""),
    (r"n(?= is \d)", "len(costs)"),
    (r"n_frames", "len(frames)"),
    (r"NULL", "None"),
    (r"->", "."))
# The arguments of some calls have other names.
_CALLER = {"from": "caller", "to": "callee"}
_SOURCE = {"from": "source", "to": "target"}
_RENAMED = {"Writer": {"path": "file", "fd": "file"},
            "Writer.call": _CALLER, "Profile.call": _CALLER,
            "Writer.jump": _SOURCE, "Writer.cond_jump": _SOURCE,
            "Profile.merge": {"into": "self", "from": "other"},
            "Profile.write": {"p": "self", "w": "writer"},
            "Tracer.block": {"pos": "positions"},
            "Tracer.resume": {"t": "self"}}
_QUOTED = r'"(?:\\.|[^"\\])*"'


def _in_python(sentence):
    """Return a sentence of the library in the words of this module.  What it
    quotes stays."""
    def say(match):
        text = match[0]
        if text[0] != '"':
            for c, python in _WORDS:
                text = re.sub(r"(?<!\w)" + c if c[0].isalpha() else c, python,
                              text)
        return text
    sentence = re.sub(_QUOTED + r'|[^"]+', say, sentence)
    call = re.match(r"[\w.]*", sentence)[0]
    for c, python in _RENAMED.get(call, {}).items():
        # Not the preposition: what follows an argument is one of these.
        sentence = re.sub(
            r"\b%s(?=[.[]| (?:is|has|are|was|and|differ)\b| \")" % c, python,
            sentence, count=1)
    return sentence.replace("Tracer.yield:", "Tracer.yield_:")


def _of(kind, value, name):
    """Return an argument that must be an object of a class.  ctypes would not
    name it, but give its number in C."""
    if isinstance(value, kind):
        return value
    raise TypeError("%s must be a cgw.%s, not %s"
                    % (name, kind.__name__, type(value).__name__))


def _number(value, name, bits=64):
    # ctypes would silently reduce it modulo 2^bits.
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError("%s must be an int, not %s"
                        % (name, type(value).__name__)) from None
    if not 0 <= value < 1 << bits:
        raise ValueError("%s is %d: it must be between 0 and 2^%d-1"
                         % (name, value, bits))
    return value


def _sequence(values, name):
    """Return an argument that is a sequence, and no text or mapping, whose
    elements would be taken for what is meant."""
    if type(values) not in (list, tuple) and (
            isinstance(values, (str, bytes, dict))
            or not hasattr(values, "__getitem__")
            or not hasattr(values, "__len__")):
        raise TypeError("%s must be a list or another sequence, not %s"
                        % (name, type(values).__name__))
    return values


def _array(numbers, name):
    n = len(_sequence(numbers, name))
    try:
        if n == 0 or (0 <= min(numbers) and max(numbers) < 1 << 64):
            return (c_uint64 * n)(*numbers)
    except TypeError:
        pass
    return (c_uint64 * n)(*(_number(value, "%s[%d]" % (name, i))
                            for i, value in enumerate(numbers)))


def _costs(numbers, signed=(), first=0, name="costs"):
    """Return an array of costs and its length, as arguments of a call.  Those
    of signed events are two's complement."""
    if signed:
        numbers = [n + (1 << 64) if first + i in signed and -1 << 63 <= n < 0
                   else n for i, n in enumerate(_sequence(numbers, name))]
    return _array(numbers, name), len(numbers)


def _optional(pos, name):
    return None if pos is None else _of(Pos, pos, name)


def _positions(positions, name):
    n = len(_sequence(positions, name))
    return (_Pos * n)(*(_of(Pos, pos, "%s[%d]" % (name, i))
                        for i, pos in enumerate(positions))), n


def _bytes(text, name):
    if text is None or isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise TypeError("%s must be str or bytes, not %s"
                        % (name, type(text).__name__))
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _text(text, name):
    """Return a text as bytes that end at their NUL.  A NUL inside becomes
    \\x00, as the library writes other control characters."""
    data = _bytes(text, name)
    return data and data.replace(b"\0", b"\\x00")


def _path(path):
    data = os.fsencode(path)
    if b"\0" in data:
        raise ValueError("a path has no NUL")
    return data


class Pos(_Pos):
    """The position of a cost or a call.  file is for inlined code: the file of
    its source, if that is not the function's own."""

    def __init__(self, fn: Fn, line: int = 0, file: File = File(),
                 instr: int = 0):
        super().__init__(_of(Fn, fn, "fn"), _of(File, file, "file"),
                         _number(line, "line", 32), _number(instr, "instr"))


def _event(given, name):
    if isinstance(given, (str, bytes)):
        given = (given,)
    if not isinstance(given, (tuple, list)) or not 1 <= len(given) <= 3:
        raise TypeError("%s must be a name, or (name, long name[, formula]), "
                        "not %r" % (name, given))
    return _Event(*(_text(text, name) for text in given))


def _part(events, positions=LINE, pid=0, number=0, thread=0, cmd=None,
          desc=(), summary=()):
    array = (_Event * len(_sequence(events, "events")))(
        *(_event(e, "events[%d]" % i) for i, e in enumerate(events)))
    lines = (c_char_p * len(_sequence(desc, "desc")))(
        *(_text(line, "desc[%d]" % i) for i, line in enumerate(desc)))
    sums = _array(summary, "summary")
    return _Part(ctypes.sizeof(_Part), array, len(array),
                 _number(positions, "positions", 32), _text(cmd, "cmd"),
                 lines if len(lines) else None, len(lines),
                 sums if len(sums) else None, len(sums), _number(pid, "pid"),
                 _number(number, "number"), _number(thread, "thread"))


def _options(flags, creator, buffer_size=0, queue_slots=0):
    return _Options(ctypes.sizeof(_Options), _number(flags, "flags", 32),
                    _number(queue_slots, "queue_slots", 32),
                    _number(buffer_size, "buffer_size"),
                    _text(creator, "creator"))


class _Held:
    """The base of objects that hold a pointer of the library."""

    _held = None

    def __init__(self):
        self._held = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def __del__(self):
        self.close()

    def close(self) -> None:
        """Free this object."""
        if self._held:
            self._free(self._held)
            self._held.value = None

    def error(self) -> Error | None:
        """Return the first error that left something out of the file, the sums
        or the names, or None."""
        sentence = c_char_p()
        status = self._first_error(self._held, sentence)
        if status:
            return Error(sentence.value, status, self._errno())
        return None

    def _errno(self):
        return 0

    def _opened(self, name):
        """Return the pointer, for a call that would say that it is None."""
        if not self._held:
            raise Error(b"%s is closed" % name.encode(), Status.EINVAL, 0)
        return self._held

    def _check(self, status):
        if status:
            if self._held:
                sentence = self._explain(self._held)
            elif status == Status.EINVAL:
                sentence = b"this %s is closed" % type(self).__name__.encode()
            else:
                sentence = _lib.cgw_strerror(status)
            raise Error(sentence, status, self._errno())


class _Shared(_Held):
    """The base of objects that threads may share: one may be in a call while
    another one closes the object, so it is freed when nobody has it."""

    _closed = None
    _is_shared = True

    def close(self) -> None:
        """Close this object: calls raise Error from now on."""
        if not self._is_shared:
            super().close()
        elif self._held:
            self._closed = c_void_p(self._held.value)
            self._held.value = None

    def __del__(self):
        _Shared.close(self)
        if self._closed:
            self._free(self._closed)


class Names(_Shared):
    """The names of objects, files and functions, which writers and profiles
    share.  Any thread may add names."""

    _free = _lib.cgw_names_free
    _explain = _lib.cgw_names_explain
    _first_error = _lib.cgw_names_error

    def __init__(self):
        super().__init__()
        self._check(_lib.cgw_names_new(self._held, None))

    def _add(self, add, name, *of):
        data = _bytes(name, "name") or b""
        handle = add(self._held, data, len(data), *of)
        if not handle.handle:
            self._check(_lib.cgw_names_error(self._held, None))
        return handle

    def add_object(self, path: Text) -> Object:
        return self._add(_lib.cgw_add_object_n, path)

    def add_file(self, path: Text) -> File:
        return self._add(_lib.cgw_add_file_n, path)

    def add_fn(self, name: Text, file: File = File(),
               object: Object = Object()) -> Fn:
        return self._add(_lib.cgw_add_fn_n, name, _of(File, file, "file"),
                         _of(Object, object, "object"))

    def _name(self, text):
        if text is None:
            raise Error(_lib.cgw_strerror(Status.EHANDLE), Status.EHANDLE, 0)
        return text.decode()

    def object_name(self, object: Object) -> str:
        return self._name(_lib.cgw_object_name(
            self._opened("this Names"), _of(Object, object, "object")))

    def file_name(self, file: File) -> str:
        return self._name(_lib.cgw_file_name(
            self._opened("this Names"), _of(File, file, "file")))

    def fn_name(self, fn: Fn) -> tuple[str, File, Object]:
        """Return the name of a function, its file and its object."""
        file, object = File(), Object()
        text = _lib.cgw_fn_name(self._opened("this Names"), _of(Fn, fn, "fn"),
                                file, object)
        return self._name(text), file, object


# What cgw_finish returns when there is no file, or no longer, or another
# process has it.
_NOTHING_LOST = (Status.EFINISHED, Status.EORDER, Status.EFORK)
_writers = weakref.WeakSet()


@atexit.register
def _end_writers():
    with contextlib.ExitStack() as all_of_them:
        while _writers:
            all_of_them.callback(_writers.pop()._end_alone)


class Writer(_Shared):
    """A file being written.  The argument file is a descriptor, or a path:
    see cgw_open for the flags PATH_EXPAND and PATH_STRICT.  The end of a with
    block finishes the file, and so does close().  If nobody did, this happens
    with a ResourceWarning when the Writer is deleted or Python exits.  Without
    the flag THREADS, only one thread at a time may use a Writer."""

    _free = _lib.cgw_free
    _explain = _lib.cgw_explain
    _first_error = _lib.cgw_error
    _file = None  # what it was made with; None: it was not made

    def __init__(self, names: Names, file: str | bytes | os.PathLike | int,
                 flags: int = 0, creator: Text = None, buffer_size: int = 0,
                 queue_slots: int = 0):
        super().__init__()
        held = _of(Names, names, "names")._opened("names")
        options = _options(flags, creator, buffer_size, queue_slots)
        if isinstance(file, int):
            status = _lib.cgw_open_fd(self._held, held,
                                      _number(file, "file", 31), options)
        else:
            status = _lib.cgw_open(self._held, held, _path(file), options)
        self._check(status)
        self._is_shared = flags & THREADS != 0
        self._file = file
        _writers.add(self)

    def __exit__(self, kind, value, traceback):
        try:
            self.finish()
        except Error:
            if kind is None:
                raise
        finally:
            super().close()

    def close(self) -> None:
        """End the file, if it has not ended, and close this object.  If no part
        was begun, or in a forked child, there is nothing to end; with THREADS,
        the file's descriptor then stays open until the object is deleted."""
        try:
            status = self._end()
            if status not in _NOTHING_LOST:
                self._check(status)
        finally:
            super().close()

    def _end(self):
        return _lib.cgw_finish(self._held) if self._held else Status.EFINISHED

    def _end_alone(self):
        """End the file because nobody did."""
        status = self._end() if self._file is not None else Status.EFINISHED
        what = "the Writer of %r was not finished" % (self._file,)
        if status == Status.OK:
            warnings.warn(what, ResourceWarning, source=self)
        elif status not in _NOTHING_LOST:
            warnings.warn("%s, and the file is incomplete: %s"
                          % (what, self.error()), RuntimeWarning)

    def __del__(self):
        try:
            self._end_alone()
        finally:
            super().__del__()

    def _errno(self):
        return _lib.cgw_errno(self._held)

    def begin_part(self, events: Sequence[Event], positions: int = LINE,
                   **members) -> None:
        """Begin a part.  Each event is a name, or (name, long name[,
        formula]).  members are pid, number, thread, cmd, desc and summary, as
        in struct cgw_part."""
        self._check(_lib.cgw_begin_part(
            self._held, _part(events, positions, **members)))

    def cost(self, pos: Pos, costs: Sequence[int]) -> None:
        self._check(_lib.cgw_cost(self._held, _of(Pos, pos, "pos"),
                                  *_costs(costs)))

    def call(self, caller: Pos, callee: Pos, count: int,
             costs: Sequence[int]) -> None:
        """Record count calls.  costs are inclusive: those of the callee and of
        all that it called."""
        self._check(_lib.cgw_call(self._held, _of(Pos, caller, "caller"),
                                  _of(Pos, callee, "callee"),
                                  _number(count, "count"), *_costs(costs)))

    def jump(self, source: Pos, target: Pos, executed: int) -> None:
        self._check(_lib.cgw_jump(self._held, _of(Pos, source, "source"),
                                  _of(Pos, target, "target"),
                                  _number(executed, "executed")))

    def cond_jump(self, source: Pos, target: Pos, followed: int,
                  executed: int) -> None:
        self._check(_lib.cgw_cond_jump(self._held, _of(Pos, source, "source"),
                                       _of(Pos, target, "target"),
                                       _number(followed, "followed"),
                                       _number(executed, "executed")))

    def comment(self, text: Text) -> None:
        self._check(_lib.cgw_comment(self._held, _text(text, "text")))

    def flush(self) -> None:
        self._check(_lib.cgw_flush(self._held))

    def stats(self, n_costs: int = 0) -> types.SimpleNamespace:
        """Return the members of struct cgw_stats.  recorded_costs and
        lost_costs have n_costs elements."""
        n_costs = _number(n_costs, "n_costs")
        costs = [(c_uint64 * n_costs)() for _ in range(2)]
        stats = _Stats(ctypes.sizeof(_Stats), n_costs, *costs)
        self._check(_lib.cgw_get_stats(self._held, stats))
        return types.SimpleNamespace(
            recorded_costs=list(costs[0]), lost_costs=list(costs[1]),
            **{name: getattr(stats, name) for name in _Stats._counts})

    def finish(self) -> None:
        """End the file.  Raise the first error that left something out of it,
        even if an earlier call raised it.  A second finish does nothing."""
        if self._held:
            status = _lib.cgw_finish(self._held)
            if status != Status.EFINISHED:
                self._check(status)

    def salvage(self) -> None:
        """End the file without waiting for other threads, before os._exit for
        example."""
        self._check(_lib.cgw_salvage(self._held))


class Profile(_Held):
    """Sums of costs and calls, which write() writes as a part of a Writer's
    file."""

    _free = _lib.cgw_profile_free
    _explain = _lib.cgw_profile_explain
    _first_error = _lib.cgw_profile_error
    _tracers = {}  # the pointers that these hold
    _unfreed = []  # pointers of tracers that were closed in a call
    _visits = 0    # that go on
    _signed = frozenset()  # events

    def __init__(self, names: Names, n_events: int, positions: int = LINE):
        super().__init__()
        self._n_events, self._positions = n_events, positions
        self._tracers, self._unfreed = {}, []
        _of(Names, names, "names")
        names._check(_lib.cgw_profile_new(self._held, names._held,
                                          _number(n_events, "n_events"),
                                          _number(positions, "positions", 32)))

    def close(self) -> None:
        """Free this profile and its tracers."""
        if self._visits:
            raise Error(b"Profile.close: Profile.visit goes on", Status.EBUSY,
                        0)
        super().close()
        self._unfreed.clear()
        for held in self._tracers.values():
            held.value = None

    def _check(self, status):
        try:
            super()._check(status)
        finally:
            for _ in range(len(self._unfreed)):
                self._free_tracer(self._unfreed.pop(0))

    def _free_tracer(self, held):
        if _lib.cgw_tracer_free(held):
            self._unfreed.append(held)

    def cost(self, pos: Pos, costs: Sequence[int]) -> None:
        self._check(_lib.cgw_profile_cost(self._held, _of(Pos, pos, "pos"),
                                          *_costs(costs, self._signed)))

    def call(self, caller: Pos, callee: Pos, count: int,
             costs: Sequence[int]) -> None:
        self._check(_lib.cgw_profile_call(self._held,
                                          _of(Pos, caller, "caller"),
                                          _of(Pos, callee, "callee"),
                                          _number(count, "count"),
                                          *_costs(costs, self._signed)))

    def stack(self, frames: Sequence[Pos], costs: Sequence[int],
              count: int = 1) -> None:
        """Add a call stack that was seen count times.  frames[0] is the
        leaf."""
        self._check(_lib.cgw_profile_stack(
            self._held, *_positions(frames, "frames"),
            _number(count, "count"), *_costs(costs, self._signed)))

    def node(self, frames: Sequence[Pos], costs: Sequence[int],
             count: int) -> None:
        """Add a node of a call tree, called count times by frames[1]."""
        self._check(_lib.cgw_profile_node(
            self._held, *_positions(frames, "frames"),
            _number(count, "count"), *_costs(costs, self._signed)))

    def set_root(self, root: Fn) -> None:
        self._check(_lib.cgw_profile_set_root(self._held,
                                              _of(Fn, root, "root")))

    def set_signed(self, event: int) -> None:
        """Let costs of this event be below 0: call this first."""
        self._check(_lib.cgw_profile_set_signed(
            self._held, _number(event, "event")))
        self._signed = self._signed | {event}

    def total(self) -> list[int]:
        costs = (c_uint64 * self._n_events)()
        self._check(_lib.cgw_profile_total(self._held, costs, len(costs)))
        return self._sums(costs)

    def _sums(self, costs):
        return [n - (1 << 64) if i in self._signed and n >> 63 else n
                for i, n in enumerate(costs)]

    def visit(self, cost=None, call=None, stack=None) -> None:
        """Pass all sums to functions that take what the methods cost, call
        and stack take.  Without stack, all stacks are costs and calls.  An
        exception ends the visit."""
        raised = []

        def pos(at):
            return Pos.from_buffer_copy(at)

        def visitor(kind, function, convert):
            def visit_one(_, *arguments):
                try:
                    function(*convert(*arguments))
                except BaseException as exception:
                    raised.append(exception)
                return len(raised)  # not 0 ends the visit
            return kind(visit_one) if function else kind()
        to_all = _Visitor(
            ctypes.sizeof(_Visitor), None,
            visitor(_Visitor._cost, cost, lambda at, costs, n:
                    (pos(at[0]), self._sums(costs[:n]))),
            visitor(_Visitor._call, call, lambda at, to, count, costs, n:
                    (pos(at[0]), pos(to[0]), count, self._sums(costs[:n]))),
            visitor(_Visitor._stack, stack, lambda at, depth, count, costs, n:
                    ([pos(at[i]) for i in range(depth)],
                     self._sums(costs[:n]), count)))
        self._visits += 1
        try:
            status = _lib.cgw_profile_visit(self._held, to_all)
        finally:
            self._visits -= 1
        self._check(status if not raised else Status.OK)
        if raised:
            raise raised[0]

    def merge(self, other: Profile) -> None:
        self._check(_lib.cgw_profile_merge(
            self._held, _of(Profile, other, "other")._opened("other")))

    def pack(self) -> bytes:
        pieces = []

        def keep(_, at, n):
            pieces.append(ctypes.string_at(at, n))
            return n
        self._check(_lib.cgw_profile_pack(self._held, _Hook(keep), None))
        return b"".join(pieces)

    def unpack(self, data: bytes) -> None:
        data = bytes(memoryview(data))  # refuses str
        self._check(_lib.cgw_profile_unpack(self._held, data, len(data)))

    def write(self, writer: Writer, events: Sequence[Event],
              **members) -> None:
        """Begin a part of a file, as Writer.begin_part, and write all sums."""
        _of(Writer, writer, "writer")._check(_lib.cgw_profile_write(
            self._opened("this Profile"), writer._held,
            _part(events, self._positions, **members)))

    def save(self, path, events: Sequence[Event], flags: int = 0,
             creator: Text = None, **members) -> None:
        """Write all sums as a file, which replaces the one at path when it is
        complete.  The arguments are those of Writer and Writer.begin_part."""
        self._check(_lib.cgw_profile_save(
            self._held, _path(path),
            _part(events, self._positions, **members),
            _options(flags, creator)))

    def clear(self) -> None:
        self._check(_lib.cgw_profile_clear(self._held))


class Tracer(_Held):
    """The open calls of a thread or coroutine, whose costs are added to a
    Profile.  counters has n_counters elements, or is None where C takes
    NULL.

    Let no Error out of a hook of sys.setprofile: Python then removes the hook,
    and the program gets the exception.  Call leave only if depth() > 0."""

    _profile = None

    def __init__(self, profile: Profile, n_counters: int = 1, flags: int = 0):
        super().__init__()
        self._n_counters = n_counters
        options = _TracerOptions(ctypes.sizeof(_TracerOptions),
                                 _number(n_counters, "n_counters"),
                                 _number(flags, "flags"))
        self._profile = _of(Profile, profile, "profile")  # keep it alive
        profile._check(_lib.cgw_tracer_new(self._held, profile._held, options))
        profile._tracers[id(self)] = self._held

    def close(self) -> None:
        """Free this object: now, or at the end of the call on its profile that
        goes on."""
        if self._held:
            self._profile._free_tracer(c_void_p(self._held.value))
            self._held.value = None
        if self._profile:
            self._profile._tracers.pop(id(self), None)

    def _explain(self, _):
        return _lib.cgw_profile_explain(self._profile._held)

    def _first_error(self, _, sentence):
        return _lib.cgw_profile_error(self._profile._held, sentence)

    def _counters(self, counters):
        if counters is None:
            return None
        array, n = _costs(counters, self._profile._signed, 0, "counters")
        if n != self._n_counters:
            raise ValueError("len(counters) is %d, but n_counters is %d"
                             % (n, self._n_counters))
        return array

    def _costs(self, costs):
        return _costs(costs, self._profile._signed, self._n_counters)

    def enter(self, callee: Pos, counters: Counters, tag: int = 0,
              at: Pos | None = None) -> None:
        self._check(_lib.cgw_tracer_enter(self._held, _optional(at, "at"),
                                          _of(Pos, callee, "callee"),
                                          _number(tag, "tag"),
                                          self._counters(counters)))

    def edge(self, at: Pos, callee: Pos) -> Edge:
        edge = Edge()
        self._check(_lib.cgw_tracer_edge(self._held, _of(Pos, at, "at"),
                                         _of(Pos, callee, "callee"), edge))
        return edge

    def enter_edge(self, edge: Edge, counters: Counters,
                   tag: int = 0) -> None:
        self._check(_lib.cgw_tracer_enter_edge(self._held,
                                               _of(Edge, edge, "edge"),
                                               _number(tag, "tag"),
                                               self._counters(counters)))

    def leave(self, counters: Counters) -> None:
        self._check(_lib.cgw_tracer_leave(self._held,
                                          self._counters(counters)))

    def tail(self, callee: Pos, counters: Counters, tag: int = 0) -> None:
        self._check(_lib.cgw_tracer_tail(self._held,
                                         _of(Pos, callee, "callee"),
                                         _number(tag, "tag"),
                                         self._counters(counters)))

    def move(self, pos: Pos, counters: Counters) -> None:
        self._check(_lib.cgw_tracer_move(self._held, _of(Pos, pos, "pos"),
                                         self._counters(counters)))

    def block(self, positions: Sequence[Pos], costs: Sequence[int],
            counters: Counters) -> None:
        self._check(_lib.cgw_tracer_block(
            self._held, *_positions(positions, "positions"),
            *self._costs(costs), self._counters(counters)))

    def cost(self, costs: Sequence[int], pos: Pos | None = None) -> None:
        self._check(_lib.cgw_tracer_cost(self._held, _optional(pos, "pos"),
                                         *self._costs(costs)))

    def unwind(self, depth: int, counters: Counters) -> None:
        self._check(_lib.cgw_tracer_unwind(self._held, _number(depth, "depth"),
                                           self._counters(counters)))

    def unwind_tag(self, tag: int, counters: Counters) -> None:
        self._check(_lib.cgw_tracer_unwind_tag(self._held, _number(tag, "tag"),
                                               self._counters(counters)))

    def depth(self) -> int:
        return _lib.cgw_tracer_depth(self._held)

    def tag(self, depth: int) -> int:
        """Return the tag of an open call: 1 is the outermost, depth() the
        running one."""
        return _lib.cgw_tracer_tag(self._held, _number(depth, "depth"))

    def stop(self, counters: Counters) -> None:
        self._check(_lib.cgw_tracer_stop(self._held, self._counters(counters)))

    def start(self, counters: Counters) -> None:
        self._check(_lib.cgw_tracer_start(self._held,
                                          self._counters(counters)))

    def resume(self, resumer: Tracer, counters: Counters,
               at: Pos | None = None) -> None:
        """The running function of another tracer resumes this coroutine."""
        self._check(_lib.cgw_tracer_resume(
            self._held, _of(Tracer, resumer, "resumer")._opened("resumer"),
            _optional(at, "at"), self._counters(counters)))

    def yield_(self, counters: Counters) -> None:
        self._check(_lib.cgw_tracer_yield(self._held,
                                          self._counters(counters)))

    def sync(self, counters: Counters) -> None:
        self._check(_lib.cgw_tracer_sync(self._held, self._counters(counters)))


def _from_entries(entries):
    """Convert the entries of a cProfile.Profile as pstats does, except that
    functions with the same file, line and name, such as two lambdas on a line,
    are added up.  pstats keeps only the last of them."""
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

    Readers take the sum over a function's callers as its inclusive time.  In
    cProfile's statistics this sum is too high for recursive functions, because
    the time of an inner call is also part of the outer call.  So the times of
    edges into a recursive function are reduced to its cumulative time, which
    counts each moment once.  Calls from outside the recursion keep their times.
    Calls of a function by itself get 0.  Calls from other functions in the
    recursion share the rest in proportion to their times, but get no more than
    they had."""
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
    """Write the statistics of cProfile to path, or any file that Writer takes.
    stats is a pstats.Stats, the name of a saved file, or a cProfile.Profile,
    which this function stops.

    The event Time is in nanoseconds: self time (tottime) for each function,
    inclusive time for each caller and callee (see _edges for recursion).  The
    event Calls counts all calls of a function, including recursive ones.  It
    has no inclusive costs, because cProfile does not know them.

    Costs and calls are at the first line of the function, because cProfile
    knows no other lines.  Functions in C have no file and line.  If functions
    in a file share a name, ":" and the line are appended to the name of each.
    Equal stats give equal bytes."""
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
    names = Names()
    with Writer(names, path, creator="cgw.py") as w:
        positions = {}
        for key in keys:
            file, line, name = key
            if same[file, name] > 1:
                name = "%s:%d" % (name, line)
            handle = File() if file == "~" else names.add_file(file)
            positions[key] = Pos(names.add_fn(name, handle), max(0, line))
        w.begin_part([("Time", "Time (ns)"), ("Calls", "Calls, self only")],
                     cmd=cmd, summary=[sum(_ns(s[2]) for s in stats.values()),
                                       sum(s[1] for s in stats.values())])
        by_caller = {}
        for caller, callee in sorted(edges):
            by_caller.setdefault(caller, []).append(callee)
        for key in keys:
            if key in stats:
                w.cost(positions[key], [_ns(stats[key][2]), stats[key][1]])
            for callee in by_caller.get(key, ()):
                count, time = edges[key, callee]
                w.call(positions[key], positions[callee], count, [time])
