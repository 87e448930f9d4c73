"""The doors at which a running pxed tells of boots; that all of them tell the same.

Control socket, `pxed status` and `pxed log`, the page's documents, /metrics, and the log (as
JSON lines).  Nobody but the machine under test may boot or load meanwhile.
"""
import json
import socket
import subprocess
import time

import check
import net
import web

PAGE_KEPT = 0.2     # seconds that /api/status serves one document
SETTLED = 5.0       # seconds within which two answers must be alike
BOOT = ("id", "mac", "ip", "host", "profile", "arch", "client", "interface", "began", "stage", "state",
        "ended", "verdict", "sentence", "screen", "remedy")
FILE = ("door", "name", "served", "peer", "size", "sent", "asked", "block", "window", "rtt", "resent",
        "began", "end", "reason", "repeats")
LOGGED = ("name", "size", "block", "window", "resent")


def line(question):
    return question if isinstance(question, bytes) else json.dumps(question).encode() + b"\n"


def answers(sock, count):
    data = b""
    while data.count(b"\n") < count:
        more = sock.recv(65536)
        check.that(more, "the connection ended after %r" % data[:200])
        data += more
    return [json.loads(text) for text in data.splitlines()]


def ask(sock, *questions):
    """The answers to some questions, sent at once."""
    sock.sendall(b"".join(line(question) for question in questions))
    return answers(sock, len(questions))


class Doors:
    """host: pxed's, with socket(family, kind); configuration, control: paths; log(): its text."""

    def __init__(self, host, configuration, control, log):
        self.host, self.configuration, self.control, self.log = host, configuration, control, log

    def ask(self, verb, **words):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(70)
            sock.connect(self.control)
            answer = ask(sock, dict(words, verb=verb))[0]
        check.that(answer["ok"], "%s: %s" % (verb, answer))
        return answer

    def command(self, *arguments):
        """What a command of pxed prints about the one that runs."""
        done = subprocess.run([net.binary(), arguments[0], "-c", self.configuration,
                               *arguments[1:]], capture_output=True, text=True, timeout=90)
        check.equal(done.returncode, 0, "%s: %s" % (arguments, done.stderr))
        return done.stdout

    def lines(self, event):
        """The log's lines of this event."""
        told = [json.loads(text) for text in self.log().splitlines() if text.startswith("{")]
        return [one for one in told if one["event"] == event]

    def boot(self, mac):
        """The machine's newest boot, whole; None: it has not been heard."""
        boots = self.ask("boots", mac=mac)["boots"]
        return boots[0] if boots else None

    def tellings(self, boot):
        """{door: what it tells of the boot}, of the doors that tell of boots in this state."""
        status, own = "/api/status", "/api/boots?id=%d" % boot["id"]
        lists = {"control status": in_status(self.ask("status")),
                 "pxed status": in_status(json.loads(self.command("status", "--json"))),
                 status: in_status(web.document(self.host, status)),
                 own: web.document(self.host, own)["boots"]}
        past = {"control log": self.ask("log", mac=boot["mac"])["boots"],
                "pxed log": [json.loads(text) for text in
                             self.command("log", "--json", boot["mac"]).splitlines()]}
        found = {door: [one for one in boots if one["id"] == boot["id"]]
                 for door, boots in {**lists, **past}.items()}
        for door, boots in found.items():
            wanted = 0 if door in past and not boot["ended"] else 1
            check.equal(len(boots), wanted, "boots %d told by %s" % (boot["id"], door))
        return {door: boots[0] for door, boots in found.items() if boots}


def in_status(document):
    return document["boots"] + document["recent"]


def alike(boot):
    """What two tellings of a boot have to share, whatever the moment they were asked at."""
    return {**{key: boot.get(key) for key in BOOT},
            "files": [{key: file.get(key) for key in FILE} for file in boot["files"]]}


