"""What the control socket tells of boots: under way, ended, and why they stopped."""
import time

import check
import crowd
import dhcp
import dhcp6
import net
import tftp
from crowd import lease_request
from harness import timed
from test_control import Site, ask
from test_dhcp6 import CLIENT6, SERVER6, request_4011


def question(site, **words):
    with site.connect() as sock:
        sock.settimeout(70)
        answer = ask(sock, words)[0]
    check.that(answer["ok"], "%s: %s" % (words, answer))
    return answer


def of(boots, mac):
    return [boot for boot in boots if boot["mac"] == ":".join("%02x" % octet for octet in mac)]


def test_a_boot_under_way():
    """DISCOVER, offer, REQUEST, a file that runs: status, boots and log say the same."""
    with net.Net() as network:
        site = Site(network)
        site.root.sparse("large.img", 50 << 20)
        site.pxe.ask(dhcp.discover(7))
        site.pxe.send(lease_request(7))
        tftp.fetch(site.client, net.SERVER, "x64.efi", b"x64.efi" * 500,
                   options={"blksize": 1468, "windowsize": 4})
        running = tftp.Client(site.client, net.SERVER)
        running.request("large.img", options={"blksize": 1024, "tsize": 0})
        running.expect("an OACK")
        running.send(tftp.ack(0))
        running.drain_to(tftp.DATA, 1)
        running.send(tftp.ack(1))
        running.drain_to(tftp.DATA, 2)
        status = question(site, verb="status")
        boot = of(status["boots"], site.pxe.mac)[0]
        check.equal((boot["state"], boot["stage"], boot["verdict"], boot["ip"], boot["arch"]),
                    ("booting", "second-stage", None, net.CLIENT, "x64-uefi"), "the boot")
        check.equal([(file["name"], file["end"]) for file in boot["files"]],
                    [("x64.efi", "done"), ("large.img", None)], "files")
        under_way = status["transfers"][0]
        check.equal((under_way["boot"], under_way["size"], under_way["asked"]),
                    (boot["id"], 50 << 20, {"blksize": 1024, "tsize": 0}), "the transfer")
        check.at_least(under_way["sent"], 1024, "octets sent")
        check.equal(question(site, verb="log")["boots"], [], "ended boots")
        boots = question(site, verb="boots", mac=boot["mac"])["boots"]
        check.equal([event["kind"] for event in boots[0]["events"]],
                    ["discover", "offer", "request", "file", "end", "file"], "events")
        check.equal(question(site, verb="boots", id=boot["id"] + 1)["boots"], [], "another one")


def test_questions_that_are_wrong():
    with net.Net() as network:
        site = Site(network)
        with site.connect() as sock:
            for words in ({"verb": "boots", "mac": "x"}, {"verb": "boots", "id": "1"},
                          {"verb": "log", "after": -1}, {"verb": "log", "wait": "long"}):
                answer = ask(sock, words)[0]
                check.that(not answer["ok"] and answer["error"], "%s: %s" % (words, answer))


def test_log_waits_for_an_end():
    """Nothing yet, then the end of a boot that nobody but pxed answered."""
    with net.Net() as network:
        site = Site(network)
        check.equal(question(site, verb="log", wait=1)["boots"], [], "ends")
        site.pxe.ask(dhcp.discover(0))
        before = time.monotonic()
        answer = question(site, verb="log", wait=30)
        check.at_most(time.monotonic() - before, 25, "seconds until the end")
        boot = answer["boots"][0]
        check.equal((boot["verdict"], boot["state"]), ("only-us", "stopped"), "verdict")
        check.that("only pxed answered" in boot["sentence"], boot["sentence"])
        check.that("PXE-E52" in boot["screen"], boot["screen"])
        check.equal(question(site, verb="log", after=answer["next"])["boots"], [], "the next")
        site.pxed.wait_log("boot stopped mac=.* verdict=only-us")
        check.equal(question(site, verb="status")["totals"]["stopped"], 1, "stopped")


MACHINES = 1000


@timed
def test_a_thousand_boots_at_once():
    """DISCOVER, REQUEST and two files each; how long it takes to tell is measured by tests/bench/asking.py."""
    with net.Net() as network:
        site = Site(network)
        crowd.boot(site, MACHINES)
        status = question(site, verb="status")
        check.equal(len(status["boots"]), MACHINES, "boots told")
        check.equal({len(boot["files"]) for boot in status["boots"]}, {2}, "files of each")
        check.equal(len(status["transfers"]), 2 * MACHINES, "transfers")


def test_a_boot_over_ipv6():
    """SOLICIT, port 4011 and the file, over three addresses, are one machine's boot."""
    with net.Net() as network:
        site = Site(network)
        pxe = dhcp6.Client(site.client)
        advertise, _ = pxe.ask(dhcp6.solicit(7))
        dhcp6.Client(site.client, 4011, CLIENT6).ask(
            request_4011(dhcp6.UUID_DUID, advertise), SERVER6, 4011)
        tftp.download(site.client, SERVER6, "x64.efi")
        boots = question(site, verb="boots", mac=":".join(
            "%02x" % octet for octet in site.client.mac("eth0")))["boots"]
        check.equal(len(boots), 1, "boots")
        check.equal([event["kind"] for event in boots[0]["events"]],
                    ["discover", "offer", "ask-4011", "ack", "file", "end"], "events")
        check.equal((boots[0]["ip"], boots[0]["arch"], boots[0]["client"]),
                    (CLIENT6, "x64-uefi", "uefi"), "the machine")
        check.that(boots[0]["events"][0]["text"].startswith("SOLICIT, x64-uefi"), "text")
