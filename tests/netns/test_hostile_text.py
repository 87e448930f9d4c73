"""Hostile text through every field that a peer fills in, to every door where it is shown.

One table of strings, one of senders, one of doors: nothing but printable characters comes out,
no line and no field begins that pxed did not begin.
"""
import json
import os
import re
import struct
import subprocess
import threading
import time
import unicodedata
import urllib.parse

import check
import dhcp
import dhcp6
import net
import tftp
import web
import wire

MARK = b"zq"
TEXTS = (
    b"zq\x1b[31m red \x1b[2J",                                 # a terminal's colours, its screen
    b"zq\x1b]0;INJECTED\x07\x1b]8;;http://evil\x1b\\",         # its title, a link
    b"zq\nINJECTED pxed ready\r\nINJECTED",                    # a line of the log
    b"zq\nMESSAGE=INJECTED\n_PID=1\nINJECTED=1",               # a field of the journal
    b"zq\"'`\\\" INJECTED=\"1",                                # an end of quotes
    b"zq\"} 1\nINJECTED_metric 5\n",                           # a sample of Prometheus
    b"zq</script><img src=x onerror=alert(1)><!--",            # a page
    "zq\u2028INJECTED\u2029".encode(),                         # line ends of JavaScript
    "zq\u202egnp.exe\u2066\u200f".encode(),                    # another direction
    "zq\u009b31m\u0085\ufeff".encode(),                        # C1 as UTF-8
    b"zq\x9b31m\x85\xff\xfe\xc0\x80\xed\xa0\x80\x80",          # and raw, and no UTF-8 at all
    b"zq\0INJECTED\0",
    b"zq','');DROP TABLE machine;--,=1+1,@SUM(A1)",            # SQLite, a spreadsheet
    b"zq%n%s%999999d{mac}${net0/mac}\\x1b\\u001b",             # formats, templates, escapes
)
REQUESTS = ("pxe", "class", "user", "host", "client", "uuid", "file", "sname", "encapsulated",
            "circuit")


class Site:
    def __init__(self, network, form):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.state = os.path.join(network.folder, "state")
        os.mkdir(self.state)
        os.chmod(self.state, 0o777)
        configuration = net.config(self.root, unknown={"action": "hold"} if form == "json" else None)
        configuration.update(control=os.path.join(network.folder, "control.sock"), state_dir=self.state,
                             log={"format": form},
                             http={"listen": "[::]:8069", "boot_files": True, "page_from": ["0.0.0.0/0"]})
        self.pxed = network.pxed(self.server, configuration)
        self.pxe = dhcp.Client(self.client)
        self.macs = 0

    def mac(self):
        self.macs += 1
        return b"\x02\x77" + struct.pack("!I", self.macs)

    def command(self, *words):
        return subprocess.run(["ip", "netns", "exec", self.server.name, net.binary(), *words],
                              capture_output=True, timeout=30)


# -- senders -----------------------------------------------------------------------------------

def request(text, field, mac):
    """A DISCOVER with this text in one field."""
    message = dhcp.discover(7, chaddr=mac.ljust(16, b"\0"))
    if field == "pxe":
        message.set(60, dhcp.class_text(7) + text)
    elif field == "file":
        message.change(file=text[:128].ljust(128, b"\0"))
    elif field == "sname":
        message.change(sname=text[:64].ljust(64, b"\0"))
    elif field == "circuit":
        sub = b"\x01" + bytes([len(text)]) + text + b"\x02" + bytes([len(text)]) + text
        message.change(giaddr=net.CLIENT, hops=1).set(82, sub)
    else:
        code = {"class": 60, "user": 77, "host": 12, "client": 61, "uuid": 97, "encapsulated": 43}[field]
        message.set(code, text if field != "uuid" else b"\0" + text[:16].ljust(16, b"\x1b"))
    return message


def by_dhcp(site):
    for text in TEXTS:
        for field in REQUESTS:
            site.pxe.send(request(text, field, site.mac()))
        time.sleep(0.02)


def offers(text, asked):
    """Offers of a foreign server with this text wherever one may be."""
    for option in (None, 12, 15, 43, 60, 66, 67, 97, 209, 210):
        reply = asked.copy().change(op=2, yiaddr="10.77.0.150", siaddr="10.77.0.66",
                                    file=text[:128].ljust(128, b"\0"), sname=text[:64].ljust(64, b"\0"))
        reply.options = [(53, b"\2"), (54, b"\x0a\x4d\0\x42"), (60, b"PXEClient")]
        if option == 43:
            reply.set(43, b"\x06\x01\x08\x09" + bytes([len(text) + 3, 0, 1, len(text)]) + text +
                      b"\x0a" + bytes([len(text) + 1, 0]) + text + b"\xff")
        elif option:
            reply.set(option, (b"PXEClient" if option == 60 else b"") + text)
        yield reply


