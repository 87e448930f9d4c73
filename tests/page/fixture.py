"""Documents as docs/control.md describes them, and a server that gives them to the page."""
import http.server
import json
import os
import re
import threading
import time
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def stamp(seconds):
    """RFC 3339 with milliseconds."""
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return "%s.%03dZ" % (whole, int(seconds % 1 * 1000))


def file(name, size, sent=None, **more):
    """A FILE; without `sent` it has come whole."""
    seconds = more.pop("seconds", 0.8)
    done = sent is None
    sent = size if done else sent
    rate = sent / seconds if seconds else 0
    row = {"door": "tftp", "name": name, "served": name, "peer": "10.0.5.77:1234", "size": size,
           "sent": sent, "asked": {"blksize": 1468, "windowsize": 16, "tsize": 0}, "block": 1468,
           "window": 16, "rtt": 0.0004, "resent": 0, "began": stamp(time.time() - seconds),
           "seconds": seconds, "rate": rate, "left": None if done or not rate else (size - sent) / rate,
           "end": "done" if done else None}
    row.update(more)
    return row


def event(at, kind, text, **more):
    """An event of a timeline."""
    return {"at": at, "kind": kind, "text": text, "repeats": 1, **more}


def boot(number, **more):
    """A BOOT that ended well a while ago, unless told otherwise."""
    ended = time.time() - more.pop("ago", 60 * number)
    seconds = more.get("seconds", 7.4)
    mac = "52:54:00:%02x:%02x:%02x" % (number >> 16 & 255, number >> 8 & 255, number & 255)
    row = {"id": number, "mac": mac, "ip": "10.0.5.%d" % (number % 250 + 1), "host": None,
           "profile": "default", "arch": "x64-uefi", "client": "edk2", "interface": "eth0",
           "began": stamp(ended - seconds), "ended": stamp(ended), "seconds": seconds,
           "state": "booted", "stage": "second-stage", "verdict": "booted",
           "sentence": "The machine loaded x64/ipxe.efi and went on by itself.",
           "screen": None, "remedy": None, "evidence": None,
           "files": [file("x64/ipxe.efi", 1027072, seconds=0.1)], "forgotten": 0,
           "events": [event(0, "discover", "DISCOVER, x64-uefi, PXEClient"),
                      event(0.001, "offer", "our offer, form pxe: x64/ipxe.efi"),
                      event(0.012, "other-offer", "10.0.5.1 offers an address", server="10.0.5.1"),
                      event(4.02, "request", "takes 10.0.5.77 from 10.0.5.1"),
                      event(4.1, "ask-4011", "asks port 4011 for its file"),
                      event(4.101, "ack", "our answer: x64/ipxe.efi"),
                      event(4.3, "file", "x64/ipxe.efi, 1.0 MB in 0.1 s"),
                      event(7.4, "verdict", "booted")]}
    row.update(more)
    row.setdefault("attention", row["state"] == "stopped")
    return row


def under_way(number, stage, **more):
    """A BOOT that goes on."""
    row = boot(number, ago=0, stage=stage, state="booting", verdict=None, sentence=None, **more)
    row.update(ended=None, began=stamp(time.time() - row["seconds"]))
    row["events"] = [e for e in row["events"] if e["at"] <= row["seconds"]]
    if stage not in ("file", "second-stage"):
        row["files"] = []
    return row


NO_FILE = {
    "state": "stopped", "stage": "discover", "verdict": "no-file", "seconds": 64.0, "files": [], "arch": "arm64-uefi",
    "sentence": "The machine got no boot file, because profile default names none for arm64-uefi.",
    "screen": "PXE-E53: No boot filename received.",
    "remedy": "Add \"arm64-uefi\" to the profile, or \"action\": \"ignore\" to the host.",
    "events": [event(0, "discover", "DISCOVER, arm64-uefi, PXEClient", repeats=4),
               event(0.001, "silent", "no answer: no-file", reason="no-file", repeats=4),
               event(64, "verdict", "no-file")]}
PROBE_ONLY = {
    "state": "stopped", "stage": "file", "verdict": "size-probe-only", "seconds": 31.2,
    "sentence": "The machine asked for the size of x64/grubx64.efi and then did not load it.",
    "screen": "Access Denied", "evidence": "3-525400000003.pcap",
    "remedy": "Secure Boot refuses an unsigned file: begin the chain with a signed shim, or switch Secure Boot off.",
    "files": [file("x64/grubx64.efi", 2584264, sent=0, seconds=0.01, end="probe")]}
HOSTILE = "<img src=x onerror=alert(1)>\u202e\\x1b[31m</script><script>document.title='owned'</script>"


