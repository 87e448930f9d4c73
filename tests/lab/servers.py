"""The programs on the lab's network: ordinary DHCP servers, and pxed.

Each of start_KIND(host) starts one and returns it when it serves.  The DHCP servers give
addresses and know nothing of network boot.
"""
import functools
import json
import os
import re
import shutil
import subprocess

import sandbox
from network import PXE, LabError, sh, spawn, tail, wait_bound, wait_until, write

FIRST, LAST = "10.77.0.100", "10.77.0.199"
PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/peers")
LINUX_FILES = ("vmlinuz", "initrd")
UNPACKED = os.path.join(PEERS, "../loaders")    # packaging/fetch-loaders
PEER_LIBRARIES = ":".join(os.path.join(PEERS, "usr/lib", machine + "-linux-gnu")
                          for machine in ("x86_64", "aarch64"))
USUAL_FILES = {"x86-bios": "probe.0", "x86-uefi": "probeia32.efi", "x64-uefi": "probex64.efi",
               "arm64-uefi": "probeaa64.efi"}

CONTROL = os.path.join(sandbox.SCRATCH, "control.sock")
WATCHED = {"control": CONTROL, "http": {"listen": "127.0.0.1:8069"}, "log": {"format": "json"}}


def program(name):
    """Where a program is: on this machine, else in build/peers (packaging/fetch-peers); or None."""
    folders = ["/usr/sbin", "/sbin"] + [os.path.join(PEERS, folder)
                                        for folder in ("usr/sbin", "sbin", "usr/bin", "bin")]
    return shutil.which(name, path=":".join([os.environ["PATH"], *folders]))


def start_dnsmasq(host, next_server=""):
    """dnsmasq as most run it: bound to every address of its host, which it names as next server.

    The router advertisements matter to iPXE: with IPv6 it waits some 14 s for one before it
    loads anything, even when IPv4 has brought all it needs.
    """
    dnsmasq(host, "dhcp.log", "--dhcp-range=%s,%s,10m" % (FIRST, LAST), "--dhcp-authoritative",
            "--no-ping", *ADVERTISE, *(["--dhcp-boot=,," + next_server] if next_server else []),
            port=67)


def start_dnsmasq6(host):
    """IPv6 alone: router advertisements, and addresses by DHCPv6."""
    proc = dnsmasq(host, "dhcp.log", *ROUTER, "--dhcp-range=fd77::100,fd77::1ff,64,10m", "--no-ping")
    wait_bound(proc, 547, "dhcp.log", "udp6")


def start_stateless6(host):
    """IPv6 alone: addresses by router advertisements, which point to DHCPv6 for the rest."""
    proc = dnsmasq(host, "dhcp.log", *ROUTER, "--dhcp-range=fd77::,ra-stateless,64,10m")
    wait_bound(proc, 547, "dhcp.log", "udp6")


ROUTER = ["--enable-ra", "--ra-param=eth0,60,600"]
ADVERTISE = [*ROUTER, "--dhcp-range=fd77::,ra-only,64,10m"]


def dnsmasq(host, log, *options, port=None):
    """dnsmasq without DNS, without files of its own."""
    proc = spawn(["dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--port=0",
                  "--user=root", "--interface=eth0", "--log-facility=-", "--pid-file=",
                  "--leasefile-ro", *options], log, host)
    if port:
        wait_bound(proc, port, log)
    return proc


def start_isc(host, next_server=""):
    """ISC dhcpd."""
    more = "next-server %s;" % next_server if next_server else ""
    conf = write("dhcpd.conf", "authoritative;\ndefault-lease-time 600;\nping-check false;\n%s\n"
                 "subnet 10.77.0.0 netmask 255.255.255.0 { range %s %s; }\n" % (more, FIRST, LAST))
    leases = write("dhcpd.leases", "")
    advertise(host)
    wait_bound(spawn([program("dhcpd"), "-4", "-f", "-d", "--no-pid", "-cf", conf, "-lf", leases, "eth0"],
                   "dhcp.log", host), 67, "dhcp.log")


def start_kea(host, next_server=""):
    """Kea."""
    conf = write("kea.json", json.dumps({"Dhcp4": {
        "interfaces-config": {"interfaces": ["eth0"], "dhcp-socket-type": "raw"},
        "lease-database": {"type": "memfile", "persist": False},
        "valid-lifetime": 600,
        **({"next-server": next_server} if next_server else {}),
        "subnet4": [{"subnet": "10.77.0.0/24", "id": 1,
                     "pools": [{"pool": "%s - %s" % (FIRST, LAST)}]}],
        "loggers": [{"name": "kea-dhcp4", "severity": "INFO",
                     "output_options": [{"output": "stdout"}]}]}}))
    advertise(host)
    env = {"KEA_PIDFILE_DIR": os.getcwd(), "KEA_LOCKFILE_DIR": "none",
           "LD_LIBRARY_PATH": PEER_LIBRARIES}
    wait_bound(spawn([program("kea-dhcp4"), "-c", conf], "dhcp.log", host, env), 67, "dhcp.log")


