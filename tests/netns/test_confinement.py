"""What pxed gives up before it serves, as it tells it and as the kernel has it."""
import os
import shutil

import check
import net
import tftp
import web
from test_boots import question
from test_control import Site as Served


class Confined(Served):
    """pxed with its configuration, root, socket and state in directories of their own."""

    def __init__(self, network, link=False, **settings):  # pylint: disable=super-init-not-called
        self.folder = network.folder
        self.root = network.root()
        net.write_boot_files(self.root)
        served = self.root.path
        if link:
            served = os.path.join(self.make("link"), "current")
            os.symlink(self.root.path, served)
        self.socket = os.path.join(self.make("run"), "control.sock")
        state = self.make("state")
        os.chown(state, 65534, 65534)
        self.server, self.client = network.pair()
        self.configuration = dict(net.config(self.root), control=self.socket, state_dir=state,
                                  **settings)
        self.configuration["tftp"]["root"] = served
        network.folder = self.make("etc")
        self.pxed = network.pxed(self.server, self.configuration)
        network.folder = self.folder

    def make(self, name):
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        return path

    def told(self):
        return question(self, verb="status")["confinement"]

    def root_elsewhere(self, content):
        path = self.make("elsewhere")
        with open(os.path.join(path, "x64.efi"), "wb") as file:
            file.write(content)
        return path

    def with_root(self, path):
        return dict(self.configuration, tftp=dict(self.configuration["tftp"], root=path))

    def fetch(self, content):
        tftp.fetch(self.client, net.SERVER, "x64.efi", content)


def beyond_reach(site, kind, path, configuration):
    """A reload that needs what lies elsewhere is refused, with the reason."""
    site.rewrite(configuration)
    status, _, complaint = site.reload()
    check.equal(status, 1, "status of a reload with %s at %s" % (kind, path))
    check.that(path in complaint and "takes a restart" in complaint, complaint)


def needs_landlock(site):
    told = site.told()
    if not told["landlock"]:
        check.skip("no Landlock here: %s" % told["landlock_why"])


def needs_seccomp(site):
    """Every kernel it runs on has it; a pxed built with a sanitizer does without."""
    why = site.told().get("seccomp_why", "")
    if "sanitizer" in why:
        check.skip("no seccomp: %s" % why)


def test_it_tells_what_it_gave_up():
    with net.Net() as network:
        site = Confined(network)
        needs_seccomp(site)
        told = site.told()
        check.equal((told["user"], told["capabilities"], told["no_new_privs"]),
                    ("nobody", "cap_net_raw=p", True), "told")
        check.equal(told["landlock"], "landlock_abi" in told, "an ABI where there is one")
        check.equal((told["seccomp"], "seccomp_why" in told), (True, False), "seccomp")
        check.that(site.pxed.log().count("Landlock") == 1, "not logged once: %s" % site.pxed.log())


def test_every_thread_is_filtered():
    """The loop's, those that read files, and one of an HTTP client."""
    with net.Net() as network:
        site = Confined(network)
        needs_seccomp(site)
        site.fetch(b"x64.efi" * 500)
        connection = web.Connection(site.server, "127.0.0.1")
        connection.get("/")
        tasks = site.pxed.tasks()
        check.that(len(tasks) > 2, "threads: %d" % len(tasks))
        for task in tasks:
            check.that("\nSeccomp:\t2\n" in task and "\nNoNewPrivs:\t1\n" in task, task)


def test_nothing_is_permitted_without_hotplug():
    with net.Net() as network:
        check.equal(Confined(network, hotplug=False).told()["capabilities"], "none", "told")


def test_another_root_takes_a_restart():
    """Refused with the reason; what was served is served on."""
    with net.Net() as network:
        site = Confined(network)
        needs_landlock(site)
        site.rewrite(site.with_root(site.root_elsewhere(b"other" * 200)))
        status, _, complaint = site.reload()
        check.equal(status, 1, "status of the reload")
        check.that("takes a restart" in complaint and ":7:13: tftp.root: " in complaint, complaint)
        site.fetch(b"x64.efi" * 500)


def test_templates_and_host_files_elsewhere_do_too():
    with net.Net() as network:
        site = Confined(network)
        needs_landlock(site)
        path = site.root_elsewhere(b"#!ipxe")
        template = os.path.join(path, "x64.efi")
        beyond_reach(site, "a template", template, dict(
            site.configuration, files={"boot.ipxe": {"template": template}}))
        beyond_reach(site, "host files", path, dict(site.configuration, host_files=path))


def test_a_root_that_is_a_link_can_be_turned():
    """To a directory beside the one it led to, as releases are laid out."""
    with net.Net() as network:
        site = Confined(network, link=True)
        link = site.configuration["tftp"]["root"]
        release = os.path.join(os.path.dirname(link), "release-2")
        shutil.copytree(site.root.path, release)
        with open(os.path.join(release, "x64.efi"), "wb") as file:
            file.write(b"2" * 999)
        os.symlink(release, link + ".new")
        os.rename(link + ".new", link)
        check.equal(site.reload()[0], 0, "status of the reload")
        site.fetch(b"2" * 999)


def test_a_root_in_the_place_of_the_old_one_takes_a_restart():
    with net.Net() as network:
        site = Confined(network)
        needs_landlock(site)
        os.rename(site.root.path, site.root.path + ".old")
        shutil.copytree(site.root.path + ".old", site.root.path)
        complaint = site.reload()[2]
        check.that("takes a restart" in complaint, complaint)
        site.fetch(b"x64.efi" * 500)


def test_a_configuration_can_be_replaced():
    """By another file of its name, as editors and packages do."""
    with net.Net() as network:
        site = Confined(network)
        site.root.write("next.efi", b"n" * 100)
        new = site.pxed.config_path + ".new"
        net.write_json(new, dict(site.configuration, profiles={"default": {"7": "next.efi"}}))
        os.rename(new, site.pxed.config_path)
        check.equal(site.reload()[0], 0, "status of the reload")


def test_it_can_be_switched_off():
    with net.Net() as network:
        site = Confined(network, confinement="off")
        check.equal((site.told()["landlock"], site.told()["landlock_why"]),
                    (False, '"confinement" is "off"'), "told")
        check.equal((site.told()["seccomp"], site.told()["seccomp_why"]),
                    (False, '"confinement" is "off"'), "told")
        check.equal(site.pxed.status("Seccomp"), "0", "the kernel's word")
        site.rewrite(site.with_root(site.root_elsewhere(b"other" * 200)))
        check.equal(site.reload()[0], 0, "status of the reload")
        site.fetch(b"other" * 200)
