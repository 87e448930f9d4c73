"""Other DHCP servers for tests beside them, and how each is told the same two networks.

A peer gives 10.77.0.150-199 on eth0 and 10.88.0.150-250 on eth1, and LEASED to LEASED_MAC;
it knows nothing of PXE.  Programs are taken from build/peers (packaging/fetch-peers), else
from the system; one that is in neither place skips its test.
"""
import json
import os
import shutil

import check
import net

LEASED, LEASED_MAC = "10.77.0.160", "52:54:00:cc:00:01"
PLACE = os.path.join(net.TOP, "build", "peers")
FOLDERS = ("usr/sbin", "sbin", "usr/bin", "bin")


def find(name):
    """The program, or the end of this test."""
    for folder in FOLDERS:
        path = os.path.join(PLACE, folder, name)
        if os.access(path, os.X_OK):
            return path
    path = shutil.which(name)
    if not path:
        check.skip("%s is not installed (packaging/fetch-peers gets it)" % name)
    return path


def write(network, name, text):
    path = os.path.join(network.folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def dnsmasq(network, server):
    """Holds port 67 on the wildcard address for itself."""
    network.dnsmasq(server, "--dhcp-range=10.88.0.150,10.88.0.250,255.255.255.0,1h",
                    "--dhcp-host=%s,%s" % (LEASED_MAC, LEASED))


def dnsmasq_bound(network, server):
    network.dnsmasq(server, "--bind-interfaces", "--interface=eth0", "--interface=eth1",
                    "--except-interface=lo",
                    "--dhcp-range=10.88.0.150,10.88.0.250,255.255.255.0,1h",
                    "--dhcp-host=%s,%s" % (LEASED_MAC, LEASED))


DHCPD = """
authoritative;
ping-check off;
default-lease-time 3600;
subnet 10.77.0.0 netmask 255.255.255.0 { range 10.77.0.150 10.77.0.199; }
subnet 10.88.0.0 netmask 255.255.255.0 { range 10.88.0.150 10.88.0.250; }
host leased { hardware ethernet %s; fixed-address %s; }
""" % (LEASED_MAC, LEASED)


def dhcpd(network, server):
    """ISC dhcpd: raw sockets, and a UDP one for what is unicast."""
    program = server.start(
        find("dhcpd"), "-4", "-f", "-d", "-cf", write(network, "dhcpd.conf", DHCPD),
        "-lf", write(network, "dhcpd.leases", ""), "--no-pid", "eth0", "eth1")
    program.wait_log("Server starting service")


def kea_configuration(sockets):
    subnets = [{"id": number, "subnet": "%s.0/24" % prefix,
                "pools": [{"pool": "%s.150 - %s.199" % (prefix, prefix)}]}
               for number, prefix in ((1, "10.77.0"), (2, "10.88.0"))]
    subnets[0]["reservations"] = [{"hw-address": LEASED_MAC, "ip-address": LEASED}]
    return {"Dhcp4": {
        "interfaces-config": {"interfaces": ["eth0", "eth1"], "dhcp-socket-type": sockets},
        "lease-database": {"type": "memfile", "persist": False}, "authoritative": True,
        "valid-lifetime": 3600, "subnet4": subnets,
        "loggers": [{"name": "kea-dhcp4", "severity": "INFO",
                     "output_options": [{"output": "stdout"}]}]}}


def kea(network, server, sockets="raw"):
    path = write(network, "kea.json", json.dumps(kea_configuration(sockets)))
    libraries = ":".join(os.path.join(PLACE, folder) for folder in (
        "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu"))
    program = server.start(
        "env", "LD_LIBRARY_PATH=" + libraries, "KEA_PIDFILE_DIR=" + network.folder,
        "KEA_LOCKFILE_DIR=" + network.folder, find("kea-dhcp4"), "-c", path)
    program.wait_log("DHCP4_STARTED")


def kea_udp(network, server):
    """For networks behind relays only: bound to its addresses it hears no broadcast."""
    kea(network, server, "udp")


def udhcpd(network, server):
    """BusyBox: one process for each interface."""
    for iface, prefix in (("eth0", "10.77.0"), ("eth1", "10.88.0")):
        path = write(network, "udhcpd-%s.conf" % iface, "\n".join((
            "interface " + iface, "start %s.150" % prefix, "end %s.250" % prefix,
            "lease_file " + write(network, iface + ".leases", ""),
            "pidfile " + os.path.join(network.folder, iface + ".pid"),
            "option subnet 255.255.255.0", "static_lease %s %s" % (LEASED_MAC, LEASED), "")))
        program = server.start(find("busybox"), "udhcpd", "-f", "-a", "1", path)
        program.wait_log("started")
