"""Plays a running pxed at its control socket: answers are what the test puts into it."""
import json
import os
import socket
import threading
import time


def a_boot(number, **more):
    """A boot that has ended, as docs/control.md has it."""
    boot = {
        "id": number, "mac": "52:54:00:12:34:%02x" % number, "ip": "10.0.5.%d" % number,
        "host": "lab-%02d" % number, "profile": "default", "arch": "x64-uefi", "client": "uefi",
        "interface": "eth0", "began": "2026-11-30T09:57:00.000Z",
        "ended": "2026-11-30T09:57:%02d.400Z" % number, "seconds": 7.4, "state": "booted",
        "stage": "file", "verdict": "booted", "sentence": "The machine loaded all it needs.",
        "screen": None, "remedy": None, "evidence": None, "files": [], "forgotten": 0,
    }
    return {**boot, **more}


def a_file(boot, **more):
    file = {
        "door": "tftp", "name": "boot.wim", "served": "boot.wim", "peer": "10.0.5.1:1234",
        "size": 1600000000, "sent": 1000000000, "block": 1468, "window": 16, "rtt": 0.0004,
        "resent": 0, "began": "2026-11-30T09:59:50.000Z", "seconds": 10.0, "rate": 95000000,
        "left": 6.3, "end": None, "boot": boot,
    }
    return {**file, **more}


def a_document(**more):
    document = {
        "version": "1.0.0", "time": "2026-11-30T10:00:00.000Z", "uptime": 3600.2, "pid": 17,
        "configuration": {"path": "/etc/pxed/pxed.json", "loaded": "2026-11-30T09:00:00.000Z",
                          "hosts": 3, "profiles": 2, "reload": None},
        "interfaces": [{"name": "eth0", "state": "serving", "address": "10.0.5.2",
                        "listen": "capture"}],
        "boots": [], "recent": [], "transfers": [], "conflicts": [], "held": [],
        "totals": {"booted": 12, "stopped": 1, "silent": 0, "transfers": 40,
                   "octets": 123456789, "resent": 17},
    }
    return {**document, **more}


class FakePxed:
    """Answers `status`, `log` and `version`; `ended` are the boots of the log."""

    def __init__(self, path, pid=17, ended=()):
        self.path = str(path)
        self.pid = pid
        self.document = a_document()
        self.ended = list(ended)
        self.questions = []
        self.refusal = None
        self.mute = False
        self.most = 1000  # boots in an answer
        self.changed = threading.Condition()
        self.peers = []
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        """As a process that ends: the socket goes, and who waits hears of it."""
        with self.changed:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
            os.unlink(self.path)
            for peer in self.peers:
                try:
                    peer.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def end(self, boot):
        with self.changed:
            self.ended.append(boot)
            self.changed.notify_all()

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            self.peers.append(peer)
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        try:
            with peer, peer.makefile("rw") as lines:
                for line in lines:
                    question = json.loads(line)
                    self.questions.append(question)
                    if self.mute:
                        time.sleep(60)
                    lines.write(json.dumps(self.answer(question)) + "\n")
                    lines.flush()
        except (OSError, ValueError):
            pass  # the peer has gone, or the test has ended

    def answer(self, question):
        if self.refusal:
            return {"ok": False, "error": self.refusal}
        if question["verb"] == "version":
            return {"ok": True, "version": "1.0.0", "pid": self.pid}
        if question["verb"] == "status":
            return {"ok": True, **self.document}
        after, mac = question.get("after", 0), question.get("mac")

        def some():
            return [boot for boot in self.ended[after:] if mac in (None, boot["mac"])]
        with self.changed:
            self.changed.wait_for(some, timeout=question.get("wait", 0))
            boots = some()[:self.most]
            end = self.ended.index(boots[-1]) + 1 if boots else len(self.ended)
            return {"ok": True, "boots": boots, "next": end}
