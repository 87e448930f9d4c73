"""A file system with one file whose reads take their time: a slow disk for tests.

Speaks the kernel's FUSE protocol (linux/fuse.h, version 7) as far as one read-only file needs
it.  mount() returns an object whose close() takes it away again.
"""
import ctypes
import os
import stat
import struct
import threading
import time

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, RELEASEDIR, BATCH_FORGET = 25, 26, 27, 29, 42
ROOT, FILE = 1, 2
HEADER = struct.Struct("=IIQQIIII")
LIBC = ctypes.CDLL(None, use_errno=True)
MNT_DETACH = 2


class SlowDisk:
    """One file `name` with `content`; each read of it waits `delay` seconds."""

    def __init__(self, path, name, content, delay):
        self.name, self.content, self.delay = name.encode(), content, delay
        self.path, self.reads = path, 0
        os.makedirs(path, exist_ok=True)
        self.fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % self.fd
        if LIBC.mount(b"slowdisk", path.encode(), b"fuse", 0, options.encode()):
            raise OSError(ctypes.get_errno(), "cannot mount a FUSE file system")
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def close(self):
        LIBC.umount2(self.path.encode(), MNT_DETACH)
        os.close(self.fd)

    def serve(self):
        while True:
            try:
                request = os.read(self.fd, 1 << 20)
            except OSError:
                return
            _, opcode, unique, node, *_ = HEADER.unpack_from(request)
            body = request[HEADER.size:]
            if opcode == READ:  # slow, and not in the way of the others
                threading.Thread(target=self.read, args=(unique, body), daemon=True).start()
            elif opcode not in (FORGET, BATCH_FORGET):
                self.reply(unique, *self.answer(opcode, node, body))

    def reply(self, unique, error, payload=b""):
        try:
            os.write(self.fd, struct.pack("=IiQ", 16 + len(payload), -error, unique) + payload)
        except OSError:
            pass  # taken away meanwhile

    def answer(self, opcode, node, body):
        """(errno, payload) for everything but READ."""
        if opcode == INIT:
            return 0, struct.pack("=IIIIHHIIHHI7I", 7, 31, 1 << 17, 0, 16, 12, 1 << 17, 1,
                                  0, 0, 0, *[0] * 7)
        if opcode == LOOKUP:
            if body.rstrip(b"\0") != self.name:
                return 2, b""
            return 0, struct.pack("=QQQQII", FILE, 0, 60, 60, 0, 0) + self.attributes(FILE)
        if opcode == GETATTR:
            return 0, struct.pack("=QII", 60, 0, 0) + self.attributes(node)
        if opcode in (OPEN, OPENDIR):
            return 0, struct.pack("=QII", 1, 0, 0)
        if opcode in (FLUSH, RELEASE, RELEASEDIR):
            return 0, b""
        if opcode == STATFS:
            return 0, struct.pack("=QQQQQIIII24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
        return 38, b""

    def attributes(self, node):
        size = len(self.content) if node == FILE else 0
        mode = stat.S_IFREG | 0o644 if node == FILE else stat.S_IFDIR | 0o755
        return struct.pack("=QQQQQQIIIIIIIIII", node, size, (size + 511) // 512, 0, 0, 0,
                           0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def read(self, unique, body):
        _, offset, size = struct.unpack_from("=QQI", body)
        self.reads += 1
        time.sleep(self.delay)
        self.reply(unique, 0, self.content[offset:offset + size])
