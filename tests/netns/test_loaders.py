"""What PXELINUX, GRUB and iPXE ask for when they look for their configuration."""
import time

import check
import dhcp
import net
import tftp
import web
from harness import fixture, timed
from one_client import OneClient

KNOWN, PLAIN, OWN = "52:54:00:ab:00:01", "52:54:00:ab:00:02", "52:54:00:ab:00:03"
UUID = "00112233-4455-6677-8899-aabbccddeeff"
BOOT = {"kernel": "debian/linux", "initrd": ["debian/initrd.gz", "own.cpio"],
        "args": "role=${vars.role:-none} t=\"a b\""}
OTHER = {"kernel": "tiny"}


def pxelinux_search(mac, ip, uuid=UUID):
    """The names in the order of PXELINUX; the last one is what it takes for anybody."""
    hexip = "".join("%02X" % int(part) for part in ip.split("."))
    names = [uuid, "01-" + mac.replace(":", "-")] + [hexip[:n] for n in range(8, 0, -1)]
    return ["pxelinux.cfg/" + name for name in names + ["default"]]


def grub_search(mac, ip, prefix="grub"):
    hexip = "".join("%02X" % int(part) for part in ip.split("."))
    names = ["-01-" + mac.replace(":", "-")] + ["-" + hexip[:n] for n in range(8, 0, -1)] + [""]
    return ["%s/grub.cfg%s" % (prefix, name) for name in names]


class Site(OneClient):
    """One pxed whose profiles and one host say what they boot."""

    def __init__(self, network):
        super().__init__(network)
        net.write_boot_files(self.root)
        profiles = {"default": {"x86-bios": "bios.0", "x64-uefi": "x64.efi", "boot": BOOT},
                    "plain": dict(net.BOOT_FILES)}
        hosts = [{"mac": KNOWN, "vars": {"role": "db"}}, {"mac": PLAIN, "profile": "plain"},
                 {"mac": OWN, "profile": "plain", "boot": OTHER}]
        self.root.write("debian/linux", b"MZ".ljust(0x202, b"\0") + b"HdrS")
        self.root.write("tiny", b"MZ".ljust(0x202, b"\0") + b"HdrS")
        self.root.write("debian/initrd.gz", b"\x1f\x8b")
        self.root.write("own.cpio", b"070701")
        self.configuration = net.config(self.root, profiles=profiles, hosts=hosts)
        self.pxed = network.pxed(self.server, self.configuration)

    def search(self, names):
        """Asks for one name after another until one is there; (its name, text, seconds each)."""
        client = tftp.Client(self.client, net.SERVER)
        seconds = []
        for name in names:
            start = time.monotonic()
            client.request(name, options={"tsize": 0, "blksize": 1408})
            packet = client.expect("an answer to %s" % name)
            seconds.append(time.monotonic() - start)
            if packet.op == tftp.OACK:
                client.send(tftp.error(8, "only looking"))
                return name, self.fetch(name), seconds
            check.equal((packet.op, packet.code), (tftp.ERROR, 1), "answer to " + name)
        return None, None, seconds


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def test_pxelinux_is_told_what_its_machine_boots(site):
    site.take_lease(KNOWN, 0)
    name, text, _ = site.search(pxelinux_search(KNOWN, net.CLIENT))
    check.equal(name, "pxelinux.cfg/01-" + KNOWN.replace(":", "-"), "the name that is there")
    check.equal(text, "DEFAULT pxed\nPROMPT 0\nLABEL pxed\n  LINUX 10.77.0.1::debian/linux\n"
                "  INITRD 10.77.0.1::debian/initrd.gz,10.77.0.1::own.cpio\n"
                "  APPEND role=db t=\"a b\"\n", "its configuration")
    check.equal(site.fetch("sub/pxelinux.cfg/default"), text, "the default, beside another loader")


def test_grub_is_told_what_its_machine_boots(site):
    site.take_lease(KNOWN, 7)
    wanted = "linux (tftp,10.77.0.1)/debian/linux 'role=db' 't=a b'\n" \
             "initrd (tftp,10.77.0.1)/debian/initrd.gz (tftp,10.77.0.1)/own.cpio\nboot\n"
    for prefix in ("grub", "EFI/debian", "debian-installer/amd64/grub"):
        name, text, _ = site.search(grub_search(KNOWN, net.CLIENT, prefix))
        check.equal((name, text), (prefix + "/grub.cfg-01-" + KNOWN.replace(":", "-"), wanted),
                    "configuration")
        check.equal(site.fetch(prefix + "/grub.cfg"), wanted, "the last name of the search")


