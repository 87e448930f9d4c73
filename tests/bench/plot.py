"""The plot of time over window size, as SVG that reads on light and dark ground."""
import math
import os
import statistics

import report
import rows

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 34, 50
TICKS = (10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400)
COLOURS = ("#2f81f7", "#e3832b", "#3fa34d", "#b25fd1")
GREY = "#808890"


class Axes:
    """From a window and seconds to a place; both axes are logarithmic."""

    def __init__(self, seconds):
        self.low = max(tick for tick in TICKS if tick <= max(min(seconds), TICKS[0]))
        self.high = min([tick for tick in TICKS if tick >= max(seconds)] or [max(seconds)])

    def x(self, window):
        share = math.log2(window) / math.log2(rows.WINDOWS[-1])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, seconds):
        share = math.log(seconds / self.low) / math.log(self.high / self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def svg(self):
        parts = []
        for tick in TICKS:
            if self.low <= tick <= self.high:
                y = self.y(tick)
                parts.append(line(LEFT, y, WIDTH - RIGHT, y, GREY, 'stroke-opacity="0.3"'))
                parts.append(text(LEFT - 8, y + 4, report.clock(tick), "end"))
        for window in rows.WINDOWS:
            parts.append(text(self.x(window), HEIGHT - BOTTOM + 18, str(window), "middle"))
        parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10,
                          "window size asked for (blocks)", "middle"))
        return parts


def line(x1, y1, x2, y2, colour, extra=""):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" %s/>' % (
        x1, y1, x2, y2, colour, extra)


def text(x, y, words, anchor="start", colour=GREY, extra=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s" %s>%s</text>' % (
        x, y, anchor, colour, extra, words)


def curve(axes, points, colour, dash):
    where = [(axes.x(window), axes.y(seconds)) for window, seconds in points]
    parts = ['<polyline fill="none" stroke="%s" stroke-width="2.5" %s points="%s"/>' % (
        colour, 'stroke-dasharray="6 4"' if dash else "",
        " ".join("%.1f,%.1f" % place for place in where))]
    parts += ['<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>' % (x, y, colour)
              for x, y in where]
    return parts


def labels(axes, curves):
    """Names at the right ends, moved apart where they would overlap."""
    parts, used = [], []
    for name, points, colour in sorted(curves, key=lambda c: axes.y(c[1][-1][1])):
        y = axes.y(points[-1][1]) + 4
        y = max([y] + [other + 17 for other in used])
        used.append(y)
        parts.append(text(axes.x(points[-1][0]) + 14, y, "%s %s" % (
            name, report.clock(points[-1][1])), colour=colour, extra='font-weight="600"'))
    return parts


def draw(title, curves, ahead=None):
    """curves: name, [(window, seconds)], colour; the first is drawn solid and on top."""
    axes = Axes([seconds for _, points, _ in curves for _, seconds in points])
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" '
             'font-family="sans-serif" font-size="13">' % (WIDTH, HEIGHT),
             "<title>%s</title>" % title,
             text(LEFT, 20, title, extra='font-weight="600" font-size="14"')]
    parts += axes.svg()
    for index, (_, points, colour) in reversed(list(enumerate(curves))):
        parts += curve(axes, points, colour, index > 0)
    if ahead:
        x, y = axes.x(1), axes.y(ahead)
        parts.append('<circle cx="%.1f" cy="%.1f" r="5" fill="none" stroke="%s" '
                     'stroke-width="2.5"/>' % (x, y, COLOURS[0]))
        parts.append(text(x + 12, y + 4, "pxed, a client without windows (iPXE) %s" %
                          report.clock(ahead), colour=COLOURS[0]))
    return "\n".join(parts + labels(axes, curves) + ["</svg>"]) + "\n"


def curves_of(results, pairs, link):
    found = []
    for (name, server, blksize), colour in zip(pairs, COLOURS):
        points = [(window, report.link_time(results, server, blksize, window, link))
                  for window in rows.WINDOWS]
        points = [point for point in points if point[1]]
        if len(points) > 1:
            found.append((name, points, colour))
    return found


def sent_ahead(results):
    """The time of a client without windows, sent ahead by pxed: a point beside the curves."""
    times = [report.whole_seconds(r) for r in results
             if r["row"] == "ahead-ipxe" and r["server"] == "pxed" and not r["failed"]]
    return statistics.median(times) if times else None


def write(folder, results):
    """windows.svg: the servers; lossy.svg: the same with loss; blocks.svg: pxed by block
    size.  Those that were measured."""
    names = list(dict.fromkeys(r["server"] for r in results))
    servers = [(name, name, 1456) for name in names]
    sizes = [(str(size), "pxed", size) for size in reversed(rows.BLOCK_SIZES)]
    plots = (("windows.svg", "1.6 GB over the first link, block size 1456", servers, "link"),
             ("lossy.svg", "1.6 GB over the first link, 0.1 % of the packets lost", servers, "lossy"),
             ("blocks.svg", "1.6 GB over the first link by block size, pxed", sizes, "link"))
    for file_name, title, pairs, link in plots:
        curves = curves_of(results, pairs, link)
        if curves:
            ahead = sent_ahead(results) if file_name == "windows.svg" else None
            with open(os.path.join(folder, file_name), "w") as file:
                file.write(draw(title, curves, ahead))