def same_boot(doors, mac):
    """The machine's boot, told alike at all doors; None: it went on all the time."""
    end = time.monotonic() + SETTLED
    while time.monotonic() < end:
        boot = doors.boot(mac)
        time.sleep(PAGE_KEPT + 0.05)
        told = doors.tellings(boot)
        after = doors.boot(mac)
        if (alike(after), after["events"]) == (alike(boot), boot["events"]):
            for door, one in told.items():
                check.equal(alike(one), alike(boot), door)
                check.equal(one.get("events", boot["events"]), boot["events"], "events by " + door)
            return boot
    return None


def times(rows, key):
    return sum(row.get(key) or 1 for row in rows)


def counted(numbers, metric, *labels):
    """The sum of a metric's samples that have these labels."""
    return sum(value for name, value in numbers.items()
               if name.partition("{")[0] == metric and all(label in name for label in labels))


def same_totals(doors):
    """Status, all boots it tells of, and /metrics: the same numbers.  Nothing may be under way."""
    totals, boots = doors.ask("status")["totals"], doors.ask("boots")["boots"]
    numbers, _ = web.metrics(doors.host)
    files = [file for boot in boots for file in boot["files"]]
    loaded = [file for file in files if file["end"] != "refused"]
    states = [boot["state"] for boot in boots]
    kinds = [event for boot in boots for event in boot["events"]]
    resent = sum(file["resent"] for file in loaded)
    told = {**{state: states.count(state) for state in ("booted", "stopped", "silent")},
            "transfers": times(loaded, "repeats"), "resent": resent,
            "octets": sum(file["sent"] for file in loaded)}
    check.equal(told, totals, "all boots together, and the totals")
    results = counted(numbers, "pxed_transfers_total")
    refused = counted(numbers, "pxed_transfers_total", 'result="refused"')
    measured = {**{state: counted(numbers, "pxed_boots_total", 'state="%s"' % state)
                   for state in ("booted", "stopped", "silent")},
                "transfers": results - refused,
                "resent": counted(numbers, "pxed_tftp_retransmits_total"),
                "octets": totals["octets"]}
    check.equal(measured, totals, "the metrics, and the totals")
    sent = counted(numbers, "pxed_sent_bytes_total")
    check.that(sent == totals["octets"] if resent == 0 else sent > totals["octets"],
               "octets sent: %d by the metrics, %d by the totals" % (sent, totals["octets"]))
    check.equal(counted(numbers, "pxed_boots_active"), states.count("booting"), "boots under way")
    for metric, label, *of in (("pxed_dhcp_packets_total", "discover", "discover"),
                               ("pxed_dhcp_packets_total", "request", "request", "ask-4011"),
                               ("pxed_dhcp_replies_total", "offer", "offer"),
                               ("pxed_dhcp_replies_total", "ack", "ack")):
        seen = times([event for event in kinds if event["kind"] in of], "repeats")
        check.equal(seen, counted(numbers, metric, 'type="%s"' % label), "%s of %s" % (metric, label))


def same_log(doors, boot):
    """The log's lines of the boot that ended; pxed has stopped, so that none is held back."""
    ended = [one for event in ("boot done", "boot stopped", "boot left alone")
             for one in doors.lines(event) if one["boot"] == boot["id"]]
    check.equal([(one["mac"], one["verdict"], one["sentence"]) for one in ended],
                [(boot["mac"], boot["verdict"], boot["sentence"])], "the boot's line")
    done = [one for event in ("tftp done", "http done") for one in doors.lines(event)
            if one.get("level") != "debug"]
    files = [file for file in boot["files"] if file["end"] == "done"]
    check.equal([[one[key] for key in ("mac", "file") + LOGGED[1:]] for one in done],
                [[boot["mac"]] + [file[key] for key in LOGGED] for file in files], "the files' lines")
    offers = [event for event in boot["events"] if event["kind"] == "offer"]
    check.equal(times(doors.lines("dhcp offer"), "repeated"), times(offers, "repeats"), "lines of offers")