def by_another_server(site):
    for text in TEXTS:
        asked = dhcp.discover(7, chaddr=site.mac().ljust(16, b"\0"))
        site.pxe.send(asked)
        for reply in offers(text, asked):
            site.pxe.wire.send(wire.udp_frame(site.pxe.wire.mac, wire.BROADCAST_MAC, "10.77.0.66",
                                              "255.255.255.255", 67, 68, reply.pack()))
        time.sleep(0.02)


def by_dhcp6(site):
    sock = site.client.udp("fe80::%s%%eth0" % site.client.link_local("eth0")[6:], 546)
    where = ("ff02::1:2", 547, 0, site.client.index("eth0"))
    for text in TEXTS:
        classed = struct.pack("!H", len(text)) + text
        for code, value in ((dhcp6.CLIENT_ID, text), (dhcp6.USER_CLASS, classed), (dhcp6.URL, text),
                            (dhcp6.VENDOR_CLASS, struct.pack("!I", 343) + classed), (39, b"\0" + text)):
            message = dhcp6.solicit(duid=b"\0\3\0\1" + site.mac())
            message.options = [pair for pair in message.options if pair[0] != code] + [(code, value)]
            sock.sendto(message.pack(), where)
    sock.close()


def by_tftp(site):
    for text in TEXTS:
        for datagram in (tftp.rrq(text), tftp.rrq(b"x64.efi" + text), tftp.rrq("x64.efi", mode=text),
                         tftp.rrq("x64.efi", options=[(text, text)]), tftp.rrq(text, op=2),
                         tftp.rrq("x64.efi", options=[("blksize", text), ("tsize", text)])):
            client = tftp.Client(site.client, net.SERVER)
            client.send(datagram)
            if client.receive(0.5):
                client.send(tftp.error(0, text.decode("latin-1").replace("\0", " ")))
            client.close()


def by_http(site):
    for text in TEXTS:
        quoted = urllib.parse.quote_from_bytes(text)
        plain = text.replace(b"\0", b"").replace(b"\n", b"").replace(b"\r", b"").decode("latin-1")
        for path, fields in (("/" + quoted, {}), ("/" + plain.replace(" ", "_"), {}),
                             ("/x64.efi?" + quoted, {"User_Agent": plain, "Host": plain, "Range": plain}),
                             ("/api/" + quoted, {}), ("/evidence/" + quoted, {}),
                             ("/api/boots?mac=" + quoted, {"If_None_Match": plain, "Referer": plain})):
            send_http(site, path, fields)
        send_http(site, "/x64.efi", {}, method="".join(c for c in plain if c.isprintable()) or "X")


def send_http(site, path, fields, method="GET"):
    with web.Connection(site.client, net.SERVER) as connection:
        lines = ["%s %s HTTP/1.1" % (method, path)]
        lines += ["%s: %s" % (name.replace("_", "-"), value) for name, value in fields.items()]
        connection.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        try:
            answer = connection.read()
        except (check.Failed, ConnectionResetError, ValueError, IndexError):
            return
        is_plain(answer.body.replace(b"\r", b""), "the answer to GET %s" % check.show(path))
        for name, value in answer.fields.items():
            is_plain(value.encode("latin-1"), "the field " + name)


# -- what may be shown -------------------------------------------------------------------------

def is_plain(octets, what):
    """Only characters that are seen, in the direction in which they stand."""
    try:
        text = octets.decode()
    except UnicodeDecodeError as fault:
        check.fail("%s is no UTF-8: %s" % (what, fault))
    for character in text:
        kind = unicodedata.category(character)
        check.that(character in "\n" or kind not in ("Cc", "Cf", "Zl", "Zp", "Cs"),
                   "%s holds U+%04x: %r" % (what, ord(character), around(text, character)))
    check.that(not re.search(r"(?m)^\W*INJECTED", text), "%s has a line of a peer's: %r" % (
        what, around(text, "INJECTED")))
    return text


def around(text, what):
    at = text.find(what)
    return text[max(0, at - 60):at + 60]


def strings(value):
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, str):
        yield value


def is_plain_json(octets, what):
    """As it stands, and what its strings stand for."""
    is_plain(octets, what)
    for text in strings(json.loads(octets)):
        is_plain(text.replace("\t", " ").encode(), "a string of " + what)


