"""Files that are made for the one who asks, and names that stand for other files."""
import os
import signal
import subprocess

import check
import dhcp
import net
import tftp
from harness import fixture
from one_client import OneClient

KNOWN, OTHER = "52:54:00:ab:00:01", "52:54:00:ab:00:02"
TEMPLATE = """#!ipxe
set mac ${mac}
kernel http://${server}/vmlinuz role=${vars.role:-none} ip=${ip} ${vars.args:-}
echo $${net0/ip}
"""


class Site(OneClient):
    """pxed with files that are made for the one who asks."""

    def __init__(self, network):
        super().__init__(network)
        net.write_boot_files(self.root)
        self.root.write("real.cfg", b"real")
        self.templates = os.path.join(network.folder, "templates")
        os.makedirs(self.templates, exist_ok=True)
        self.template("boot.ipxe.in", TEMPLATE)
        self.template("grub.in", "menuentry '${host}' { linux /k \"${vars.args:-}\" }\n")
        hosts = [{"name": "lab-01", "mac": KNOWN, "vars": {"role": "db", "args": "a=$1"}},
                 {"mac": OTHER, "profile": "other"}]
        files = {"boot.ipxe": {"template": "templates/boot.ipxe.in"},
                 "grub/grub.cfg": {"template": "templates/grub.in"},
                 "pxelinux.cfg/01-${mac-dash}": {"file": "real.cfg"},
                 "host/${host}.cfg": {"file": "real.cfg"},
                 "by-arch": {"file": "${arch}.cfg"}, "gone": {"file": "not-there"}}
        profiles = {"default": dict(net.BOOT_FILES),
                    "other": {"extends": "default", "ipxe": "http://10.0.0.9/x.ipxe"}}
        self.configuration = dict(net.config(self.root, profiles=profiles, hosts=hosts),
                                  files=files)
        self.pxed = network.pxed(self.server, self.configuration)

    def template(self, name, text):
        with open(os.path.join(self.templates, name), "w") as file:
            file.write(text)


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def test_a_template_knows_who_asks(site):
    site.take_lease(KNOWN)
    wanted = "#!ipxe\nset mac %s\nkernel http://%s/vmlinuz role=db ip=%s a=$1\necho ${net0/ip}\n"
    check.equal(site.fetch("boot.ipxe"), wanted % (KNOWN, net.SERVER, net.CLIENT), "script")
    check.equal(site.fetch("/boot.ipxe", "netascii").replace("\r\n", "\n"),
                wanted % (KNOWN, net.SERVER, net.CLIENT), "script in netascii")
    check.equal(site.fetch("grub/grub.cfg"), "menuentry 'lab-01' { linux /k \"a=\\$1\" }\n", "menu")
    site.take_lease(OTHER)
    check.inside("role=none ip=%s \n" % net.CLIENT, site.fetch("boot.ipxe"), "another's script")


def test_what_is_not_known_of_a_client_is_told(site):
    site.take_lease(OTHER)
    check.inside("${host} is not known", site.refused("grub/grub.cfg"), "reason")
    with net.Net() as network:
        site = Site(network)
        site.template("uuid.in", "${mac} ${uuid}")
        site.configuration["files"]["uuid"] = {"template": "templates/uuid.in"}
        net.write_json(site.pxed.config_path, site.configuration)
        reload(site)
        # The kernel knows the MAC address, nobody the UUID.
        check.inside("${uuid} is not known", site.refused("uuid"), "reason")


def test_a_name_may_be_that_of_one_client(site):
    site.take_lease(KNOWN)
    check.equal(site.fetch("pxelinux.cfg/01-" + KNOWN.replace(":", "-")), "real", "by MAC")
    check.equal(site.fetch("host/lab-01.cfg"), "real", "by name of the host")
    site.refused("pxelinux.cfg/01-" + OTHER.replace(":", "-"))
    site.refused("host/lab-02.cfg")
    site.refused("gone")
    site.root.write("x64-uefi.cfg", b"sixty-four")
    check.equal(site.fetch("by-arch"), "sixty-four", "a target with a variable")


def test_a_script_stays_what_it_is_during_a_transfer():
    """Rendered once: a reload in between changes nothing."""
    with net.Net() as network:
        site = Site(network)
        text = "x" * 511 + "1" + "y" * 511 + "2" + "z"
        site.template("long.in", text)
        site.configuration["files"]["long"] = {"template": "templates/long.in"}
        net.write_json(site.pxed.config_path, site.configuration)
        reload(site)
        client = tftp.Client(site.client, net.SERVER)
        client.request("long")
        got = client.expect_data(1).data
        site.template("long.in", "short")
        reload(site)
        check.equal(site.fetch("long"), "short", "a new transfer")
        for block in (2, 3):
            client.drain()
            client.send(tftp.ack(block - 1))
            got += client.expect_data(block).data
        check.equal(got.decode(), text, "the old one")


