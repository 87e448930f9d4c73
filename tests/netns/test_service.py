"""The process: privileges, signals, reload, what it listens to, and how it bears a storm."""
import json
import os
import random
import re
import signal
import subprocess
import time

import check
import dhcp
import net
import tftp

STORM = 500
STORM_PER_SECOND = 2000
BURST = 1900
NET_RAW = "%016x" % (1 << 13)  # permitted, to open an interface again that comes back


class Site:
    def __init__(self, network, **settings):
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.configuration = net.config(self.root, **settings)
        self.pxed = network.pxed(self.server, self.configuration)
        self.pxe = dhcp.Client(self.client)

    def answer(self, arch=7):
        """The boot file offered now."""
        reply = self.pxe.ask(dhcp.discover(arch))
        return dhcp.file_name(reply.message).rsplit("/", 1)[-1]

    def rewrite(self, configuration):
        net.write_json(self.pxed.config_path, configuration)


def changed(configuration, boot_file):
    """The configuration with another file for x64."""
    profiles = {"default": dict(net.BOOT_FILES, **{"x64-uefi": boot_file})}
    return dict(configuration, profiles=profiles)


def test_privileges_are_gone_when_it_serves():
    with net.Net() as network:
        site = Site(network)
        for field, wanted in (("Uid", "65534\t65534\t65534\t65534"), ("CapEff", "0" * 16),
                              ("CapPrm", NET_RAW), ("CapInh", "0" * 16), ("CapAmb", "0" * 16),
                              ("NoNewPrivs", "1")):
            check.equal(site.pxed.status(field), wanted, field)
        gids = set(site.pxed.status("Gid").split() + site.pxed.status("Groups").split())
        check.that("0" not in gids, "still in group 0: %s" % sorted(gids))
        check.equal(site.answer(), "x64.efi", "answer without privileges")
        tftp.fetch(site.client, net.SERVER, "x64.efi", b"x64.efi" * 500)


def test_nothing_is_kept_that_is_not_needed():
    """Without DHCP, or without hotplug, no capability stays even permitted."""
    for settings, extra in (({"dhcp": False}, {}), ({}, {"hotplug": False})):
        with net.Net() as network:
            server, _ = network.pair()
            pxed = network.pxed(server, dict(net.config(network.root(), **settings), **extra))
            check.equal(pxed.status("CapPrm"), "0" * 16, "CapPrm")
            check.equal(pxed.status("CapEff"), "0" * 16, "CapEff")


def test_every_thread_has_lost_its_privileges():
    """Capabilities and users are per thread: a pool started too early keeps them."""
    with net.Net() as network:
        site = Site(network)
        tftp.fetch(site.client, net.SERVER, "x64.efi", b"x64.efi" * 500)
        for task in site.pxed.tasks():
            check.that("\nUid:\t65534\t" in task and "\nCapEff:\t0000000000000000\n" in task,
                       "a thread with privileges: %s" % re.findall("(?m)^(?:Uid|CapEff).*", task))


def test_what_it_listens_to():
    """UDP 69 and 4011; 67 stays free for a DHCP server; on TCP the page, for this host alone."""
    with net.Net() as network:
        site = Site(network)
        ports = udp_ports(site.server)
        check.that({69, 4011} <= ports, "listening on UDP %s" % sorted(ports))
        check.that(67 not in ports, "UDP port 67 is taken")
        listens = [line.split()[1] for line in site.server.read_proc("tcp").splitlines()[1:]]
        check.equal(listens, ["0100007F:1F85"], "listening on TCP: 127.0.0.1:8069")
        check.equal(len(site.server.read_proc("tcp6").splitlines()), 1, "lines of tcp6")


def test_b80_dhcp_can_be_switched_off():
    with net.Net() as network:
        site = Site(network, dhcp=False)
        check.that(not udp_ports(site.server) & {67, 4011}, "a DHCP port is open")
        message = dhcp.discover(7)
        site.pxe.send(message)
        check.equal(len(site.pxe.replies(0.3, {message.xid})), 0, "offers")
        tftp.fetch(site.client, net.SERVER, "x64.efi", b"x64.efi" * 500)


def udp_ports(namespace):
    lines = namespace.read_proc("udp").splitlines()[1:] + \
        namespace.read_proc("udp6").splitlines()[1:]
    return {int(line.split()[1].rsplit(":", 1)[1], 16) for line in lines}


def test_sigterm_ends_it_with_status_0():
    with net.Net() as network:
        site = Site(network)
        client = tftp.Client(site.client, net.SERVER)
        client.request("x64.efi")
        client.expect_data(1)
        check.equal(site.pxed.stop(), 0, "exit status with a transfer under way")


