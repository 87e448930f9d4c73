"""A network where somebody sends requests of ever new machines, as fast as it takes them."""
import os
import random
import re
import threading
import time

import check
import dhcp
import dhcp6
import net
import tftp
import web
import wire

TEST_SECONDS = 120
FLOOD, PER_SECOND = 50000, 20000
KNOWN = bytes.fromhex("525400aa0001")
CONTENT = random.Random(70).randbytes(200 * 512 + 9)


class Site:
    def __init__(self, network, **unknown):
        self.server, self.client = network.pair()
        self.gives_files = not unknown
        self.root = network.root()
        net.write_boot_files(self.root)
        self.root.write("known.bin", CONTENT)
        self.state = os.path.join(network.folder, "state")
        os.mkdir(self.state)
        os.chmod(self.state, 0o777)
        configuration = net.config(
            self.root, hosts=[{"name": "known", "mac": "52:54:00:aa:00:01", "profile": "default"}],
            unknown=unknown or None)
        configuration.update(state_dir=self.state, control=os.path.join(network.folder, "control.sock"),
                             http={"listen": "0.0.0.0:8069"})
        self.pxed = network.pxed(self.server, configuration)
        self.known = dhcp.Client(self.client, mac=KNOWN)
        self.asked = 0  # requests of the machine of the host table
        self.source = random.Random(71)

    def frames(self, count):
        """Half of them DISCOVERs, a quarter SOLICITs, a quarter that cannot be read."""
        link_local = "fe80::7777"
        for number in range(count):
            octets = self.source.randbytes(24)
            mac = b"\x02" + octets[:5]
            if number % 4 < 2:
                message = dhcp.discover(7, chaddr=mac.ljust(16, b"\0"), xid=octets[5:9])
                message.set(97, b"\0" + octets[8:24])
                data = message.pack()
            elif number % 4 == 2:
                solicit = dhcp6.solicit(duid=b"\0\4" + octets[:16])
                yield udp6_frame(mac, link_local, solicit.pack())
                continue
            else:
                data = dhcp.discover(7, chaddr=mac.ljust(16, b"\0")).pack()[:200 + number % 80]
            yield wire.udp_frame(mac, wire.BROADCAST_MAC, "0.0.0.0", "255.255.255.255", 68, 67, data)

    def numbers(self):
        numbers = web.metrics(self.server)[0]
        return {kind: sum(value for name, value in numbers.items() if name.startswith("pxed_dhcp" + kind))
                for kind in ("_packets_total", "_replies_total", "_ignored_total", "_malformed_total",
                             "v6_packets_total", "v6_replies_total")}

    def lost(self):
        return sum(value for name, value in web.metrics(self.server)[0].items()
                   if name.startswith("pxed_packets_lost_total"))

    def sizes(self):
        log = os.path.getsize(self.pxed.path)
        state = sum(os.path.getsize(os.path.join(folder, name))
                    for folder, _, names in os.walk(self.state) for name in names)
        return self.pxed.held_kib(), log, state


def udp6_frame(mac, source, data):
    """To all DHCPv6 servers."""
    return wire.udp6_frame(mac, b"\x33\x33\0\1\0\2", source, dhcp6.GROUP, 546, 547, data)


def flood(site, frames, done):
    sock = site.client.socket(17, 3)  # AF_PACKET, SOCK_RAW
    sock.bind(("eth0", 0))
    for number, frame in enumerate(frames):
        sock.send(frame)
        if number % 200 == 0:
            time.sleep(200 / PER_SECOND)
    done.set()


def answered(site, message):
    """False: it was lost before pxed could hear it.  What is heard is answered."""
    def reply():
        return site.known.replies(0.5, {message.xid}, stop=lambda reply: True)
    lost, got = site.lost(), []
    site.asked += 1
    site.known.send(message)
    check.until("the machine of the host table is answered",
                lambda: got.extend(reply()) or got or site.lost() > lost)
    return bool(got)


def run_flood(site, frames):
    """How long the machine of the host table waits for each of its answers meanwhile."""
    done, waits = threading.Event(), []
    sender = threading.Thread(target=flood, args=(site, frames, done))
    sender.start()
    while not done.is_set():
        start = time.monotonic()
        message = dhcp.discover(7, chaddr=KNOWN.ljust(16, b"\0"))
        if not answered(site, message):
            continue  # the kernel had no room for its request: it asks again
        waits.append(time.monotonic() - start)
        if site.gives_files:
            tftp.fetch(site.client, net.SERVER, "known.bin", CONTENT, options={"blksize": 1408})
        time.sleep(0.05)
    sender.join()
    return waits


def still_there(site):
    boots = web.document(site.server, "/api/boots")
    return [boot for boot in boots["boots"] if boot.get("mac") == "52:54:00:aa:00:01"]


