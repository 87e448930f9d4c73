"""What is measured, and what pxed shall reach."""
import dataclasses

MIB = 1 << 20
WHOLE = 1_600_000_000          # the file whose boot time started this project
LOCK_STEP_USEC = 517           # of one block, on the link it was measured on
WINDOWS = (1, 2, 4, 8, 16, 32, 64)
LOSSY_WINDOWS = (1, 4, 16, 64)
BLOCK_SIZES = (512, 1024, 1456, 8192)

CPU, RATE, CROWD, TIME = "cpu", "rate", "crowd", "time"


@dataclasses.dataclass
class Row:
    name: str
    title: str
    shows: str                 # CPU: s/GB; RATE: MB/s; CROWD: MB/s and more; TIME: of WHOLE
    network: str
    size: int
    window: int
    blksize: int = 1468
    kind: str = "plain"
    clients: int = 1
    limit: float = 8.0         # seconds of one measurement
    retry: int = 1000          # ms
    loss: float = 0.0          # of DATA
    ack_loss: float = 0.0
    round_trip: int = 0        # us
    rate: int = 0              # Mbit/s of the emulated link
    queue: int = 0             # frames
    wire_loss: float = 0.0     # on the way to the client
    seed_link: bool = False    # the delay that makes a lock-step block take LOCK_STEP_USEC
    refuse_segments: bool = False
    only_pxed: bool = False
    once: bool = False         # in the first round only
    # targets
    of_best: float = None      # CPU: at most so much of the best peer; else: at least
    least: float = None        # MB/s
    most: float = None         # seconds of WHOLE


def link(window, blksize=1456, **more):
    """A row on the link of the first measurement."""
    kind = more.get("kind", "plain")
    size = min(2 * window, 64) * MIB
    values = dict(name="link-%d-%d" % (blksize, window), network="wire", shows=TIME,
                  title="the first link, block size %d, window %d" % (blksize, window),
                  size=size, window=window, blksize=blksize, limit=3.0, rate=1000,
                  queue=1000, seed_link=True, kind=kind)
    values.update(more)
    return Row(**values)


TABLE = [
    Row("cpu-16", "server CPU, one client, window 16", CPU, "loopback", 256 * MIB, 16,
        of_best=1 / 3),
    Row("cpu-64", "server CPU, one client, window 64", CPU, "loopback", 256 * MIB, 64,
        of_best=1 / 3),
    Row("cpu-plain-16", "the same without segmentation offload, window 16", CPU, "loopback",
        256 * MIB, 16, refuse_segments=True, of_best=0.8),
    Row("cpu-plain-64", "the same without segmentation offload, window 64", CPU, "loopback",
        256 * MIB, 64, refuse_segments=True, of_best=0.8),
    Row("whole", "1.6 GB, window 64, loopback", TIME, "loopback", WHOLE, 64, limit=9.0,
        of_best=3.0),
    Row("whole-bootmgr", "1.6 GB by Windows Boot Manager, msftwindow, loopback", TIME, "loopback",
        WHOLE, 4, 1456, kind="bootmgr", limit=15.0, only_pxed=True),
    Row("crowd-16", "1,000 clients at once, 512 KiB each, window 16", CROWD, "pair", MIB // 2,
        16, clients=1000, limit=25.0, of_best=2.5),
    Row("crowd-1", "1,000 clients at once, 512 KiB each, lock-step", CROWD, "pair", MIB // 2,
        1, clients=1000, limit=25.0),
    Row("loss-16", "1 % of DATA lost, 0.5 ms round trip, window 16", RATE, "pair", 16 * MIB,
        16, loss=0.01, round_trip=500, limit=5.0, retry=4000, least=20.0),
    Row("loss-1", "1 % of DATA lost, 0.5 ms round trip, lock-step", RATE, "pair", 2 * MIB, 1,
        loss=0.01, round_trip=500, limit=5.0, retry=4000, least=1.5),
    Row("acks-16", "1 % of DATA and 1 % of ACKs lost, window 16", RATE, "pair", 16 * MIB, 16,
        loss=0.01, ack_loss=0.01, round_trip=500, limit=5.0, retry=4000),
    Row("acks-1", "1 % of DATA and 1 % of ACKs lost, lock-step", RATE, "pair", 2 * MIB, 1,
        loss=0.01, ack_loss=0.01, round_trip=500, limit=5.0, retry=4000),
    Row("queue-64", "1 Gbit/s, a queue of 16 packets, window 64", RATE, "wire", 32 * MIB, 64,
        rate=1000, queue=16, retry=4000, least=45.0),
]

SEED_LINK = [link(window, most=28.0 if window == 64 else None) for window in WINDOWS] + [
    link(1, 1432, name="ahead-ipxe", kind="ipxe", most=60.0, size=16 * MIB,
         title="the first link, a client without windows that keeps early blocks (iPXE)"),
    link(1, name="ahead-lockstep", kind="lockstep", size=16 * MIB,
         title="the first link, a client without windows that drops early blocks"),
    link(4, name="ahead-edk2", kind="edk2", size=16 * MIB,
         title="the first link, a UEFI client (window 4)"),
    link(4, name="windows-varying", kind="bootmgr", size=64 * MIB, only_pxed=True,
         title="the first link, Windows Boot Manager with msftwindow"),
]

# the same link when one packet in a thousand is lost
LOSSY = [link(window, name="lossy-1456-%d" % window, wire_loss=0.001, limit=6.0, retry=4000,
              size=max(8, min(2 * window, 64)) * MIB,
              title="the first link with 0.1 %% loss, window %d" % window)
         for window in LOSSY_WINDOWS]

# the first measurement's own table: block size by window
SIZES = [link(window, blksize, only_pxed=True, once=True)
         for blksize in BLOCK_SIZES if blksize != 1456 for window in WINDOWS]

ALL = TABLE + SEED_LINK + LOSSY + SIZES
