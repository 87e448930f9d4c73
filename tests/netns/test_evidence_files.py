"""Recordings of boots that failed: where they are kept, and how many."""
import os

import check
import net
from test_evidence import Site, packets


def test_without_a_place_it_stays_in_memory_and_success_leaves_nothing():
    with net.Net() as network:
        site = Site(network, state=False)
        site.fail()
        boot = site.boots(wait=60)[0]
        got = site.download(boot["evidence"])
        check.equal(got.status, 200, "status")
        check.equal(len(packets(got.body)), 2, "packets")
        check.that(not os.path.exists(site.directory), "nothing on the disk")


def give_directory(site):
    check.until("the directory of state", lambda: os.path.isdir(os.path.dirname(site.directory)))
    os.makedirs(site.directory)
    os.chown(site.directory, 65534, 65534)


def test_the_oldest_files_go():
    with net.Net() as network:
        site = Site(network, evidence={"max_files": 3})
        give_directory(site)
        for second in range(6):
            path = os.path.join(site.directory, "20200101-00000%d-525400000001.pcap" % second)
            with open(path, "wb") as file:
                file.write(b"x" * 100)
        with open(os.path.join(site.directory, "notes.txt"), "w") as file:
            file.write("mine")
        os.mkdir(os.path.join(site.directory, "20190101-000000-525400000001.pcap"))  # is nobody's, and cannot go
        os.symlink("/etc/passwd", os.path.join(site.directory, "20190101-000001-525400000001.pcap"))
        site.fail()
        name = site.boots(wait=60)[0]["evidence"]
        check.until("the oldest are gone", lambda: len(os.listdir(site.directory)) == 5)
        check.equal(sorted(os.listdir(site.directory)),
                    ["20190101-000000-525400000001.pcap", "20200101-000004-525400000001.pcap", "20200101-000005-525400000001.pcap", name,
                     "notes.txt"], "files")


def test_what_cannot_be_written_stays_in_memory():
    with net.Net() as network:
        site = Site(network)
        give_directory(site)
        os.chown(site.directory, 0, 0)
        site.fail()
        last = site.boots(wait=60)[0]
        site.pxed.wait_log("cannot be written to")
        check.equal(site.download(last["evidence"]).status, 200, "from memory")
        check.equal(os.listdir(site.directory), [], "files")


def test_it_may_be_off():
    with net.Net() as network:
        site = Site(network, evidence={"enabled": False})
        site.fail()
        check.equal(site.boots(wait=60)[0]["evidence"], None, "the recording")
