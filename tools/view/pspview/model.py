# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Processes, their elements, and the last ten minutes of each, from the lines
that they report. Pure: no clock, no I/O. Lines come from other processes, so
everything is bounded, and what is no line of ours is refused."""

import collections
import json
import math

from . import figures

PROTOCOL = 1
WINDOW = 600.0                  # s that are kept
POINTS_MOST = 1200              # of an element, at two a second
EVENTS_MOST = 400               # of an element
ELEMENTS_MOST = 256             # altogether, those that ended included
FIELDS_MOST = 100               # of statistics
TEXT_MOST = 200                 # characters of a name

Point = collections.namedtuple("Point", "seq time figures")
# weight: 0 = nothing is wrong, 1 = the network is congested,
# 2 = a person should look.
Event = collections.namedtuple("Event", "seq time weight text")
ROUTINE = {"start", "increase", "limit"}
SERIOUS = {"timeout", "reset"}


class Refused(ValueError):
    """A line that no tracer of ours writes."""


def no_constant(name):
    raise ValueError(name)


def finite(text):
    """JSON can name a number that becomes infinite, which no JSON can name."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("%s is too large" % text[:TEXT_MOST])
    return value


def parse(line):
    """The object that a line is, of bytes or text."""
    try:
        found = json.loads(line, parse_constant=no_constant,
                           parse_float=finite)
        # JSON can name half a character, which no encoding has.
        if (b"\\u" if isinstance(line, bytes) else "\\u") in line:
            found = json.loads(json.dumps(found, ensure_ascii=False)
                               .encode("utf8", "replace"))
    except (ValueError, RecursionError) as error:
        raise Refused("no JSON: %s" % error) from None
    if not isinstance(found, dict):
        raise Refused("no object")
    return found


def integer(line, name, most=2 ** 53):
    value = line.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or \
            not 0 <= value <= most:
        raise Refused("%s is no number from 0 to %d" % (name, most))
    return value


def text(value):
    return value[:TEXT_MOST] if isinstance(value, str) else ""


def fields(line, name):
    value = line.get(name)
    if not isinstance(value, dict) or len(value) > FIELDS_MOST:
        raise Refused("%s is no structure of ours" % name)
    return value


def described(kind, content):
    """An event in a word or a few: of a congestion event the reason and the
    target."""
    if kind == "GstCongestion":
        words = [text(content.get("reason"))]
        target = figures.number(content, "target-bitrate")
        scale = figures.number(content, "scale")
        if target is not None:
            words.append("%.3g Mb/s" % (target / 1e6))
        if scale is not None and scale >= 0:
            words.append("scale %d" % scale)
        return " ".join(words)
    return text(content.get("text")) or kind


def weight(kind, content):
    if kind != "GstCongestion":
        return 2
    reason = text(content.get("reason"))
    return 0 if reason in ROUTINE else 2 if reason in SERIOUS else 1


class Element:
    def __init__(self, key, process, line):
        self.key, self.process = key, process
        self.kind = line["type"]
        self.name = text(line.get("element"))
        self.pipeline = text(line.get("pipeline"))
        self.deriver = figures.Deriver(self.kind)
        self.stats = {}
        self.points = collections.deque(maxlen=POINTS_MOST)
        self.events = collections.deque(maxlen=EVENTS_MOST)
        self.ended = None               # s, None = it reports

    def last_time(self):
        return self.points[-1].time if self.points else 0.0

    def latest(self):
        return self.points[-1].figures if self.points else {}


class Process:
    """One connection: what its lines say."""

    def __init__(self, model, number):
        self.model, self.number = model, number
        self.pid, self.program = 0, ""
        self.known = False
        self.elements = {}              # its id → Element
        self.missed = 0                 # reports that it left out

    def take(self, line):
        """A parsed line. Raises Refused."""
        time = integer(line, "time") / 1e6
        if not self.known:
            if integer(line, "protocol") != PROTOCOL:
                raise Refused("the tracer speaks another protocol; install "
                              "plugin and viewer of one version")
            self.pid = integer(line, "pid")
            self.program, self.known = text(line.get("program")), True
        elif "stats" in line:
            self._stats(time, line)
        elif "event" in line:
            self._event(time, line)
        elif "gone" in line:
            element = self.elements.pop(integer(line, "gone"), None)
            if element:
                element.ended = time
        elif "missed-reports" in line:
            self.missed += integer(line, "missed-reports")

    def _stats(self, time, line):
        stats = fields(line, "stats")
        element = self.elements.get(integer(line, "id"))
        if element is None:
            if line.get("type") not in figures.TYPES:
                raise Refused("an element of another type")
            element = self.model.add(self, line)
            self.elements[line["id"]] = element
        if time < element.last_time():
            raise Refused("time goes back")
        element.stats = stats
        element.points.append(Point(self.model.next_seq(), time,
                                    element.deriver.figures(time, stats)))

    def _event(self, time, line):
        element = self.elements.get(integer(line, "id"))
        content = fields(line, "fields")
        if element is not None:
            kind = text(line["event"])
            element.events.append(Event(
                self.model.next_seq(), time, weight(kind, content),
                described(kind, content)))

    def end(self, time):
        for element in self.elements.values():
            element.ended = time
        self.elements = {}


class Model:
    def __init__(self, window=WINDOW):
        self.window = window
        self.elements = []
        self.seq = 0
        self.n_processes = self.n_elements = 0

    def next_seq(self):
        self.seq += 1
        return self.seq

    def process(self):
        self.n_processes += 1
        return Process(self, self.n_processes)

    def add(self, process, line):
        if len(self.elements) >= ELEMENTS_MOST:
            ended = [e for e in self.elements if e.ended is not None]
            if not ended:
                raise Refused("more than %d elements" % ELEMENTS_MOST)
            self.elements.remove(ended[0])
        self.n_elements += 1
        element = Element(self.n_elements, process, line)
        if self.window is None:
            element.points = collections.deque()
            element.events = collections.deque()
        self.elements.append(element)
        return element

    def forget(self, now):
        """What is older than the window."""
        begin = now - self.window
        for element in self.elements:
            for queue in (element.points, element.events):
                while queue and queue[0].time < begin:
                    queue.popleft()
        self.elements = [e for e in self.elements
                         if e.ended is None or e.ended >= begin]

    def active(self):
        return [e for e in self.elements if e.ended is None]
