"""Faults for a running pxed: which calls of the C library fail, and how wrong its clock is.

    inject = Injector(net.folder)
    pxed = net.pxed(server, configuration, under=inject.words)
    with inject.fails("sendmsg", errno.ENOBUFS, times=3) as fault:
        ...
    fault.failed                    how many calls did

The calls are those of CALLS in inject.c; own=True: only those that pxed itself makes, not the
libraries it uses.  Needs build/inject.so.
"""
import contextlib
import mmap
import os
import struct

import check
import net

FOREVER = 0xffffffff
END = -1  # in place of an errno: the process ends before the call, as by kill -9

RULES, NAMES, NAME_SIZE = 4, 64, 24
CLOCK = struct.Struct("=q")
LIVE = struct.Struct("=q")
RULE = struct.Struct("=QiIIIII")
RULES_AT = CLOCK.size + LIVE.size
COUNTS_AT = RULES_AT + RULES * RULE.size
NAMES_AT = COUNTS_AT + 8 * NAMES
SIZE = NAMES_AT + NAMES * NAME_SIZE
SEEN_AT, FAILED_AT = 24, 28


class Fault:
    """A rule that holds."""

    def __init__(self, page, at):
        self.page, self.at, self.kept = page, at, None

    @property
    def failed(self):
        return self.number(FAILED_AT)

    @property
    def seen(self):
        return self.number(SEEN_AT)

    def number(self, offset):
        page = self.kept or self.page[self.at:self.at + RULE.size]
        return struct.unpack_from("=I", page, offset)[0]

    def end(self):
        self.page[self.at:self.at + 8] = bytes(8)
        self.kept = self.page[self.at:self.at + RULE.size]


class Injector:
    def __init__(self, folder):
        library = os.path.join(os.path.dirname(os.path.abspath(net.binary())), "inject.so")
        if net.has_sanitizer():
            check.skip("a sanitizer and inject.so do not go together")
        self.path = os.path.join(folder, "inject-%d" % next(net.numbers))
        with open(self.path, "wb") as file:
            file.truncate(SIZE)
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), SIZE)
        # No sanitizer looks: what is freed, and what nobody wrote to yet, is at least not what it was.
        self.words = ("env", "LD_PRELOAD=" + library, "INJECT_PAGE=" + self.path, "MALLOC_PERTURB_=165")
        net.sh(*self.words, "true")  # which writes the names
        rows = (self.page[at:at + NAME_SIZE] for at in range(NAMES_AT, SIZE, NAME_SIZE))
        self.names = [row.rstrip(b"\0").decode() for row in rows]

    @contextlib.contextmanager
    def fails(self, calls, error, times=1, skip=0, own=False, rule=0):
        """Calls: a name, or several.  The first `skip` go through, then so many fail."""
        fault = self.begin(calls, error, times, skip, own, rule)
        try:
            yield fault
        finally:
            fault.end()

    def begin(self, calls, error, times=1, skip=0, own=False, rule=0):
        mask = sum(1 << self.names.index(name) for name in calls.split())
        at = RULES_AT + rule * RULE.size
        self.page[at:at + RULE.size] = RULE.pack(0, error, own, skip, times, 0, 0)
        self.page[at:at + 8] = struct.pack("=Q", mask)
        return Fault(self.page, at)

    def count(self, call):
        """How often it was made since the start."""
        return struct.unpack_from("=Q", self.page, COUNTS_AT + 8 * self.names.index(call))[0]

    def live(self):
        """How many pieces of memory are in use; compare with another time."""
        return LIVE.unpack_from(self.page, CLOCK.size)[0]

    def clock(self, seconds):
        """The wall clock is so far ahead of the real one, or behind."""
        self.page[:CLOCK.size] = CLOCK.pack(seconds)