def status(**more):
    """A status document of a quiet server."""
    now = time.time()
    document = {
        "version": "1.0.0", "time": stamp(now), "uptime": 93600.2, "pid": 17,
        "configuration": {"path": "/etc/pxed/pxed.json", "loaded": stamp(now - 86000), "hosts": 214,
                          "profiles": 3, "reload": None},
        "interfaces": [{"name": "eth0", "state": "serving", "address": "10.0.5.2", "listen": "capture"}],
        "boots": [], "recent": [], "transfers": [], "conflicts": [], "held": [],
        "totals": {"booted": 128, "stopped": 3, "transfers": 412, "octets": 1234567890, "resent": 17},
        "confinement": {"user": "pxed", "no_new_privs": True, "landlock": True, "seccomp": True}}
    document.update(more)
    return document


def with_transfers(document):
    """Adds the files under way of its boots, as the server does."""
    for one in document["boots"]:
        for row in one["files"]:
            if row["end"] is None:
                document["transfers"].append({**row, "boot": one["id"]})
    return document


def busy_morning():
    """Boots under way, some that failed, a conflict: what a screenshot is to show."""
    going = [
        under_way(41, "file", host="lab-04", seconds=6.2,
                  files=[file("x64/boot.wim", 412000000, sent=263000000, seconds=3.1)]),
        under_way(42, "file", host="lab-11", seconds=5.1, arch="x86-bios", client="pxe-rom",
                  files=[file("undionly.kpxe", 70192, sent=41000, seconds=0.2, block=512, window=1, resent=2)]),
        under_way(43, "offered", seconds=2.2), under_way(44, "requested", host="kiosk-2", seconds=4.4)]
    ended = [boot(5, host="lab-07", ago=40, **NO_FILE), boot(6, ago=95, **NO_FILE),
             boot(3, host="build-02", ago=130, **PROBE_ONLY)]
    ended += [boot(20 + i, host="lab-%02d" % (20 + i), ago=200 + 77 * i, seconds=6 + i / 3) for i in range(9)]
    conflict = {"kind": "second-proxy", "count": 4, "sentence":
                "10.0.5.9 (52:54:00:aa:bb:cc) also answers PXE clients: a machine takes the offer that comes first."}
    held = [{"mac": "52:54:00:77:00:01", "host": "new-rack", "last_seen": stamp(time.time() - 20)}]
    reload = {"time": stamp(time.time() - 300), "ok": False, "faults": 2,
              "first": "pxed.json:7:5: profiles.default.x64-uefii: unknown architecture; did you mean x64-uefi?"}
    document = status(boots=going, recent=ended, conflicts=[conflict], held=held)
    document["configuration"]["reload"] = reload
    return with_transfers(document)


def crowd(count):
    """`count` boots under way and as many that ended, one in ten badly."""
    going = [under_way(i, "file", seconds=3.3, files=[file("x64/boot.wim", 412000000, sent=400000 * i, seconds=3.0)])
             for i in range(1, count + 1)]
    ended = [boot(count + i, ago=3 * i, **(NO_FILE if i % 10 == 0 else {})) for i in range(1, count + 1)]
    return with_transfers(status(boots=going, recent=ended))


def without_events(one):
    return {key: value for key, value in one.items() if key != "events"}


def page():
    with open(os.path.join(TOP, "app", "page", "index.html"), "rb") as source:
        return source.read()


def policy():
    """The Content-Security-Policy that pxed sends with the page."""
    with open(os.path.join(TOP, "app", "page.c")) as source:
        text = re.search(r"define PAGE_POLICY((?:.|\\\n)*?\")\n\n", source.read()).group(1)
    return "".join(re.findall(r'"([^"]*)"', text))


class Handler(http.server.BaseHTTPRequestHandler):
    """The doors of the page, from server.document."""

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        document = self.server.document
        if url.path == "/":
            self.answer(page(), "text/html; charset=utf-8")
        elif document is None:
            self.send_error(503)
        elif url.path == "/api/status":
            rows = {key: [without_events(one) for one in document[key]] for key in ("boots", "recent")}
            self.answer(json.dumps({**document, **rows}).encode(), "application/json")
        elif url.path == "/api/boots":
            number = int(urllib.parse.parse_qs(url.query)["id"][0])
            found = [one for one in document["boots"] + document["recent"] if one["id"] == number]
            self.answer(json.dumps({"boots": found}).encode(), "application/json")
        else:
            self.send_error(404)

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", policy())
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server:
    """with Server(document) as server: ... server.url; server.document may change."""

    def __init__(self, document):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.document = document
        self.url = "http://127.0.0.1:%d/" % self.http.server_port

    def show(self, document):
        self.http.document = document

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc):
        self.http.shutdown()
        self.http.server_close()