def start_udhcpd(host, next_server=""):
    """BusyBox udhcpd: asks by ARP first, so its offer comes 2 s late."""
    conf = write("udhcpd.conf", "start %s\nend %s\ninterface eth0\nlease_file %s\npidfile %s\n"
                 "option subnet 255.255.255.0\noption lease 600\n%s\n" % (
                     FIRST, LAST, write("udhcpd.leases", ""), os.path.abspath("udhcpd.pid"),
                     "siaddr " + next_server if next_server else ""))
    advertise(host)
    wait_bound(spawn([program("busybox"), "udhcpd", "-f", conf], "dhcp.log", host), 67, "dhcp.log")


def advertise(host):
    """Router advertisements, for the servers that send none."""
    dnsmasq(host, "ra.log", *ADVERTISE)


# kind: (start, the program it takes)
DHCP_SERVERS = {"dnsmasq": (start_dnsmasq, "dnsmasq"), "isc": (start_isc, "dhcpd"),
                "kea": (start_kea, "kea-dhcp4"), "udhcpd": (start_udhcpd, "busybox"),
                "dnsmasq6": (start_dnsmasq6, "dnsmasq"), "stateless6": (start_stateless6, "dnsmasq")}
# the same, told in their one setting for it that pxed is the next server
DHCP_SERVERS.update({kind + "-next": (functools.partial(DHCP_SERVERS[kind][0], next_server=PXE[1]),
                                      DHCP_SERVERS[kind][1])
                     for kind in ("dnsmasq", "isc", "kea", "udhcpd")})


def start_pxed(program, root, files, profiles=None, hosts=(), tftp=None, templates=None,
               http=False, watched=False):
    """pxed on the host pxe, serving root.

    files: key of the default profile -> boot file; profiles: further ones; hosts: the table;
    tftp: settings of that section; templates: name of a virtual file -> its text; http: by
    HTTP, too; watched: it can be asked at all its doors, CONTROL one of them.
    """
    virtual = {}
    for number, (name, text) in enumerate((templates or {}).items()):
        virtual[name] = {"template": write("template%d.in" % number, text)}
    conf = write("pxed.json", json.dumps({
        "interfaces": ["eth0"],
        "tftp": {"root": root, **(tftp or {})},
        "http": {"listen": ":8069", "boot_files": True} if http else {"listen": "off"},
        "user": "nobody",
        "profiles": {"default": files, **(profiles or {})},
        "hosts": list(hosts),
        "unknown_hosts": {"profile": "default"},
        "files": virtual, "control": "off", "state_dir": "off",
        **(WATCHED if watched else {})}, indent=2) + "\n")
    return run_pxed(program, conf)


def init_root(program, arguments, files, hosts):
    """A boot root and a configuration as `pxed init` makes them; the paths of both.

    What is about this machine is switched off in the configuration.  files: entries of the
    default profile beside those that are there, None takes one away; hosts: the table.
    """
    said = sh(program, "init", "site", "--interface", "eth0", "--address", PXE[1],
              "--from", "/", "--from", os.path.normpath(UNPACKED), *arguments)
    write("init.log", said)
    with open("site/pxed.json") as f:
        conf = json.loads(re.sub(r"(?m)^ *//.*$", "", f.read()))
    conf.update(user="nobody", control="off", state_dir="off", hosts=list(hosts))
    default = {**conf["profiles"]["default"], **files}
    conf["profiles"]["default"] = {key: file for key, file in default.items() if file is not None}
    for name in LINUX_FILES:
        if os.path.exists("tftp/" + name):
            shutil.copyfile("tftp/" + name, "site/root/" + name)
    return os.path.abspath("site/root"), write("site/pxed.json", json.dumps(conf, indent=2) + "\n")


def run_pxed(program, conf):
    """pxed on the host pxe, by a configuration file."""
    if not shutil.which(program):
        raise LabError("there is no %s (make)" % program)
    proc = spawn([program, "run", "-c", conf], "pxed.log", PXE)
    wait_until(lambda: "pxed ready" in tail("pxed.log", 10), proc, "pxed.log")
    return proc


def stop_pxed(proc):
    """Ends pxed as a service manager does; it must then end well, and soon."""
    proc.terminate()
    try:
        status = proc.wait(5)
    except subprocess.TimeoutExpired as e:
        raise LabError("pxed still runs 5 s after SIGTERM") from e
    if status:
        raise LabError("pxed ended with status %d after SIGTERM: %s"
                       % (status, tail("pxed.log", 3)))