def test_ipxe_is_offered_a_script_of_its_own(site):
    for mac, arguments in ((KNOWN, " initrd=initrd.gz initrd=own.cpio role=db t=\"a b\""),
                           (OWN, "")):
        offer = site.offer(mac, 0, ipxe=True)
        check.equal(dhcp.file_name(offer.message), "tftp://10.77.0.1/auto.ipxe", "file")
        site.take_lease(mac, 0, ipxe=True)
        script = site.fetch("auto.ipxe")
        kernel = "tiny" if mac == OWN else "debian/linux"
        check.equal(script.splitlines()[:2],
                    ["#!ipxe", "kernel tftp://10.77.0.1/%s%s" % (kernel, arguments)], "script")
        check.equal(site.fetch("autoexec.ipxe"), script, "for one that looks for it by itself")
        check.equal(site.fetch("auto"), script, "and by way of auto")


def test_ipxe_loads_by_http_where_boot_files_are_given_so():
    with net.Net() as network:
        site = Site(network)
        site.pxed.stop()
        site.configuration["http"] = {"listen": ":8069", "boot_files": True}
        site.pxed = network.pxed(site.server, site.configuration)
        site.take_lease(OWN, 0, ipxe=True)
        check.equal(site.fetch("auto.ipxe"), "#!ipxe\nkernel http://10.77.0.1:8069/tiny\nboot\n",
                    "script")
        check.inside("LINUX 10.77.0.1::tiny", site.fetch("pxelinux.cfg/default"), "PXELINUX's")
        for name in ("auto.ipxe", "grub/grub.cfg", "autoexec.ipxe"):
            check.equal(web.get(site.client, net.SERVER, "/" + name).body.decode(),
                        site.fetch(name), name + " by HTTP")


def test_one_that_says_nothing_gets_nothing_made(site):
    site.take_lease(PLAIN, 0)
    name, _, seconds = site.search(pxelinux_search(PLAIN, net.CLIENT))
    check.equal((name, len(seconds)), (None, 11), "search")
    offer = site.offer(PLAIN, 0, ipxe=True)
    check.equal(dhcp.file_name(offer.message), "tftp://10.77.0.1/boot.ipxe", "iPXE's file")
    site.refused("auto.ipxe")
    site.refused("pxelinux.cfg/01-" + KNOWN.replace(":", "-"))


def test_real_files_go_first(site):
    site.take_lease(KNOWN, 0)
    site.root.write("pxelinux.cfg/" + UUID, b"by uuid")
    check.equal(site.search(pxelinux_search(KNOWN, net.CLIENT))[1], "by uuid", "configuration")
    site.root.write("real/grub.cfg-01-" + KNOWN.replace(":", "-"), b"by mac")
    check.equal(site.search(grub_search(KNOWN, net.CLIENT, "real"))[1], "by mac", "configuration")


def test_one_whose_packets_were_never_heard_says_who_it_is():
    """Behind a router neither DHCP nor the neighbour table tells whose address it is."""
    with net.Net() as network:
        site = Site(network)
        router, far = network.namespace("rtr"), network.namespace("far")
        network.link(site.server, "eth1", router, "eth0")
        network.link(router, "eth1", far, "eth0")
        site.server.addr("eth1", "10.78.0.1/24")
        router.addr("eth0", "10.78.0.2/24")
        router.addr("eth1", "10.79.0.1/24")
        far.addr("eth0", "10.79.0.2/24")
        router.sysctl("net/ipv4/ip_forward", 1)
        site.server.ip("route", "add", "10.79.0.0/24", "via", "10.78.0.2")
        far.ip("route", "add", "default", "via", "10.79.0.1")
        site.pxed.stop()
        site.configuration["interfaces"].append("eth1")
        site.configuration["tftp"]["allow"] = ["attached", "10.79.0.0/24"]
        site.pxed = network.pxed(site.server, site.configuration)
        name = "pxelinux.cfg/01-" + OWN.replace(":", "-")
        text = tftp.download(far, "10.78.0.1", name).data.decode()
        check.inside("LINUX 10.78.0.1::tiny", text, "configuration")


@timed
def test_a_search_is_answered_at_once_and_logged_in_one_line():
    """10 names that are not there (D-44): the answers follow each other without a pause."""
    with net.Net() as network:
        site = Site(network)
        site.root.write("pxelinux.cfg/default", b"the last")
        site.take_lease(PLAIN, 0)
        names = pxelinux_search(PLAIN, net.CLIENT)
        found = [site.search(names) for _ in range(10)]
        check.equal(found[0][:2], (names[-1], "the last"), "what is found")
        check.at_most(min(sum(seconds) for _, _, seconds in found), 0.05, "seconds for a search")
        told = site.pxed.wait_log("tftp refused peer=10.77.0.100 files=(\\d+) first=\\S+ last=(\\S+)")
        check.equal(told.groups(), ("100", "pxelinux.cfg/0"), "names not there, and the last")
        check.equal(site.pxed.log().count("tftp refused"), 1, "lines about them")
