"""The container image: built as its Containerfile says, run as its documentation says.

The base image stands for debian:bookworm-slim and is made here; no registry is asked.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import time

import check
import dhcp
import machine
import net
import tftp

PLACE = os.path.join(net.TOP, "build", "package")
STORE = os.path.join(PLACE, "containers")
BASE = "docker.io/library/debian:bookworm-slim"
BOOT_FILE = b"\xeb\x3c" + bytes(2998)
ARCHS = ("amd64", "arm64")
LIMITS = ("--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096")


def engine(program):
    return (program, "--root", os.path.join(STORE, "root"), "--runroot",
            os.path.join(STORE, "runroot"), "--storage-driver", "vfs")


def podman(*argv):
    return machine.run(*engine("podman"), "--cgroup-manager", "cgroupfs", "--runtime", "runc", *argv)


def has_image(name):
    done = subprocess.run((*engine("podman"), "image", "exists", name), check=False)
    return done.returncode == 0


def image(arch):
    return "localhost/pxed-" + arch


def build(arch):
    """The image for this machine type, once."""
    name = image(arch)
    if has_image(name):
        return name
    os.makedirs(PLACE, exist_ok=True)
    if not has_image(BASE):
        podman("import", "-q", machine.base_root(PLACE, {"ca-certificates"}), BASE)
    machine.run(os.path.join(net.TOP, "packaging/container/build"), arch, name,
                env=dict(os.environ, BUILDAH=" ".join(engine("buildah")), PULL="--pull-never"))
    return name


class Container:
    """The image running in a network namespace, with the rights the documentation names."""

    def __init__(self, network, namespace, settings, built, rights="NET_BIND_SERVICE,NET_RAW"):
        root = network.root()
        root.write("undionly.kpxe", BOOT_FILE)
        place = os.path.join(network.folder, "pxed.json")
        net.write_json(place, settings)
        os.chmod(place, 0o644)
        self.name = "pxed-test-%d-%d" % (os.getpid(), time.monotonic_ns())
        podman("run", "-d", "--name", self.name, *LIMITS, "--network", "ns:/run/netns/" +
               namespace.name, "--cap-drop=ALL", "--cap-add=" + rights, "--read-only",
               "-v", place + ":/etc/pxed/pxed.json:ro",
               "-v", root.path + ":/srv/tftp:ro", built)

    def log(self):
        done = subprocess.run((*engine("podman"), "logs", self.name), capture_output=True, text=True,
                              check=False)
        return done.stdout + done.stderr

    def wait_log(self, text, seconds=20):
        machine.Machine.wait("%r in the log:\n%s" % (text, self.log()), lambda: text in self.log(),
                             seconds)

    def close(self):
        podman("rm", "-f", "-t", "0", self.name)


def configuration(**tftp_keys):
    return {"interfaces": ["eth0"], "tftp": {"root": "/srv/tftp", **tftp_keys},
            "profiles": {"default": {"x86-bios": "undionly.kpxe"}}}


def boot(client, server=net.SERVER):
    reply = dhcp.Client(client).ask(dhcp.discover(0))
    check.equal(dhcp.file_name(reply.message), "undionly.kpxe", "boot file")
    tftp.fetch(client, server, "undionly.kpxe", BOOT_FILE)


def test_a_client_boots_from_it():
    built = build("amd64")
    with net.Net() as network:
        server, client = network.pair()
        box = Container(network, server, configuration(), built)
        try:
            box.wait_log("pxed ready")
            boot(client)
            podman("exec", box.name, "/usr/sbin/pxed", "status", "--quiet")
            podman("healthcheck", "run", box.name)
            state = json.loads(podman("inspect", box.name))[0]
            check.equal(state["Config"]["User"], "pxed", "its user")
            pid = state["State"]["Pid"]
            with open("/proc/%d/status" % pid, encoding="ascii") as file:
                status = dict(line.split(":\t", 1) for line in file.read().splitlines())
            check.equal((status["Uid"].split()[0], status["CapEff"]), ("64067", "0" * 16),
                        "user and effective capabilities")
            start = time.monotonic()
            podman("stop", "-t", "10", box.name)
            check.at_most(time.monotonic() - start, 8, "seconds to stop")
            check.equal(json.loads(podman("inspect", box.name))[0]["State"]["ExitCode"], 0,
                        "exit status after SIGTERM")
        finally:
            box.close()


def test_without_its_rights_it_says_what_to_grant():
    built = build("amd64")
    with net.Net() as network:
        server, _ = network.pair()
        box = Container(network, server, configuration(), built, rights="CHOWN")
        try:
            box.wait_log("--cap-add=")
        finally:
            box.close()


def test_behind_a_nat_with_a_single_port():
    """Port 69 forwarded, nothing else: data leave from it, too."""
    built = build("amd64")
    with net.Net() as network:
        inside, router, client = (network.namespace(tag) for tag in ("ins", "nat", "cli"))
        network.link(router, "eth0", client, "eth0")
        network.link(router, "eth1", inside, "eth0")
        router.addr("eth0", "10.77.0.1/24")
        client.addr("eth0", "10.77.0.100/24")
        router.addr("eth1", "10.88.0.1/24")
        inside.addr("eth0", "10.88.0.2/24")
        inside.ip("route", "add", "default", "via", "10.88.0.1")
        router.sysctl("net/ipv4/ip_forward", 1)
        router.run("nft", "-f", "-", stdin="""
            table ip nat {
                chain pre {
                    type nat hook prerouting priority dstnat;
                    iifname eth0 udp dport 69 dnat to 10.88.0.2;
                }
            }
            table ip filter {
                chain forward {
                    type filter hook forward priority 0; policy drop;
                    ct state established accept;
                    iifname eth0 udp dport 69 accept;
                }
            }""")
        behind = configuration(data_ports="single", allow=["10.77.0.0/24"])
        box = Container(network, inside, behind, built)
        try:
            box.wait_log("pxed ready")
            tftp.fetch(client, "10.77.0.1", "undionly.kpxe", BOOT_FILE)
        finally:
            box.close()


def size_of(built):
    return int(json.loads(podman("image", "inspect", built))[0]["Size"])


def test_both_images_are_small_and_for_their_machines():
    stated = open(os.path.join(net.TOP, "docs/containers.md"), encoding="utf-8").read()
    for arch, machine_type in (("amd64", 62), ("arm64", 183)):
        built = build(arch)
        about = json.loads(podman("image", "inspect", built))[0]
        check.equal(about["Architecture"], arch, "architecture of the image")
        place = os.path.join(PLACE, "pxed-" + arch)
        box = podman("create", built).strip()
        try:
            podman("cp", box + ":/usr/sbin/pxed", place)
        finally:
            podman("rm", box)
        with open(place, "rb") as file:
            check.equal(struct.unpack_from("<H", file.read(20), 18)[0], machine_type, "ELF machine")
        limit = int(re.search(r"%s: at most (\d+) MB" % arch, stated).group(1))
        check.at_most(size_of(built) / 1e6, limit, "MB of the %s image, as stated" % arch)


def test_the_other_machine_runs_it():
    emulator = shutil.which("qemu-aarch64-static")
    if not emulator:
        check.skip("qemu-user-static is not installed")
    built = build("arm64")
    root = os.path.join(PLACE, "arm64-root")
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    box = podman("create", built).strip()
    try:
        machine.run("sh", "-c", "\"$@\" | tar -C %s -xf -" % root, "sh", *engine("podman"), "export", box)
    finally:
        podman("rm", box)
    said = machine.run(emulator, "-L", root, os.path.join(root, "usr/sbin/pxed"), "--version")
    check.that(said.startswith("pxed "), "it says %r" % said)


def test_the_descriptions_are_sound():
    """Compose and Kubernetes files: YAML, with the host table that is checked like any other."""
    try:
        import yaml
    except ImportError:
        check.skip("python3-yaml is not installed")
    folder = os.path.join(net.TOP, "packaging/container")
    with open(os.path.join(folder, "compose.yaml"), encoding="utf-8") as file:
        service = yaml.safe_load(file)["services"]["pxed"]
    check.equal((service["network_mode"], service["cap_drop"], sorted(service["cap_add"])),
                ("host", ["ALL"], ["NET_BIND_SERVICE", "NET_RAW"]), "compose")
    with open(os.path.join(folder, "kubernetes.yaml"), encoding="utf-8") as file:
        parts = {part["kind"]: part for part in yaml.safe_load_all(file)}
    pod = parts["DaemonSet"]["spec"]["template"]["spec"]
    mounts = {one["name"] for one in pod["containers"][0]["volumeMounts"]}
    check.equal(mounts, {one["name"] for one in pod["volumes"]}, "volumes that are mounted")
    check.equal(parts["DaemonSet"]["spec"]["selector"]["matchLabels"],
                parts["DaemonSet"]["spec"]["template"]["metadata"]["labels"], "labels")
    place = os.path.join(PLACE, "configmap.json")
    with open(place, "w", encoding="utf-8") as file:
        file.write(parts["ConfigMap"]["data"]["pxed.json"])
    done = subprocess.run([net.binary(), "check", "--json", "-c", place], capture_output=True,
                          text=True, check=False)
    bad = [fault["message"] for fault in json.loads(done.stdout)["faults"]
           if fault["severity"] == "error" and "cannot be opened" not in fault["message"]]
    check.equal(bad, [], "faults of the ConfigMap's configuration")
