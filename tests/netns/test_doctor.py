"""`pxed doctor` on machines that are really broken."""
import json
import os
import subprocess

import check
import harness
import net
from test_probe import efi

OF_THE_HOST = ("service", "limits", "security", "container")  # where the tests run

OPEN = ("table inet f { chain input { type filter hook input priority 0; policy drop;\n"
        "ct state vmap { established : accept, related : accept, invalid : drop }\n"
        "iifname \"lo\" accept\nudp dport { 67, 69, 547, 4011 } accept\n}\n}\n")


class Patient:
    """A machine with a good configuration, not yet running."""

    def __init__(self, network, **settings):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        for name, machine in (("x64.efi", 0x8664), ("aa64.efi", 0xaa64), ("ia32.efi", 0x14c)):
            self.root.write(name, efi(machine))
        self.root.write("bios.0", b"\xea\0\0\xc0\x07" + bytes(30000))
        self.root.write("boot.ipxe", b"#!ipxe\n")
        self.path = os.path.join(network.folder, "doctor.json")
        self.configure(**settings)

    def configure(self, **settings):
        net.write_json(self.path, dict(net.config(self.root), **settings))
        os.chmod(self.path, 0o644)

    def run(self, *words, prefix=()):
        done = subprocess.run(["ip", "netns", "exec", self.server.name, *prefix, net.binary(),
                               "doctor", "-c", self.path, *words],
                              text=True, capture_output=True, timeout=30)
        check.equal(done.stderr, "", "complaints")
        return done.returncode, done.stdout

    def findings(self, *words, good=True, prefix=()):
        """Those that are not good."""
        code, out = self.run("--json", *words, prefix=prefix)
        told = json.loads(out)
        bad = [one for one in told["findings"] if one["severity"] != "good"]
        check.equal((told["good"], code), (good, 0 if good else 1), "outcome; %s" % bad)
        return bad

    def only(self, severity, what, *words, remedy=""):
        """The one finding that is not good."""
        bad = [one for one in self.findings(*words, good=severity != "fault")
               if one["check"] not in OF_THE_HOST]
        check.equal(len(bad), 1, "findings: %s" % bad)
        check.equal(bad[0]["severity"], severity, bad[0]["what"])
        check.that(what in bad[0]["what"], bad[0]["what"])
        check.that(remedy in (bad[0]["remedy"] or ""), "remedy: %s" % bad[0]["remedy"])


@harness.fixture
def patient():
    with net.Net() as network:
        yield Patient(network)


def nft(namespace, text):
    namespace.run("nft", "-f", "-", stdin="flush ruleset\n" + text)


def test_a_good_machine(patient):
    bad = [one for one in patient.findings() if one["check"] not in OF_THE_HOST]
    check.equal(bad, [], "findings")
    code, out = patient.run()
    check.equal(code, 0, "exit code")
    for text in ("good     ports          UDP port 69 is free", "eth0 is up, with 10.77.0.1",
                 "there are no rules", "the clock is plausible"):
        check.that(text in out, "no %r in\n%s" % (text, out))


def test_firewalls(patient):
    drop = "table ip f { chain c { type filter hook input priority 0; udp dport 69 drop\n}\n}\n"
    nft(patient.server, drop)
    patient.only("fault", "chain c of table ip f drops TFTP requests",
                 remedy="nft insert rule ip f c udp dport 69 accept")
    nft(patient.server, OPEN)
    check.equal([f for f in patient.findings() if f["check"] == "firewall"], [], "open for all")
    nft(patient.server, OPEN.replace("established : accept, ", ""))
    patient.only("fault", "drops the ACKs of transfers", remedy="ct state established")
    nft(patient.server, OPEN.replace("69, ", ""))
    patient.only("fault", "drops TFTP requests (port 69)")
    nft(patient.server, OPEN.replace("547, ", ""))
    patient.only("warning", "drops DHCPv6 requests")
    nft(patient.server, OPEN.replace("iifname \"lo\"", "iifname \"eth*\""))
    check.equal([f for f in patient.findings() if f["check"] == "firewall"], [], "by interface")
    nft(patient.server, OPEN.replace("{ 67, 69, 547, 4011 }", "@open").replace(
        "{ chain", "{ set open { type inet_service\nelements = { 69, 547, 4011 }\n}\nchain", 1))
    check.equal([f for f in patient.findings() if f["check"] == "firewall"], [], "by a set")
    nft(patient.server, OPEN.replace("udp dport", "ip saddr 10.77.0.0/24 udp dport"))
    told = patient.findings()
    check.that(any("cannot be told" in f["what"] for f in told), "findings: %s" % told)
    nft(patient.server, "")


def test_a_jump_to_a_chain_that_drops(patient):
    nft(patient.server, "table inet f { chain deny { udp dport 4011 drop\n}\nchain input { "
        "type filter hook input priority 0; policy accept; meta l4proto udp jump deny\n}\n}\n")
    patient.only("fault", "drops questions on port 4011")
    nft(patient.server, "")


def test_ports_of_others(patient):
    holder = patient.server.udp("0.0.0.0", 69)
    patient.only("fault", "UDP port 69 is held by python3 (pid %d): pxed cannot serve files"
                 % os.getpid(), remedy="disable that TFTP server")
    holder.close()
    held = patient.server.udp("::", 4011)
    patient.only("fault", "UDP port 4011 is held by python3")
    held.close()