def look_at_commands(site):
    config = ("-c", site.pxed.config_path)
    for words in (("status",), ("log", "-n", "500"), ("learned",), ("approve",), ("reset",)):
        done = site.command(*words, *config)
        is_plain(done.stdout + done.stderr, "pxed " + words[0])
    for words in (("status", "--json"), ("learned", "--json")):
        is_plain_json(site.command(*words, *config).stdout, "pxed " + " ".join(words))
    for line in site.command("log", "--json", "-n", "500", *config).stdout.splitlines():
        is_plain_json(line, "pxed log --json")


def look_at_pages(site):
    for path in ("/api/status", "/api/boots"):
        document = web.get(site.client, net.SERVER, path).body
        check.that(MARK in document, "nothing of it came to " + path)
        is_plain_json(document, path)
    text = is_plain(web.get(site.client, net.SERVER, "/metrics").body, "/metrics")
    for line in text.splitlines():
        check.that(line.startswith("# ") or re.fullmatch(
            r'[a-z0-9_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\})? \S+', line), "a sample: %r" % line)
    page = web.get(site.client, net.SERVER, "/").body
    check.that(MARK + b"<" not in page and b"onerror" not in page, "a peer's text in the page itself")


def look_at_log(site, form):
    with open(site.pxed.path, "rb") as file:
        log = file.read()
    check.that(MARK in log, "nothing of it came to the log")
    is_plain(log, "the log")
    for line in log.splitlines() if form == "json" else ():
        if line.startswith(b"{"):
            is_plain_json(line, "the log as JSON")


def everything_is_shown_plain(form):
    with net.Net() as network:
        site = Site(network, form)
        for send in (by_dhcp, by_another_server, by_dhcp6, by_tftp, by_http):
            send(site)
        time.sleep(0.3)
        look_at_commands(site)
        look_at_pages(site)
        site.pxed.stop()
        look_at_log(site, form)
        for name in os.listdir(site.state):
            check.that(re.fullmatch(r"[\w.-]+", name), "a file named %r" % name)


def test_nothing_of_a_peer_is_shown_as_it_came():
    everything_is_shown_plain("text")


def test_nor_in_a_log_of_json_nor_of_machines_that_wait():
    everything_is_shown_plain("json")


def test_a_recording_explained():
    """`pxed explain --pcap`, and its documents."""
    with net.Net() as network:
        site = Site(network, "text")
        frames = []
        for text in TEXTS:
            for field in REQUESTS:
                message = request(text, field, site.mac())
                frames.append(wire.udp_frame(b"\x02" * 6, wire.BROADCAST_MAC, "0.0.0.0",
                                             "255.255.255.255", 68, 67, message.pack()))
            frames += [wire.udp_frame(b"\x02" * 6, wire.BROADCAST_MAC, "10.77.0.66", "255.255.255.255",
                                      67, 68, reply.pack()) for reply in offers(text, message)]
        path = os.path.join(network.folder, "hostile.pcap")
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
            for frame in frames:
                file.write(struct.pack("<IIII", 1, 0, len(frame), len(frame)) + frame)
        done = site.command("explain", "-c", site.pxed.config_path, "--pcap", path)
        check.that(b"x64.efi" in done.stdout, "nothing is explained: %r" % (done.stderr + done.stdout)[:900])
        is_plain(done.stdout + done.stderr, "pxed explain")
        done = site.command("explain", "-c", site.pxed.config_path, "--pcap", path, "--json")
        is_plain_json(done.stdout, "pxed explain --json")


def test_a_hostile_server_looked_at():
    """`pxed probe` plays its client."""
    for more in ((), ("--json",)):
        with net.Net() as network:
            site = Site(network, "text")
            stop = threading.Event()
            answerer = threading.Thread(target=answer_probes, args=(dhcp.Client(site.server), stop))
            answerer.start()
            try:
                done = subprocess.run(["ip", "netns", "exec", site.client.name, net.binary(), "probe", "-i",
                                       "eth0", "-t", "2", "--no-download", *more],
                                      capture_output=True, timeout=60)
            finally:
                stop.set()
                answerer.join()
            check.that(MARK in done.stdout, "nothing of it is shown: %r" % (done.stderr + done.stdout)[:900])
            is_plain(done.stdout + done.stderr, "pxed probe")
            if more:
                is_plain_json(done.stdout, "pxed probe --json")


def answer_probes(hostile, stop):
    while not stop.is_set():
        datagram = hostile.wire.receive(0.1)
        if datagram and datagram.dport == 67 and datagram.payload[0] == 1:
            for text in TEXTS:
                for reply in offers(text, dhcp.parse(datagram.payload)):
                    hostile.send(reply, src="10.77.0.66", sport=67, dport=68)