def reload(site):
    start = len(site.pxed.log())
    site.pxed.signal(signal.SIGHUP)
    site.pxed.wait_log("pxed reloaded|reload refused", start=start)


def test_b73_auto_is_the_file_of_the_architecture_that_was_seen(site):
    for arch, file in ((7, "x64.efi"), (0, "bios.0"), (11, "aa64.efi")):
        site.take_lease(KNOWN, arch)
        check.equal(site.fetch("auto"), file * 500, "auto for architecture %d" % arch)
    site.take_lease(KNOWN, 7, ipxe=True)
    check.inside("set mac", site.fetch("auto"), "auto for an iPXE: its script, a template")
    site.take_lease(KNOWN, 0x25)
    check.inside("no file for", site.refused("auto"), "reason")


def test_b73_auto_for_one_whose_dhcp_was_not_seen_says_so():
    with net.Net() as network:
        site = Site(network)
        check.inside("no DHCP request", site.refused("auto"), "reason")
        site.root.write("auto", b"mine")
        check.equal(site.fetch("auto"), "mine", "a real file of that name")


def test_b34_autoexec_leads_ipxe_back_to_us(site):
    site.take_lease(KNOWN)
    wanted = "#!ipxe\nchain --autofree tftp://%s/boot.ipxe\n" % net.SERVER
    check.equal(site.fetch("autoexec.ipxe"), wanted, "script")
    check.equal(site.fetch("x64/autoexec.ipxe"), wanted, "script beside the boot file")
    site.take_lease(OTHER)
    check.equal(site.fetch("autoexec.ipxe"), "#!ipxe\nchain --autofree http://10.0.0.9/x.ipxe\n",
                "script with a URL")


def test_autoexec_only_where_there_is_a_script_and_no_file():
    with net.Net() as network:
        site = Site(network)
        site.root.write("autoexec.ipxe", b"mine")
        check.equal(site.fetch("autoexec.ipxe"), "mine", "a real file of that name")
        os.unlink(site.root.at("autoexec.ipxe"))
        del site.configuration["profiles"]["default"]["ipxe"]
        net.write_json(site.pxed.config_path, site.configuration)
        reload(site)
        site.refused("autoexec.ipxe")


def test_a_virtual_boot_file_is_not_missing():
    """Neither for an offer nor for the check; one that stands for a missing file is."""
    with net.Net() as network:
        site = Site(network)
        os.unlink(site.root.at("boot.ipxe"))
        ipxe = dhcp.discover(7)
        ipxe.set(77, b"iPXE")
        offered = dhcp.file_name(site.pxe.ask(ipxe).message)
        check.equal(offered, "tftp://%s/boot.ipxe" % net.SERVER, "offer to an iPXE")
        check.lacks(complaints(site), "boot.ipxe", "faults")
        site.configuration["profiles"]["default"]["ipxe"] = "gone"
        net.write_json(site.pxed.config_path, site.configuration)
        check.inside('"not-there" does not exist', complaints(site), "faults")
        reload(site)
        site.pxe.silent(ipxe)


def complaints(site):
    done = subprocess.run([net.binary(), "check", "-c", site.pxed.config_path], text=True,
                          capture_output=True)
    return done.stderr


def test_faults_of_templates_have_their_place():
    with net.Net() as network:
        site = Site(network)
        site.template("grub.in", "good ${host}\n  bad ${hots}\n")
        site.configuration["files"]["x"] = {"template": "templates/none.in"}
        site.configuration["files"]["y-${nobody}"] = {"file": "real.cfg"}
        net.write_json(site.pxed.config_path, site.configuration)
        text = complaints(site)
        for words in ("files.grub/grub.cfg.template: templates/grub.in:2:7: unknown variable ${hots};"
                      " did you mean ${host}?",
                      "files.x.template: cannot read templates/none.in: No such file",
                      "files.y-${nobody}: unknown variable ${nobody}"):
            check.inside(words, text, "faults")
        reload(site)
        site.take_lease(KNOWN)
        check.inside("menuentry", site.fetch("grub/grub.cfg"), "the old one, after the refusal")
        site.template("grub.in", "x" * (64 << 10) + "y")
        check.inside("more than 64 KiB", complaints(site), "faults")