def test_port_67_of_another_server_is_fine(patient):
    dnsmasq = patient.network.dnsmasq(patient.server)
    code, out = patient.run()
    check.equal(code, 0, out)
    check.that("UDP port 67 is held by dnsmasq (pid %d), and read by capture" % dnsmasq.pid
               in out, out)
    patient.configure(interfaces=[{"name": "eth0", "listen": "udp"}])
    patient.only("warning", "held by dnsmasq", remedy="listen")
    patient.configure()
    dnsmasq.close()


def test_a_running_pxed(patient):
    control = os.path.join(patient.network.folder, "control.sock")
    patient.configure(control=control)
    pxed = patient.server.start(net.binary(), "run", "-c", patient.path)
    pxed.wait_log("pxed ready")
    code, out = patient.run()
    check.equal(code, 0, out)
    for text in ("pxed is running", "UDP port 69 is held by pxed", "UDP port 4011 is held by"):
        check.that(text in out, "no %r in\n%s" % (text, out))
    pxed.stop()
    patient.configure()


def test_interfaces(patient):
    server = patient.server
    server.ip("link", "set", "eth0", "mtu", "1280")
    patient.only("warning", "the MTU of eth0 is 1280: blocks are at most 1248 octets")
    server.ip("link", "set", "eth0", "mtu", "1500")
    server.ip("link", "set", "eth0", "down")
    patient.only("fault", "eth0 is down", remedy="ip link set eth0 up")
    server.ip("link", "set", "eth0", "up")
    patient.client.ip("link", "set", "eth0", "down")
    patient.only("fault", "eth0 has no carrier")
    patient.client.ip("link", "set", "eth0", "up")
    patient.configure(interfaces=["eth1"])
    patient.only("fault", "eth1 does not exist")
    patient.configure(interfaces=[{"name": "eth0", "address": "10.77.0.9"}])
    patient.only("fault", "does not have the address 10.77.0.9")
    patient.configure()


def test_an_interface_without_address(patient):
    patient.server.ip("-4", "addr", "flush", "dev", "eth0")
    patient.only("fault", "has no IPv4 address", remedy="ip addr add")
    patient.server.addr("eth0", net.SERVER_NET)


def test_a_port_of_a_bridge(patient):
    patient.network.bridge(patient.server)
    patient.server.ip("link", "set", "eth0", "master", "br0")
    patient.only("fault", "eth0 is a port of br0", remedy="name br0")
    patient.server.ip("link", "set", "eth0", "nomaster")


def test_rp_filter(patient):
    patient.server.sysctl("net/ipv4/conf/eth0/rp_filter", 1)
    patient.only("note", "strict on eth0")
    patient.server.sysctl("net/ipv4/conf/eth0/rp_filter", 0)


def test_a_root_that_the_service_may_not_read(patient):
    os.chmod(patient.root.path, 0o700)
    bad = patient.findings(good=False)
    check.that(any(f["check"] == "configuration" and "may not read" in f["what"] for f in bad),
               "findings: %s" % bad)
    os.chmod(patient.root.path, 0o755)


def test_a_state_directory_of_root(patient):
    path = os.path.join(patient.network.folder, "state")
    os.mkdir(path, 0o755)
    patient.configure(state_dir=path)
    patient.only("warning", "may not write into", remedy="chown -R nobody")
    os.chmod(path, 0o777)
    check.equal([f for f in patient.findings() if f["check"] == "state"], [], "writable")
    patient.configure()


def test_faults_of_the_configuration(patient):
    patient.configure(interfaces=["eth0"], profiles={"default": {"x64-uefi": "gone.efi"}})
    patient.only("fault", "gone.efi")
    with open(patient.path, "w") as file:
        file.write("{")
    check.equal([f["check"] for f in patient.findings(good=False)], ["configuration"], "checks")
    patient.path, kept = "/nonexistent.json", patient.path
    check.that("cannot be read" in patient.findings(good=False)[0]["what"], "no such file")
    patient.path = kept
    patient.configure()


def test_without_rights(patient):
    nobody = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
    told = {f["check"]: f for f in patient.findings(prefix=nobody)}
    check.that("cannot be told" in told["firewall"]["what"], told["firewall"]["what"])
    check.that("could not" in told["rights"]["what"], told["rights"]["what"])
    check.that("CAP_NET_RAW" in told["rights"]["remedy"], told["rights"]["remedy"])


def test_few_descriptors(patient):
    told = patient.findings(prefix=("prlimit", "--nofile=256:256"))
    check.that(any("256 files" in f["what"] for f in told), "findings: %s" % told)


def test_others_on_the_wire(patient):
    patient.only("warning", "no DHCP server elsewhere", "--probe")
    dnsmasq = patient.network.dnsmasq(patient.client, "--dhcp-option-force=60,PXEClient",
                                      "--dhcp-boot=other.0")
    bad = [f for f in patient.findings("--probe", good=False) if f["check"] == "wire"]
    check.equal([f["severity"] for f in bad], ["fault", "warning"], "findings: %s" % bad)
    check.that("option 60" in bad[0]["what"] and "boot file" in bad[1]["what"],
               "findings: %s" % bad)
    dnsmasq.close()


def test_another_pxe_server(patient):
    patient.network.pxed(patient.client, net.config(patient.root))
    bad = [f for f in patient.findings("--probe") if f["check"] == "wire"]
    check.that(any("another PXE server, 10.77.0.100" in f["what"] for f in bad),
               "findings: %s" % bad)


def test_wrong_usage(patient):
    done = subprocess.run([net.binary(), "doctor", "--fly"], capture_output=True, text=True)
    check.equal(done.returncode, 2, "exit code")
    done = subprocess.run([net.binary(), "doctor", "--help"], capture_output=True, text=True)
    check.that(done.returncode == 0 and "usage: pxed doctor" in done.stdout, done.stdout)
