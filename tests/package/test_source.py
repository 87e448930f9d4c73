"""The sources as they are given out: the same each time, and built and installed by hand."""
import hashlib
import os
import subprocess
import tempfile

import check
import machine
import net


def make(folder, *words):
    return machine.run("make", "-j2", *words, cwd=folder)


def sum_of_dist():
    make(net.TOP, "dist")
    name = [one for one in os.listdir(os.path.join(net.TOP, "build"))
            if one.startswith("pxed-") and one.endswith(".tar.gz")][0]
    path = os.path.join(net.TOP, "build", name)
    with open(path, "rb") as file:
        return path, hashlib.sha256(file.read()).hexdigest()


def test_make_dist_gives_the_same_each_time():
    path, first = sum_of_dist()
    os.unlink(path)
    check.equal(sum_of_dist()[1], first, "SHA-256 of the second one")


def test_it_is_built_by_clang_and_installed_by_hand():
    path, _ = sum_of_dist()
    with tempfile.TemporaryDirectory(prefix="pxed-source-") as folder:
        machine.run("tar", "-C", folder, "-xf", path)
        source = os.path.join(folder, os.listdir(folder)[0])
        make(source, "CC=clang", "all")
        there = os.path.join(folder, "there")
        words = ("CC=clang", "install", "DESTDIR=" + there, "PREFIX=/opt/pxed", "SYSCONFDIR=/etc")
        make(source, *words)
        for name in ("opt/pxed/sbin/pxed", "opt/pxed/share/man/man8/pxed.8",
                     "opt/pxed/share/man/man5/pxed.json.5", "opt/pxed/share/pxed/pxed.schema.json",
                     "opt/pxed/share/bash-completion/completions/pxed",
                     "opt/pxed/lib/systemd/system/pxed.service",
                     "opt/pxed/lib/sysusers.d/pxed.conf", "etc/pxed/pxed.json"):
            check.that(os.path.exists(os.path.join(there, name)), name + " was not installed")
        with open(os.path.join(there, "opt/pxed/lib/systemd/system/pxed.service"),
                  encoding="utf-8") as file:
            check.inside("ExecStart=/opt/pxed/sbin/pxed run", file.read(), "the unit")
        said = machine.run(os.path.join(there, "opt/pxed/sbin/pxed"), "--version")
        check.that(said.startswith("pxed "), "it says %r" % said)
        configuration = os.path.join(there, "etc/pxed/pxed.json")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write("{}")
        make(source, *words)
        with open(configuration, encoding="utf-8") as file:
            check.equal(file.read(), "{}", "the administrator's configuration")


def test_the_completion_knows_what_the_program_knows():
    script = """
        source /usr/share/bash-completion/bash_completion
        source packaging/completion/pxed
        complete_line() {
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            COMPREPLY=(); _pxed; echo "${COMPREPLY[*]}"
        }
        complete_line pxed ""
        complete_line pxed ex
        complete_line pxed explain --p
    """
    environment = dict(os.environ, PATH=os.path.join(net.TOP, "build") + ":" + os.environ["PATH"])
    done = subprocess.run(["bash", "-c", script], cwd=net.TOP, env=environment, text=True,
                          capture_output=True, check=False)
    lines = done.stdout.splitlines()
    check.equal(len(lines), 3, "answers (%s)" % done.stderr)
    for word in ("run", "check", "status", "probe", "doctor", "import"):
        check.inside(word, lines[0].split(), "commands")
    check.equal((lines[1], sorted(lines[2].split())), ("explain", ["--pcap", "--port"]),
                "a command and its options")
