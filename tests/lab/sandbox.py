"""A private world for one run: its own network, processes and scratch space.

isolated(argv) starts a command in new network, process and mount namespaces.  All that the
command makes lives in them: network namespaces, bridges, servers, virtual machines and files
under /run.  When its first process ends, however it ends, the kernel ends the others and
frees everything.  So runs side by side never meet, nothing is left behind even after
SIGKILL, and no packet leaves: there is no link to the machine's own network.
"""
import os
import select
import signal
import subprocess
import sys

SCRATCH = "/run/scratch"


def missing(command):
    """Why this machine cannot hold a sandbox, or None; command: what the user should run as root."""
    if os.geteuid():
        return "needs root (network namespaces): run it as: sudo " + command
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as e:
        return ("needs /dev/net/tun for the virtual PCs' network cards (%s); try: modprobe tun, "
                "or start the container with --device /dev/net/tun" % e.strerror)
    test = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True)
    if test.returncode:
        return "may not make namespaces (%s); in a container: --privileged" % test.stderr.strip()
    return None


# setpriv: when the caller is killed, unshare follows it, and with it all that it holds.
UNSHARE = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--pid", "--fork",
           "--kill-child", "--mount-proc", "--propagation", "private"]


def isolated(argv, **popen):
    """Starts a Python program of ours in a sandbox of its own.

    In its own session, so that Ctrl-C reaches only the caller, who then calls end().
    """
    return subprocess.Popen([*UNSHARE, sys.executable, "-B", *argv], start_new_session=True,
                            stdin=subprocess.DEVNULL, **popen)


def end(proc):
    """Ends a sandbox with all it holds; returns when everything is gone."""
    if proc.poll() is not None:
        return
    try:
        with open("/proc/%d/task/%d/children" % (proc.pid, proc.pid)) as f:
            children = [os.pidfd_open(int(pid)) for pid in f.read().split()]
    except OSError:                             # it is just ending by itself
        children = []
    proc.kill()
    for child in children:                      # ready when it has ended, and all it held
        select.select([child], [], [])
        os.close(child)
    proc.wait()


def exit_on_signals():
    """Makes SIGTERM and its like end this process as Ctrl-C does: through `finally`."""
    def on_signal(number, _frame):
        sys.exit(128 + number)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)


def begin(name):
    """To be called before any is made; False: `make NAME` cannot run here, and why was said."""
    why = missing("make " + name)
    if why:
        print("%s: %s" % (name, why), file=sys.stderr)
        return False
    exit_on_signals()
    return True


def inside():
    """To be called first in the sandbox: makes the scratch space, in memory, and goes there."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    os.makedirs(SCRATCH)
    os.chdir(SCRATCH)
