"""What systemd sees of pxed: ready, alive, stopping; and the configuration a package begins with."""
import errno
import os
import socket
import sys

import check
import dhcp
import net
import tftp


def notified(network, server, configuration, *words):
    """pxed started as systemd does; the socket that it reports to."""
    path = os.path.join(network.folder, "notify")
    reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    reports.settimeout(5)
    reports.bind(path)
    os.chmod(path, 0o777)
    place = os.path.join(network.folder, "pxed.json")
    net.write_json(place, configuration)
    program = server.start("env", "NOTIFY_SOCKET=" + path, *words, net.binary(), "run", "-c", place)
    return program, reports


def test_it_tells_systemd_that_it_is_ready_alive_and_stopping():
    with net.Net() as network:
        server, _ = network.pair()
        root = network.root()
        net.write_boot_files(root)
        program, reports = notified(network, server, net.config(root), "WATCHDOG_USEC=400000")
        check.equal(reports.recv(300), b"READY=1\nSTATUS=serves proxy-DHCP and TFTP", "first report")
        check.equal([reports.recv(300) for _ in range(3)], [b"WATCHDOG=1"] * 3, "signs of life")
        check.equal(program.stop(), 0, "exit status")
        rest = []
        reports.settimeout(0)
        while not rest or rest[-1] != b"STOPPING=1":
            rest.append(reports.recv(300))


def test_no_sign_of_life_is_sent_for_another_process():
    with net.Net() as network:
        server, _ = network.pair()
        root = network.root()
        net.write_boot_files(root)
        program, reports = notified(network, server, net.config(root), "WATCHDOG_USEC=100000",
                                    "WATCHDOG_PID=1")
        check.that(reports.recv(300).startswith(b"READY=1"), "not ready")
        reports.settimeout(0.5)
        try:
            check.fail("a sign of life: %r" % reports.recv(300))
        except TimeoutError:
            pass
        check.equal(program.stop(), 0, "exit status")


def test_without_interfaces_it_waits_and_opens_nothing():
    with net.Net() as network:
        server, _ = network.pair()
        root = network.root()
        net.write_boot_files(root)
        program, reports = notified(network, server, net.config(root, interfaces=()))
        check.that(b"serves nothing" in reports.recv(300), "its status")
        ports = [line.split()[1].rsplit(":", 1)[1] for name in ("udp", "udp6")
                 for line in server.read_proc(name).splitlines()[1:]]
        check.equal([port for port in ports if port in ("0043", "0045", "0FAB", "0223")], [],
                    "open ports of DHCP and TFTP")
        check.that("nothing is served: name the interface towards the clients" in program.log(),
                   "no word about how to go on")
        check.equal(program.stop(), 0, "exit status")


OPENAT2 = 437  # on every architecture


def test_a_sandbox_without_openat2_keeps_files_beneath_the_root_all_the_same():
    """RestrictSUIDSGID= of a unit takes the call away, as old container engines do."""
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        root.write("sub/deep.0", b"deep")
        outside = os.path.join(network.folder, "outside")
        with open(outside, "wb") as file:
            file.write(b"secret")
        for name, target in (("inner", "sub/deep.0"), ("up", "../outside"), ("far", outside),
                             ("dir", "sub"), ("ring", "ring")):
            os.symlink(target, root.at(name))
        place = os.path.join(network.folder, "pxed.json")
        net.write_json(place, net.config(root))
        program = server.start(sys.executable, "-B", os.path.join(net.HERE, "refuse.py"),
                               str(OPENAT2), str(errno.ENOSYS), net.binary(), "run", "-c", place)
        program.wait_log("pxed ready")
        reply = dhcp.Client(client).ask(dhcp.discover(7))
        check.equal(dhcp.file_name(reply.message), "x64.efi", "boot file")
        for name in ("sub/deep.0", "inner", "dir/deep.0", "SUB/DEEP.0"):
            tftp.fetch(client, net.SERVER, name, b"deep")
        for name in ("up", "far", "ring", "sub/none", "sub"):
            asker = tftp.Client(client, net.SERVER)
            asker.request(name)
            asker.expect_error(0, 1, 2)
        check.equal(program.stop(), 0, "exit status")
