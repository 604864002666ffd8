# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What live.py makes of a run: arithmetic, without GStreamer. Times are seconds
since the media began, rates bits per second."""

import bisect
import collections
import math
import statistics

HEADERS = 40            # IPv4, UDP and RTP: what a payload costs on the link
WINDOW = .3             # s: a rate that has come back has done so for so long
CALM_WAIT = .03         # s: the queue is calm below,
CALM_FOR = .2           # s: and has been so for so long

# A packet of the encoder that arrived: when it was made and came, its RTP time
# stamp, and what it took of the link.
Packet = collections.namedtuple("Packet", "made came frame octets")
# A packet at the link; came and wait are None where it was dropped.
Passed = collections.namedtuple("Passed", "at tcp octets verdict came wait")


def quantile(values, q):
    """The value that a share q of them does not exceed."""
    values = sorted(values)
    return values[max(0, -int(-q * len(values) // 1) - 1)] if values else None


def distinct(sent, received):
    """Packets that the encoder made and that came, each once, whichever way:
    repeats and padding do not count. sent, received: [number, time stamp,
    octets of RTP, time]; numbers wrap."""
    made = {(number, stamp): at for number, stamp, _, at in sent}
    packets = []
    for number, stamp, octets, at in received:
        if (number, stamp) in made:
            packets.append(Packet(made.pop((number, stamp)), at, stamp,
                                  octets - 12 + HEADERS))
    return packets


def capacity(schedule, begin, end):
    """Bits that the link takes in that time; schedule: [(at, rate)]."""
    bits = 0
    for n, (at, rate) in enumerate(schedule):
        until = schedule[n + 1][0] if n + 1 < len(schedule) else end
        bits += rate * max(0, min(end, until) - max(begin, at))
    return bits


def bits_received(packets, begin, end):
    return sum(8 * p.octets for p in packets if begin <= p.came < end)


def use(packets, schedule, begin, end):
    return bits_received(packets, begin, end) / capacity(schedule, begin, end)


def back(packets, since, rate, until, fresh=False):
    """Seconds from `since` on until the rate over a window has come to `rate`;
    None: not before `until`. fresh: what was made before does not count, as a
    queue that drains after an outage shows nothing of the sender."""
    came = sorted((p.came, 8 * p.octets) for p in packets
                  if p.came < until and (not fresh or p.made >= since))
    times = [at for at, _ in came]
    for n, (at, _) in enumerate(came):
        if at >= since:
            first = bisect.bisect_right(times, at - WINDOW)
            if sum(bits for _, bits in came[first:n + 1]) >= rate * WINDOW:
                return at - since
    return None


def waits(passed, begin, end):
    """Of the media's packets at the link."""
    return [p.wait for p in passed
            if not p.tcp and p.wait is not None and begin <= p.at < end]


def calm(passed, since, until):
    """Seconds from `since` on until the queue is calm for good enough; None:
    not before `until`. A queue is calm when the last packet that waited for long
    has left it, also where the sender has paused."""
    rows = [(p.at, p.wait) for p in passed if not p.tcp and
            p.wait is not None and since <= p.at < until]
    begin = since
    for at, wait in rows:
        if at - begin >= CALM_FOR:
            break
        begin = at + wait if wait > CALM_WAIT else min(begin, at)
    return begin - since if rows and rows[-1][0] - begin >= CALM_FOR else None


def lost(passed, begin, end):
    """Share of the media's packets that the queue did not take."""
    rows = [p for p in passed if not p.tcp and begin <= p.at < end]
    return sum(p.verdict == "full" for p in rows) / len(rows) if rows else None


def share(packets, passed, begin, end):
    """The media's part of what it and TCP brought over the link."""
    media = bits_received(packets, begin, end)
    tcp = sum(8 * p.octets for p in passed
              if p.tcp and p.came is not None and begin <= p.came < end)
    return media / (media + tcp) if media + tcp else None


def worst_share(packets, passed, begin, end, span=10):
    """The least share of any `span` seconds that begin at a whole second."""
    shares = [share(packets, passed, begin + n, begin + n + span)
              for n in range(int(end - begin - span) + 1)]
    shares = [s for s in shares if s is not None]
    return min(shares) if shares else None


def frame_delays(sent, packets, begin, end):
    """From when a frame was made to its last packet's arrival, of those that
    came whole; and the share of frames that did."""
    needed = collections.Counter(stamp for _, stamp, _, at in sent
                                 if begin <= at < end)
    came, last, made = collections.Counter(), {}, {}
    for p in packets:
        came[p.frame] += 1
        last[p.frame] = max(last.get(p.frame, p.came), p.came)
        made[p.frame] = min(made.get(p.frame, p.made), p.made)
    whole = [f for f in needed if came[f] == needed[f]]
    return [last[f] - made[f] for f in whole], \
        len(whole) / len(needed) if needed else None


Summary = collections.namedtuple("Summary", "median least most runs")


def summary(values, higher):
    """Of several runs; where something never came about, that is the worst
    there can be."""
    values = [(0 if higher else math.inf) if v is None else v for v in values]
    return Summary(statistics.median(values), min(values), max(values),
                   len(values))


def ahead(summaries, higher):
    """Each of whose runs was better than all runs of the others: its name, or
    None, as of single runs that cannot be told. summaries: {name: Summary}"""
    if any(s.runs < 2 for s in summaries.values()):
        return None
    for name, own in summaries.items():
        others = [s for rival, s in summaries.items() if rival != name]
        if others and all(own.least > s.most if higher else own.most < s.least
                          for s in others):
            return name
    return None
