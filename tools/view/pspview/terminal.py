# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The same figures in a terminal."""

import shutil
import sys


BARS = "▁▂▃▄▅▆▇█"
TREND = 24                      # columns
# Figure, heading, width, digits behind the point, divisor.
COLUMNS = [
    ("target", "target", 8, 2, 1e6), ("rate", "rate", 8, 2, 1e6),
    ("delivered", "deliv.", 8, 2, 1e6), ("queue", "wait", 7, 0, 1e-3),
    ("rtt", "rtt", 7, 0, 1e-3), ("loss", "loss", 6, 1, 1),
    ("passed", "passed", 7, 1, 1), ("dropped", "dropped", 8, 1, 1),
    ("quantiser-out", "quant.", 7, 1, 1), ("scale", "scale", 6, 0, 1),
]
UNITS = "Rates in Mb/s, wait and rtt in ms, loss in %, pictures a second."


def plain(text):
    """A name must not steer the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def cell(values, name, width, digits, divisor):
    value = values.get(name)
    shown = "–" if value is None else "%.*f" % (digits, value / divisor)
    return shown.rjust(width)


def trend(points, figure="rate"):
    values = [point.figures.get(figure) for point in list(points)[-TREND:]]
    most = max((value for value in values if value is not None), default=0)
    if most <= 0:
        return ""
    return "".join(" " if value is None else
                   BARS[min(7, int(8 * max(value, 0) / most))]
                   for value in values)


def lines(elements):
    head = "element".ljust(22) + "".join(
        name.rjust(width) for _, name, width, _, _ in COLUMNS) + "  rate"
    shown, last = [], None
    for element in elements:
        session = (element.process.number, element.pipeline)
        if session != last:
            shown += ["", plain("%s (%d)  %s" % (
                element.process.program, element.process.pid,
                element.pipeline)), head]
            last = session
        name = plain(element.name)[:20] + (" ×" if element.ended else "")
        values = element.latest()
        shown.append(name.ljust(22) + "".join(
            cell(values, name, width, digits, divisor)
            for name, _, width, digits, divisor in COLUMNS) + "  " +
            trend(element.points))
        if element.events:
            shown.append("    " + plain(element.events[-1].text))
    return shown or ["", "No pipeline reports yet."]


def screen(elements):
    order = sorted(elements,
                   key=lambda e: (e.process.number, e.pipeline, e.key))
    return ["gst-psp-view   Ctrl+C ends it", UNITS] + lines(order)


class Terminal:
    """Draws over what it drew where that is a terminal, else writes on."""

    def __init__(self, stream=sys.stdout):
        self.stream = stream
        self.is_terminal = stream.isatty()

    def open(self):
        if self.is_terminal:
            self.stream.write("\x1b[?1049h\x1b[?25l")

    def close(self):
        if self.is_terminal:
            self.stream.write("\x1b[?25h\x1b[?1049l")
            self.stream.flush()

    def draw(self, elements):
        shown = screen(elements)
        if self.is_terminal:
            columns, rows = shutil.get_terminal_size()
            shown = ["\x1b[K" + line[:columns] for line in shown[:rows - 1]]
            self.stream.write("\x1b[H" + "\n".join(shown) + "\x1b[J")
        else:
            self.stream.write("\n".join(shown) + "\n")
        self.stream.flush()


