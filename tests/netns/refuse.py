#!/usr/bin/env python3
"""refuse.py NUMBER ERRNO PROGRAM...: runs it under a filter that answers one system call so.

What systemd's RestrictSUIDSGID= and old container engines do to openat2.
"""
import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_NUMBER, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL_WITH = 0x7fff0000, 0x00050000


class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def main():
    number, error = int(sys.argv[1]), int(sys.argv[2])
    steps = ((LOAD_NUMBER, 0, 0, 0), (IF_EQUAL, 0, 1, number), (RETURN, 0, 0, FAIL_WITH | error),
             (RETURN, 0, 0, ALLOW))
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(steps), code)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or \
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
    os.execvp(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()
