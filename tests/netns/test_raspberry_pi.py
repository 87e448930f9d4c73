"""Raspberry Pis boot: from a directory of their own, from one that many share, from the root."""
import time

import check
import net
from harness import fixture, timed
from one_client import OneClient
from raspberry_pi import Pi3, Pi4, Pi5

PI3, PI4, PI5 = "b8:27:eb:12:34:56", "dc:a6:32:01:36:c2", "2c:cf:67:0a:0b:0c"
SERIALS = {PI3: "75123456", PI4: "9ffefdef", PI5: "1a2b3c4d"}


class Site(OneClient):
    """Two directories that Pis share; of one Pi a file of its own."""

    def __init__(self, network):
        super().__init__(network)
        for model in (Pi3, Pi4, Pi5):
            for name in model.needed:
                self.root.write("pi/" + name, b"shared " + name.encode() * 300)
        self.root.write("bootcode.bin", b"first stage" * 100)
        self.root.write("test/kernel8.img", b"the kernel under test" * 100)
        profiles = {"default": {"arm-rpiboot": "bootcode.bin", "directory": "pi", "delay_ms": 100}}
        hosts = [{"mac": "52:54:00:*", "action": "ignore"}]
        self.configuration = net.config(self.root, profiles=profiles, hosts=hosts)
        self.pxed = network.pxed(self.server, self.configuration)

    def boots(self, pi):
        """From the DISCOVER on; what it has loaded."""
        offer = self.pxe.ask(pi.discover()).message
        check.that(pi.takes(offer), "a Pi does not take this offer: %s" % offer.options)
        self.take_lease(pi.mac, 0)
        return pi.boot()

    def take_lease(self, mac, arch=7, ipxe=False):
        """Its REQUEST has no option 60, and pxed is silent on it; the kernel knows its address."""
        self.client.ip("link", "set", "eth0", "address", mac)
        self.server.ip("neigh", "replace", net.CLIENT, "lladdr", mac, "dev", "eth0", "nud", "reachable")


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def test_the_shared_directory_serves_every_model(site):
    for model, mac in ((Pi3, PI3), (Pi4, PI4), (Pi5, PI5)):
        pi = model(site.client, net.SERVER, mac, SERIALS[mac])
        for name, data in site.boots(pi).items():
            check.same_bytes(data, b"shared " + name.encode() * 300, name)
        check.at_least(len(pi.refused), len(model.optional), "names that are not there")
        check.equal(pi.own, SERIALS[mac] + "/", "its directory, which it has not given up")


def test_a_directory_by_mac_address(site):
    pi = Pi4(site.client, net.SERVER, PI4, SERIALS[PI4], prefix="dc-a6-32-01-36-c2")
    site.boots(pi)
    check.equal(pi.own, "dc-a6-32-01-36-c2/", "its directory")


def test_its_own_files_go_first(site):
    site.root.write(SERIALS[PI4] + "/cmdline.txt", b"root=/dev/nfs")
    found = site.boots(Pi4(site.client, net.SERVER, PI4, SERIALS[PI4]))
    check.equal(found["cmdline.txt"], b"root=/dev/nfs", "cmdline.txt")
    check.same_bytes(found["kernel8.img"], b"shared " + b"kernel8.img" * 300, "kernel")


def test_a_host_has_another_directory():
    with net.Net() as network:
        site = Site(network)
        for name in Pi4.needed:
            site.root.write("test/" + name, b"under test " + name.encode())
        site.pxed.stop()
        site.configuration["hosts"].append({"mac": PI4, "directory": "test"})
        site.pxed = network.pxed(site.server, site.configuration)
        found = site.boots(Pi4(site.client, net.SERVER, PI4, SERIALS[PI4]))
        check.equal(found["kernel8.img"], b"under test kernel8.img", "kernel")


def test_files_in_the_root_need_no_directory():
    with net.Net() as network:
        site = Site(network)
        del site.configuration["profiles"]["default"]["directory"]
        site.pxed.stop()
        for name in Pi3.needed:
            site.root.write(name, b"root " + name.encode())
        site.pxed = network.pxed(site.server, site.configuration)
        pi = Pi3(site.client, net.SERVER, PI3, SERIALS[PI3])
        found = site.boots(pi)
        check.equal(pi.own, "", "the directory it has given up")
        check.equal(found["start.elf"], b"root start.elf", "start.elf")


@timed
def test_names_that_are_not_there_are_quick_and_one_line():
    with net.Net() as network:
        site = Site(network)
        pi = Pi4(site.client, net.SERVER, PI4, SERIALS[PI4])
        site.take_lease(PI4)
        start = time.monotonic()
        for name in pi.optional:
            pi.read(pi.own + name, wanted=False)
        check.at_most(time.monotonic() - start, 0.2, "seconds for %d refusals" % len(pi.optional))
        site.pxed.wait_log("tftp refused peer=10.77.0.100 files=%d " % len(pi.optional))
        check.equal(site.pxed.log().count("tftp refused"), 1, "lines about them")
