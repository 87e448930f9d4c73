"""Medians, ratios and the Markdown table."""
import os
import re
import statistics
import time

import rows


def per_gb(result):
    """Server CPU seconds per GB; None when there is nothing to divide."""
    if result["server_cpu"] is None or not result["octets"]:
        return None
    return result["server_cpu"] / (result["octets"] / 1e9)


def whole_seconds(result):
    """How long 1.6 GB take at the rate seen."""
    return rows.WHOLE / 1e6 / result["mbps"] if result["mbps"] > 0 else None


VALUES = {rows.CPU: per_gb, rows.TIME: whole_seconds,
          rows.RATE: lambda result: result["mbps"], rows.CROWD: lambda result: result["mbps"]}
UNITS = {rows.CPU: "%.2f s/GB", rows.RATE: "%.1f MB/s", rows.CROWD: "%.0f MB/s"}


def clock(seconds):
    """Minutes and seconds: 9:28; 2 h 05 beyond an hour."""
    if seconds < 10:
        return "%.1f s" % seconds
    if seconds < 3600:
        return "%d:%02d" % divmod(round(seconds), 60)
    return "%d h %02d" % divmod(round(seconds / 60), 60)


def show(row, value):
    if value is None:
        return "-"
    if row.shows == rows.RATE and value < 1:
        return "%.2f MB/s" % value
    return clock(value) if row.shows == rows.TIME else UNITS[row.shows] % value


def failed(row, result):
    """True when clients gave up or died, as against a run that was only cut by its limit."""
    if row.clients > 1:
        return result["ok"] < row.clients
    return result["failed"] > 0 or result["octets"] == 0


def in_words(row, result):
    """One measurement on one line."""
    text = show(row, VALUES[row.shows](result))
    if row.clients > 1:
        text += ", %d of %d, %d retries, spread %.3f, %s MB" % (
            result["ok"], row.clients, result["retries"], result.get("spread", 0),
            "?" if result["memory_mb"] is None else "%.1f" % result["memory_mb"])
    if result["window"] != row.window or result["blksize"] != row.blksize:
        text += " [%d/%d]" % (result["blksize"], result["window"])
    return text + (" FAILED: " + result["fault"] if failed(row, result) else "")


class Cell:
    """All measurements of one row with one server."""

    def __init__(self, row, results):
        self.row = row
        self.results = [r for r in results]
        values = [VALUES[row.shows](r) for r in self.results]
        self.values = [value for value in values if value is not None]
        self.median = statistics.median(self.values) if self.values else None
        self.failures = sum(failed(row, r) for r in self.results)

    def middle(self, field):
        known = [r[field] for r in self.results if r.get(field) is not None]
        return statistics.median(known) if known else None

    def text(self):
        if not self.results:
            return ""
        text = show(self.row, self.median)
        if self.row.clients > 1:
            memory = self.middle("memory_mb")
            text += ", %d whole, %d retries, slowest/median %.2f%s" % (
                self.middle("ok"), self.middle("retries"), self.middle("spread") or 0,
                "" if memory is None else ", %.0f MB" % memory)
        elif self.failures:
            text += ", %d of %d failed" % (self.failures, len(self.results))
        if self.middle("window") != self.row.window and self.row.window > 1:
            text += " (window %d)" % self.middle("window")
        return text

    def spread(self):
        if len(self.values) < 2 or not self.median:
            return ""
        return "%.0f %%" % (100 * (max(self.values) - min(self.values)) / self.median)


def best_peer(row, cells):
    """The best median of a peer without failures."""
    good = [cell.median for name, cell in cells.items()
            if name != "pxed" and cell.median and not cell.failures]
    if not good:
        return None
    return min(good) if row.shows in (rows.CPU, rows.TIME) else max(good)


def target(row):
    if row.of_best and row.shows == rows.CPU:
        return "at most %.2f of the best other" % row.of_best
    if row.of_best:
        return "at least %.1f times the best other" % row.of_best
    if row.least:
        return "at least %.1f MB/s" % row.least
    return "at most %s" % clock(row.most) if row.most else ""


def reached(row, cells):
    """The ratio to the best peer, and whether the target is met."""
    own, best = cells["pxed"], best_peer(row, cells)
    if own.median is None:
        return "no figure"
    ratio = None
    if best:
        ratio = best / own.median if row.shows == rows.TIME else own.median / best
    met = not own.failures
    if row.of_best and best:
        met = met and (ratio <= row.of_best if row.shows == rows.CPU else ratio >= row.of_best)
    if row.least:
        met = met and own.median >= row.least
    if row.most:
        met = met and own.median <= row.most
    words = "%.2f of the best" if row.shows == rows.CPU else "%.1f times the best"
    text = words % ratio if ratio else ""
    if target(row):
        text += (", " if text else "") + ("yes" if met else "**no**")
    return text


def cells_of(row, results):
    mine = [r for r in results if r["row"] == row.name]
    names = list(dict.fromkeys(r["server"] for r in mine))
    return {name: Cell(row, [r for r in mine if r["server"] == name]) for name in names}


def measured(results):
    """When, on what, how often."""
    linux = re.match(r"\d+\.\d+", os.uname().release).group()
    return ("Measured %s on %d processors, Linux %s: medians of %d rounds; ± is how far pxed's "
            "rounds lie apart." % (time.strftime("%Y-%m-%d"), os.cpu_count(), linux,
                                   max(r["round"] for r in results)))


def markdown(wanted, results):
    """The table of the comparison, then the table of block sizes and windows."""
    names = list(dict.fromkeys(r["server"] for r in results))
    lines = [measured(results), "", "| measure | %s | target | reached |" % " | ".join(names),
             "| --- |" + " --- |" * (len(names) + 2)]
    for row in wanted:
        cells = cells_of(row, results)
        if row in rows.SIZES or "pxed" not in cells:
            continue
        texts = [cells[name].text() if name in cells else "" for name in names]
        spread = cells["pxed"].spread()
        if spread:
            texts[0] += " (±%s)" % spread
        lines.append("| %s | %s | %s | %s |" % (row.title, " | ".join(texts), target(row),
                                               reached(row, cells)))
    return "\n".join(lines) + "\n\n" + size_table(results)


def size_table(results):
    lines = ["| block size | %s |" % " | ".join("window %d" % w for w in rows.WINDOWS),
             "| --- |" + " --- |" * len(rows.WINDOWS)]
    for blksize in rows.BLOCK_SIZES:
        texts = []
        for window in rows.WINDOWS:
            seconds = link_time(results, "pxed", blksize, window)
            texts.append(clock(seconds) if seconds else "")
        if any(texts):
            lines.append("| %d | %s |" % (blksize, " | ".join(texts)))
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def link_time(results, server, blksize, window, link="link"):
    """Median seconds for 1.6 GB on the first link; None when not measured or failed."""
    name = "%s-%d-%d" % (link, blksize, window)
    mine = [r for r in results if r["row"] == name and r["server"] == server and
            r["failed"] == 0 and r["mbps"] > 0]
    return statistics.median(whole_seconds(r) for r in mine) if mine else None
