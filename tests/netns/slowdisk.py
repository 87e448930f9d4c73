"""A file system with one file that a test slows down, freezes, breaks or changes.

Speaks the kernel's FUSE protocol (linux/fuse.h, version 7) as far as one read-only file needs
it.  The object's close() takes it away again.
"""
import ctypes
import os
import select
import stat
import struct
import threading
import time

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 14, 15, 17, 18
FLUSH, INIT, INTERRUPT, OPENDIR, RELEASEDIR, BATCH_FORGET = 25, 26, 36, 27, 29, 42
ROOT, FILE = 1, 2
HEADER = struct.Struct("=IIQQIIII")
LIBC = ctypes.CDLL(None, use_errno=True)
MNT_DETACH = 2
EIO = 5


class SlowDisk:
    """One file `name` with `content`; each read of it waits `delay` seconds.

    freeze(): nobody listens to what is asked, until thaw().  keeps: seconds for which the
    kernel believes what it was told of names and attributes.  bad_from: reads from there on
    fail.  `content` and `changed` (seconds since 1970) may be set at any time: somebody else has
    written to the file.
    """

    def __init__(self, path, name, content, delay=0.0, keeps=60, bad_from=None):
        self.name, self.content, self.delay = name.encode(), content, delay
        self.path, self.reads, self.keeps, self.bad_from = path, 0, keeps, bad_from
        self.changed = 1000
        self.going = threading.Event()
        self.going.set()
        self.parked = threading.Event()
        os.makedirs(path, exist_ok=True)
        self.fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % self.fd
        if LIBC.mount(b"slowdisk", path.encode(), b"fuse", 0, options.encode()):
            raise OSError(ctypes.get_errno(), "cannot mount a FUSE file system")
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        self.thaw()  # nobody could end who waits for an answer
        LIBC.umount2(self.path.encode(), MNT_DETACH)
        os.close(self.fd)

    def freeze(self):
        self.going.clear()
        self.parked.wait()

    def thaw(self):
        self.going.set()

    def wait_for_request(self):
        """A request that was taken could not be given up by who asked, even when that is killed."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        while not self.going.is_set() or not poll.poll(10):
            if not self.going.is_set():
                self.parked.set()
                self.going.wait()
                self.parked.clear()

    def serve(self):
        while True:
            try:
                self.wait_for_request()
                request = os.read(self.fd, 1 << 20)
                if not request:
                    return
            except OSError:
                return
            _, opcode, unique, node, *_ = HEADER.unpack_from(request)
            body = request[HEADER.size:]
            if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
                continue
            if opcode == READ:  # slow, and not in the way of the others
                threading.Thread(target=self.reply_late, args=(opcode, unique, node, body),
                                 daemon=True).start()
            else:
                self.reply(unique, *self.answer(opcode, node, body))

    def reply_late(self, opcode, unique, node, body):
        time.sleep(self.delay)
        self.reply(unique, *self.answer(opcode, node, body))

    def reply(self, unique, error, payload=b""):
        try:
            os.write(self.fd, struct.pack("=IiQ", 16 + len(payload), -error, unique) + payload)
        except OSError:
            pass  # taken away meanwhile

    def answer(self, opcode, node, body):
        """(errno, payload)."""
        if opcode == INIT:
            return 0, struct.pack("=IIIIHHIIHHI7I", 7, 31, 1 << 17, 0, 16, 12, 1 << 17, 1,
                                  0, 0, 0, *[0] * 7)
        if opcode == LOOKUP:
            if body.rstrip(b"\0") != self.name:
                return 2, b""
            return 0, struct.pack("=QQQQII", FILE, 0, self.keeps, self.keeps, 0, 0) + self.attributes(FILE)
        if opcode == GETATTR:
            return 0, struct.pack("=QII", self.keeps, 0, 0) + self.attributes(node)
        if opcode in (OPEN, OPENDIR):
            return 0, struct.pack("=QII", 1, 0, 0)
        if opcode in (FLUSH, RELEASE, RELEASEDIR):
            return 0, b""
        if opcode == STATFS:
            return 0, struct.pack("=QQQQQIIII24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
        if opcode == READ:
            return self.read(body)
        return 38, b""

    def attributes(self, node):
        size = len(self.content) if node == FILE else 0
        mode = stat.S_IFREG | 0o644 if node == FILE else stat.S_IFDIR | 0o755
        return struct.pack("=QQQQQQIIIIIIIIII", node, size, (size + 511) // 512, self.changed,
                           self.changed, self.changed, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def read(self, body):
        _, offset, size = struct.unpack_from("=QQI", body)
        self.reads += 1
        if self.bad_from is not None and offset + size > self.bad_from:
            return EIO, b""
        return 0, self.content[offset:offset + size]