def test_sigint_ends_it_with_status_0():
    with net.Net() as network:
        site = Site(network)
        site.pxed.stopped = True
        site.pxed.signal(signal.SIGINT)
        check.equal(site.pxed.process.wait(5), 0, "exit status")


def test_sighup_reloads():
    with net.Net() as network:
        site = Site(network)
        site.root.write("next.efi", b"n" * 100)
        check.equal(site.answer(), "x64.efi", "answer before")
        site.rewrite(changed(site.configuration, "next.efi"))
        check.equal(site.answer(), "x64.efi", "answer before the signal")
        site.pxed.signal(signal.SIGHUP)
        check.until("the new answer", lambda: site.answer() == "next.efi")


def test_sighup_reloads_the_host_table():
    with net.Net() as network:
        site = Site(network)
        host = {"name": "one", "mac": "52:54:00:00:00:07", "action": "ignore"}
        message = dhcp.discover(7, chaddr=bytes.fromhex("525400000007").ljust(16, b"\0"))
        site.pxe.ask(message)
        site.rewrite(dict(site.configuration, hosts=[host]))
        site.pxed.signal(signal.SIGHUP)
        check.until("silence for the host", lambda: not answered(site.pxe, message))
        check.equal(site.answer(), "x64.efi", "answer for others")


def test_a_host_set_by_command_counts_after_a_reload():
    """Its file comes and goes as a whole; what it says holds from the next reload on."""
    with net.Net() as network:
        site = Site(network)
        hosts = os.path.join(os.path.dirname(site.pxed.config_path), "hosts.d")
        os.makedirs(hosts, exist_ok=True)
        site.rewrite(dict(site.configuration, host_files="hosts.d"))
        message = dhcp.discover(7, chaddr=bytes.fromhex("525400000007").ljust(16, b"\0"))
        site.pxe.ask(message)
        for words, silent in ((("set", "--mac", "52:54:00:00:00:07", "--action", "ignore"), True),
                              (("rm", "52:54:00:00:00:07"), False)):
            subprocess.run([net.binary(), "host", *words, "-c", site.pxed.config_path],
                           check=True, capture_output=True)
            site.pxed.signal(signal.SIGHUP)
            check.until("the command's word", lambda: answered(site.pxe, message) != silent)


def test_hosts_are_told_by_interface_and_architecture():
    with net.Net() as network:
        site = Site(network, hosts=[{"arch": "x64-uefi", "interface": "eth0", "action": "ignore"}])
        check.equal(answered(site.pxe, dhcp.discover(7)), False, "x64 on eth0")
        check.equal(answered(site.pxe, dhcp.discover(11)), True, "arm64 on eth0")


def answered(client, message):
    client.send(message)
    return bool(client.replies(0.2, {message.xid}, stop=lambda reply: True))


def test_bad_reload_keeps_the_old_configuration():
    """Refused with the place of the fault; answers stay; a good file is taken afterwards."""
    with net.Net() as network:
        site = Site(network)
        site.root.write("next.efi", b"n" * 100)
        good = json.dumps(site.configuration, indent=2)
        faults = (
            (good.replace('"interfaces"', '"interfacse"'), '"interfacse"'),
            (good.replace('"max_window_size": 64', '"max_window_size": "many"'), '"many"'),
            (good.replace('"profiles": {', '"profiles": { ,'), '"profiles"'),
        )
        for text, place in faults:
            check.that(text != good, "the fault was not put in")
            refuse_reload(site, text, text[:text.index(place)].count("\n") + 1)
            check.equal(site.answer(), "x64.efi", "answer after a refused reload")
        site.rewrite(changed(site.configuration, "next.efi"))
        site.pxed.signal(signal.SIGHUP)
        check.until("the new answer", lambda: site.answer() == "next.efi")


def refuse_reload(site, text, line):
    """Reload a bad file; the log must name the line of its fault."""
    start = len(site.pxed.log())
    with open(site.pxed.config_path, "w") as file:
        file.write(text)
    site.pxed.signal(signal.SIGHUP)
    place = r"%s:(\d+):\d+: " % re.escape(site.pxed.config_path)
    site.pxed.wait_log(place, start=start)
    time.sleep(0.02)
    lines = [int(number) for number in re.findall(place, site.pxed.log()[start:])]
    check.that(line in lines, "faults at lines %s, none at line %d" % (lines, line))


def test_reload_leaves_transfers_alone():
    with net.Net() as network:
        site = Site(network)
        content = site.root.write("long.bin", random.Random(7).randbytes(20 * 512))
        client = tftp.Client(site.client, net.SERVER)
        client.request("long.bin")
        got = client.expect_data(1).data
        site.root.write("next.efi", b"n" * 100)
        site.rewrite(changed(site.configuration, "next.efi"))
        site.pxed.signal(signal.SIGHUP)
        check.until("the new answer", lambda: site.answer() == "next.efi")
        for block in range(2, 22):
            client.drain()
            client.send(tftp.ack(block - 1))
            got += client.expect_data(block).data
        check.same_bytes(got, content, "file across the reload")


