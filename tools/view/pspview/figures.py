# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What is drawn of each element: its statistics → figures, in bits a second,
seconds, percent and pictures per second. Pure: no clock, no I/O."""

import collections

NANO = 1e-9
# s over which counters become rates: a picture more or less moves little.
SPAN = 1.0
# Reports of that time that are kept; the tracer makes two a second.
REPORTS_MOST = 64

# Title, unit, least end of its axis, figures in the order of drawing, and those
# that are left out where they are 0 throughout.
Chart = collections.namedtuple("Chart", "title unit least figures unless_zero")
CHARTS = [
    Chart("Rate", "bit/s", 1e5, ["target", "rate", "delivered", "source"], []),
    Chart("Delay", "s", .01, ["queue", "rtt", "jitter"], []),
    Chart("Loss", "%", 1, ["loss"], []),
    Chart("Pictures", "/s", 5, ["passed", "dropped"], ["dropped"]),
    Chart("Pictures in", "/s", 5, ["i", "p", "b", "other"],
          ["i", "p", "b", "other"]),
    Chart("Quantiser", "", 10, ["quantiser-in", "quantiser-out"], []),
    Chart("Scale", "", 4, ["scale"], []),
]
LABELS = {
    "target": "target", "rate": "rate", "delivered": "delivered",
    "source": "source", "queue": "queue wait", "rtt": "round trip",
    "jitter": "jitter", "loss": "lost", "passed": "passed",
    "dropped": "dropped", "i": "I", "p": "P", "b": "B", "other": "other",
    "quantiser-in": "in", "quantiser-out": "out", "scale": "scale",
}
FIGURES = [figure for chart in CHARTS for figure in chart.figures]

SENDER = {"target": ("target-bitrate", 1),
          "delivered": ("delivered-bitrate", 1), "queue": ("queue-time", NANO),
          "rtt": ("rtt", NANO), "loss": ("loss", 100)}
QUANTISERS = {"quantiser-in": ("quantiser-in", 1),
              "quantiser-out": ("quantiser-out", 1)}

# Figures that a field has, times a factor.
LEVELS = {
    "pspsink": SENDER,
    "rtpbandwidth": SENDER,
    "itcpsink": {"target": ("target-bitrate", 1), "rtt": ("rtt", NANO)},
    "pspsrc": {},
    "mpegscaler": {"target": ("target-bitrate", 1), "scale": ("scale", 1),
                   **QUANTISERS},
    "mpegtranscoder": {"target": ("target-bitrate", 1), **QUANTISERS},
    "encoderbitrate": {"target": ("share-bitrate", 1),
                       "rate": ("current-bitrate", 1)},
}
# Figures by which the sum of these counters grows in a second, times a factor.
GROWTHS = {
    "pspsink": {"rate": (["payload-bytes-sent"], 8),
                "dropped": (["dropped-pictures"], 1)},
    "rtpbandwidth": {"rate": (["payload-bytes-sent"], 8),
                     "dropped": (["dropped-pictures"], 1)},
    "itcpsink": {"rate": (["bytes-sent"], 8), "delivered": (["bytes-acked"], 8),
                 "dropped": (["dropped-buffers"], 1)},
    "pspsrc": {"rate": (["payload-bytes"], 8)},
    "mpegscaler": {
        "rate": (["bytes-out"], 8), "source": (["bytes-in"], 8),
        "passed": (["frames-passed"], 1),
        "dropped": (["dropped-policy", "dropped-reference", "dropped-unpaired",
                     "dropped-group"], 1),
        "i": (["frames-i"], 1), "p": (["frames-p"], 1), "b": (["frames-b"], 1),
        "other": (["frames-d", "frames-h26x"], 1)},
    "mpegtranscoder": {
        "rate": (["bytes-out"], 8), "source": (["bytes-in"], 8),
        "passed": (["frames-out"], 1), "dropped": (["frames-dropped"], 1)},
    "encoderbitrate": {"dropped": (["dropped"], 1)},
}
TYPES = list(LEVELS)

# What these are where nothing is known.
UNKNOWN = {"loss": lambda value: value < 0, "scale": lambda value: value < 0,
           "quantiser-in": lambda value: value <= 0,
           "quantiser-out": lambda value: value <= 0}


def number(stats, field):
    """A finite number that is there, or None."""
    value = stats.get(field)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    # Of what is no number or infinite, it is not so.
    return value if abs(value) < 2 ** 64 else None


def is_unknown(figure, value):
    return figure in UNKNOWN and UNKNOWN[figure](value)


def total(stats, fields):
    values = [number(stats, field) for field in fields]
    known = [value for value in values if value is not None]
    return sum(known) if known else None


class Deriver:
    """The figures of one element, from what it reports in turn."""

    def __init__(self, kind):
        self.levels, self.growths = LEVELS[kind], GROWTHS[kind]
        self.is_receiver = kind == "pspsrc"
        self.counters = {"lost", "packets"}.union(
            *(fields for fields, _ in self.growths.values()))
        self.before = collections.deque(maxlen=REPORTS_MOST)  # (s, counters)

    def figures(self, time, stats):
        while len(self.before) > 1 and self.before[1][0] <= time - SPAN:
            self.before.popleft()
        found = {}
        for figure, (field, factor) in self.levels.items():
            value = number(stats, field)
            if value is not None and not is_unknown(figure, value):
                found[figure] = value * factor
        if self.before and time > self.before[0][0]:
            found.update(self._grown(time, stats))
        if self.is_receiver:
            found.update(self._jitter(stats))
        self.before.append((time, {name: number(stats, name)
                                   for name in self.counters}))
        return found

    def _growth(self, stats, fields):
        """None where a counter began anew: the element was stopped."""
        old, new = total(self.before[0][1], fields), total(stats, fields)
        return None if old is None or new is None or new < old else new - old

    def _grown(self, time, stats):
        elapsed = time - self.before[0][0]
        for figure, (fields, factor) in self.growths.items():
            growth = self._growth(stats, fields)
            if growth is not None:
                yield figure, growth * factor / elapsed
        if self.is_receiver:
            lost = self._growth(stats, ["lost"])
            came = self._growth(stats, ["packets"])
            if lost is not None and came is not None and lost + came > 0:
                yield "loss", 100 * lost / (lost + came)

    @staticmethod
    def _jitter(stats):
        streams = stats.get("streams")
        values = [number(stream, "jitter") for stream in
                  (streams if isinstance(streams, list) else [])
                  if isinstance(stream, dict)]
        known = [value for value in values if value is not None]
        return {"jitter": max(known) * NANO} if known else {}


def charts_of(points):
    """(chart, names of its figures) of those of which these points know."""
    known = {name for point in points for name in point.figures}
    moving = {name for point in points for name, value in point.figures.items()
              if value != 0}
    for chart in CHARTS:
        names = [name for name in chart.figures if name in known and
                 (name in moving or name not in chart.unless_zero)]
        if names:
            yield chart, names
