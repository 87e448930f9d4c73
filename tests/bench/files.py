"""The files that servers are measured with."""
import os
import shutil
import tempfile

import rows

ROOM = 3 << 30     # octets all files need, and some more


def memory_folder():
    """A folder in memory with room for the files, or None."""
    try:
        room = os.statvfs("/dev/shm")
    except OSError:
        return None
    enough = room.f_bavail * room.f_frsize > ROOM
    return "/dev/shm" if enough and os.access("/dev/shm", os.W_OK) else None


class Files:
    """The boot root, in memory where that is possible."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="pxed-bench-", dir=memory_folder())
        os.chmod(self.path, 0o755)
        self.sizes = set()
        with open(os.path.join(self.path, "ready"), "wb") as file:
            file.write(b"yes\n")

    def of_size(self, size):
        """Name of a file of this size, made of chance, so that no two blocks are alike."""
        name = "file-%d" % size
        if size not in self.sizes:
            with open(os.path.join(self.path, name), "wb") as file:
                for done in range(0, size, rows.MIB):
                    file.write(os.urandom(min(rows.MIB, size - done)))
            self.sizes.add(size)
        return name

    def close(self):
        shutil.rmtree(self.path)