def one_flood_after_another(site):
    frames = list(site.frames(FLOOD))
    before = site.numbers()
    begun, lost = site.sizes(), site.lost()
    asked = site.asked
    waits = run_flood(site, frames)
    check.that(still_there(site), "its boot was pushed out of the list")
    first = site.sizes()  # with what the document took
    check.at_least(len(waits), 1, "answers during the flood")
    check.at_most(sorted(waits)[len(waits) // 2], 2.0, "seconds to an answer, half of them")
    check.at_most(first[0] - begun[0], 80 << 10, "KiB more after the first flood")
    after = {kind: count - before[kind] for kind, count in site.numbers().items()}
    seen = after["_packets_total"] + after["_malformed_total"] + after["v6_packets_total"]
    check.at_most(seen, FLOOD + site.asked - asked, "packets that were counted")  # the kernel may drop some
    check.equal(after["_replies_total"] + after["v6_replies_total"] + after["_ignored_total"],
                after["_packets_total"] + after["v6_packets_total"], "answered and not answered")
    check.at_least(after["_malformed_total"], 100, "of these malformed")
    check.at_least(after["v6_packets_total"], 100, "of these DHCPv6")
    run_flood(site, list(site.frames(FLOOD)))
    check.that(still_there(site), "its boot was pushed out of the list by another flood")
    second = site.sizes()
    if site.lost() == lost:
        check.at_most(second[0] - first[0], 16 << 10, "KiB more after another one")
    else:  # the first one may have filled less than there is room for
        check.at_most(second[0] - begun[0], 96 << 10, "KiB more after both")
    check.at_most(second[1], 3 << 20, "octets of log")
    check.at_most(second[1] - first[1], 256 << 10, "octets of log about another one")
    check.at_most(second[2], 24 << 20, "octets of state and recordings")
    return after


def test_a_flood_of_ever_new_machines():
    with net.Net() as network:
        site = Site(network)
        one_flood_after_another(site)
        check.that("more is heard of machines that no host names than is logged" in site.pxed.log(),
                   "what is left out of the log is not said")
        check.at_most(len(re.findall("more is heard of machines", site.pxed.log())), 20, "times")


def test_a_flood_of_machines_that_are_to_wait():
    """Held until they are approved: the list has its bound."""
    with net.Net() as network:
        site = Site(network, action="hold")
        one_flood_after_another(site)
        waiting = site.server.run(net.binary(), "approve", "-c", site.pxed.config_path)
        check.at_most(len(waiting), 1 << 20, "octets of the list of those that wait")


def offered(sock, xids, seconds):
    """Did an offer for one of these transactions come?"""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sock.settimeout(max(end - time.monotonic(), 0.001))
        try:
            data = sock.recv(2000)
        except TimeoutError:
            return False
        if data[4:8] in xids:
            return True
    return False


def test_a_machine_that_must_ask_twice_and_wait():
    """What is remembered of it between its requests, and its offer, keep their places."""
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        slow = dict(net.BOOT_FILES, delay_ms=1500)
        configuration = net.config(
            root, profiles={"default": slow, "twice": dict(net.BOOT_FILES, delay_ms=300, after_requests=2)},
            hosts=[{"name": "known", "mac": "52:54:00:aa:00:01", "profile": "twice"}])
        site = Site.__new__(Site)
        site.server, site.client, site.source = server, client, random.Random(72)
        site.pxed = network.pxed(server, configuration)
        known = dhcp.Client(client, mac=KNOWN)
        answers = client.udp("0.0.0.0", 68)  # sees no requests
        done = threading.Event()
        sender = threading.Thread(target=flood, args=(site, list(site.frames(3 * FLOOD)), done))
        sender.start()
        time.sleep(0.3)
        # As firmware does, it asks again when the kernel had no room for a request of its.
        messages = [dhcp.discover(7, chaddr=KNOWN.ljust(16, b"\0")) for _ in range(6)]
        found = False
        for message in messages:
            known.send(message)
            found = offered(answers, {one.xid for one in messages[1:]}, 0.9)
            if found:
                break
        check.that(found, "no offer for its later requests")
        check.that(not done.is_set(), "the flood is over already")
        sender.join()


# -- what cannot be read is counted by its reason ----------------------------------------------

GOOD = dhcp.discover(7, chaddr=b"\2\2\2\2\2\2".ljust(16, b"\0")).pack()
RELAY = bytes([12, 0]) + bytes(32)


def with_options(options):
    return GOOD[:240] + options


def deep(count):
    message = dhcp6.solicit().pack()
    for hops in range(count):
        message = dhcp6.relayed(message, "fd77::1", "fe80::1", hops=hops)
    return message


# (layer, reason): the UDP payload that yields it.
PAYLOADS = {
    ("dhcp", "truncated"): GOOD[:200],
    ("dhcp", "no-cookie"): GOOD[:236] + b"\0\0\0\0" + GOOD[240:],
    ("dhcp", "bad-op"): b"\3" + GOOD[1:],
    ("dhcp", "bad-hlen"): GOOD[:2] + b"\x11" + GOOD[3:],
    ("dhcp", "bad-options"): with_options(b"\x35\1\1\x3c\x20PXE"),
    ("dhcp", "bad-option-length"): with_options(b"\x35\2\1\1\xff"),
    ("dhcp", "no-message-type"): with_options(b"\xff"),
    ("dhcpv6", "truncated"): b"\1\1",
    ("dhcpv6", "bad-options"): b"\1\1\2\3\0\6\0\3\0\1",
    ("dhcpv6", "bad-length"): b"\1\1\2\3\0\1\0\2\0\3",
    ("dhcpv6", "repeated"): b"\1\1\2\3" + 2 * b"\0\1\0\4\0\3\0\1",
    ("dhcpv6", "no-message"): RELAY,
    ("dhcpv6", "too-deep"): deep(9),
}


def frame(payload, **changes):
    """A frame to port 67, octets of it changed: at3=..."""
    octets = bytearray(wire.udp_frame(b"\2" * 6, wire.BROADCAST_MAC, "0.0.0.0", "255.255.255.255", 68, 67,
                                      payload))
    for name, value in changes.items():
        octets[int(name[2:])] = value
    return bytes(octets)


# The kernel's filter lets UDP to these ports alone through, so three reasons take its failing.
FRAMES = {
    ("frame", "short"): frame(GOOD)[:-100],
    ("frame", "bad-length"): frame(GOOD, at39=7, at38=0),
}
FILTERED = {("frame", "tagged"), ("frame", "not-ipv4"), ("frame", "not-ipv6"), ("frame", "fragment"),
            ("frame", "not-udp")}


def malformed(site):
    found = {}
    for name, value in web.metrics(site.server)[0].items():
        match = re.fullmatch(r'pxed_dhcp_malformed_total\{layer="([^"]*)",reason="([^"]*)"\}', name)
        if match:
            found[match.groups()] = value
    return found


def test_every_reason_has_a_packet_and_every_packet_its_reason():
    with net.Net() as network:
        site = Site(network)
        raw = site.client.socket(17, 3)
        raw.bind(("eth0", 0))
        mac = b"\2" * 6
        rows = {**FRAMES, **{row: frame(octets) for row, octets in PAYLOADS.items() if row[0] == "dhcp"},
                **{row: udp6_frame(mac, "fe80::7777", octets) for row, octets in PAYLOADS.items()
                   if row[0] == "dhcpv6"}}
        check.equal(sorted(malformed(site)), sorted([*rows, *FILTERED]), "reasons")
        for row, octets in rows.items():
            before = malformed(site)
            raw.send(octets)
            end = time.monotonic() + 2
            while malformed(site) == before:
                check.that(time.monotonic() < end, "not counted: %s" % (row,))
                time.sleep(0.01)
            after = malformed(site)
            check.equal({name for name in after if after[name] != before[name]}, {row}, "what is counted")


# -- and what is met with silence --------------------------------------------------------------

def silent(site):
    numbers = web.metrics(site.server)[0]
    return {re.search('reason="([^"]*)"', name).group(1): value for name, value in numbers.items()
            if name.startswith('pxed_dhcp_ignored_total{family="ipv4"')}


# Reasons of DHCPv6 alone, replies, which the radar takes, and those that take a host, a menu or a crowded reply of their own
# (tests/unit/test_dhcp_decision.c has a row for each).
ELSEWHERE = {"a-reply", "no-client-id", "ipv4-only", "no-address", "host-held", "host-done", "too-early", "no-item",
             "too-large", "unknown-host", "not-ours"}
SILENT = {
    "not-pxe": lambda: dhcp.discover(7).set(60, b"MSFT 5.0").drop(93).drop(97).drop(94),
    "other-server": lambda: dhcp.request4011(7).set(54, b"\x0a\x4d\0\x42"),
    "no-arch": lambda: dhcp.discover(7).drop(93).set(60, b"PXEClient"),
    "unknown-arch": lambda: dhcp.discover(999).set(93, b"\3\xe7"),
    "host-ignored": lambda: dhcp.discover(7, chaddr=b"\2\0\0\0\0\1".ljust(16, b"\0")),
    "host-local": lambda: dhcp.discover(7, chaddr=b"\2\0\0\0\0\2".ljust(16, b"\0")),
    "no-file": lambda: dhcp.discover(10),
    "file-missing": lambda: dhcp.discover(27),
}


def test_every_silence_has_its_reason():
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        configuration = net.config(root, profiles={"default": dict(net.BOOT_FILES, **{"riscv64-uefi": "gone.efi"})}, hosts=[
            {"mac": "02:00:00:00:00:01", "action": "ignore"}, {"mac": "02:00:00:00:00:02", "action": "local"}])
        configuration["http"] = {"listen": "0.0.0.0:8069", "boot_files": True}
        site = type("Bare", (), {"server": server, "pxed": network.pxed(server, configuration)})
        machine = dhcp.Client(client)
        check.equal(sorted(silent(site)), sorted([*SILENT, *ELSEWHERE]), "reasons")
        for reason, make in SILENT.items():
            before = silent(site)
            machine.send(make())
            end = time.monotonic() + 2
            while silent(site) == before:
                check.that(time.monotonic() < end, "not counted: %s" % reason)
                time.sleep(0.01)
            after = silent(site)
            check.equal({name for name in after if after[name] != before[name]}, {reason}, "what is counted")