def test_bad_configuration_at_start():
    """Not started: the fault on stderr, status 1."""
    with net.Net() as network:
        server, _ = network.pair()
        root = network.root()
        configuration = dict(net.config(root), surprise=1)
        pxed = network.pxed(server, configuration, ready=False)
        pxed.stopped = True
        check.equal(pxed.process.wait(5), 1, "exit status")
        check.that(re.search(r"%s:\d+:\d+: .*surprise" % re.escape(pxed.config_path), pxed.log()),
                   "no FILE:LINE:COLUMN with the key in %r" % pxed.log())


def test_interface_that_is_not_there():
    """Waited for, and named beside those that are there: it may be late, or misspelt."""
    with net.Net() as network:
        site = Site(network, interfaces=["eth7"])
        check.that('warning: there is no interface "eth7"; there are: lo, eth0; it is waited for'
                   in site.pxed.log(), "not said: %r" % site.pxed.log())


def test_b46_one_of_7_and_9_serves_both():
    for keys, wanted in (({"x64-uefi": "x64.efi"}, ("x64.efi", "x64.efi")),
                         ({"9": "aa64.efi"}, ("aa64.efi", "aa64.efi")),
                         ({"7": "x64.efi", "9": "aa64.efi"}, ("x64.efi", "aa64.efi"))):
        with net.Net() as network:
            site = Site(network, profiles={"default": keys})
            check.equal((site.answer(7), site.answer(9)), wanted, "files for 7 and 9")


def test_unknown_hosts_can_be_ignored():
    with net.Net() as network:
        site = Site(network, hosts=[{"name": "lab", "mac": "52:54:00:*"}],
                    unknown={"action": "ignore"})
        known = dhcp.discover(7, chaddr=bytes.fromhex("525400123456").ljust(16, b"\0"))
        stranger = dhcp.discover(7, chaddr=bytes.fromhex("025400123456").ljust(16, b"\0"))
        site.pxe.send(stranger)
        site.pxe.ask(known)
        check.equal(len(site.pxe.replies(0.2, {stranger.xid})), 0, "answers to a stranger")


def test_storm_of_discovers():
    """500 machines at once: every one gets its offer; their timelines, bounded, are kept."""
    with net.Net() as network:
        site = Site(network)
        storm(site)
        before = site.pxed.held_kib()
        storm(site)
        storm(site)
        check.at_most(site.pxed.held_kib() - before, 1024 + 2 * STORM * 3,
                      "growth of memory in KiB")


def test_a_burst_waits_until_it_is_read():
    """1,900 requests, while pxed gets no processor."""
    with net.Net() as network:
        site = Site(network)
        with site.pxed.held_up():
            for number in range(BURST):
                site.pxe.send(dhcp.discover(7, chaddr=bytes.fromhex("02cd%08x" % number).ljust(16, b"\0")))
        site.pxed.wait_log("mac=02:cd:%s" % (BURST - 1).to_bytes(4, "big").hex(":"))
        check.equal(site.pxed.log().count(" dhcp offer mac=02:cd:"), BURST, "offers")


def storm(site):
    """STORM DISCOVERs of random machines; each must get one offer."""
    messages = {}
    start = time.monotonic()
    offers = {}

    def take(seconds):
        for reply in site.pxe.replies(seconds, set(messages)):
            offers[reply.message.xid] = offers.get(reply.message.xid, 0) + 1

    for number in range(STORM):
        mac = b"\x02" + random.randbytes(5)
        message = dhcp.discover(random.choice((0, 6, 7, 11)), chaddr=mac.ljust(16, b"\0"))
        messages[message.xid] = message
        site.pxe.send(message)
        wait = start + number / STORM_PER_SECOND - time.monotonic()
        if wait > 0:
            take(wait)
    end = time.monotonic() + 2.0
    while len(offers) < STORM and time.monotonic() < end:
        take(0.05)
    check.equal(len(offers), STORM, "machines that got an offer")
    check.equal(sum(offers.values()), STORM, "offers in all")


def test_log_names_what_was_answered():
    """One line per answer with the machine and its file; none of the client's raw bytes."""
    with net.Net() as network:
        site = Site(network)
        message = dhcp.discover(7, chaddr=bytes.fromhex("525400abcdef").ljust(16, b"\0"))
        message.set(12, b"evil\x1b[31m\nname")
        site.pxe.ask(message)
        line = site.pxed.wait_log(r"(?m)^.*52:54:00:ab:cd:ef.*$").group(0)
        check.that("x64.efi" in line, "the file is not in %r" % line)
        check.lacks(site.pxed.log(), "\x1b", "log")
