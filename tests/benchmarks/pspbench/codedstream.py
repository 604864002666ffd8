# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Sizes, groups and durations of an MPEG-1/2 elementary stream: its rate, the error of that over whole groups, the delay it costs."""

import collections
import itertools
from fractions import Fraction

from .mpegvideo import RATES, TYPES, cut, fields_shown

# bits: with the headers before it; n_fields, seconds: how long it is shown.
Coded = collections.namedtuple("Coded", "bits type group n_fields seconds")


def picture_start(span):
    return span.find(b"\0\0\1\0")


def kind(span):
    return TYPES[span[picture_start(span) + 5] >> 3 & 7]


def coding_extension(span):
    """The picture_coding_extension's bytes, or None (MPEG-1)."""
    at = span.find(b"\0\0\1\xb5", picture_start(span))
    while at >= 0 and span[at + 4] >> 4 != 8:
        at = span.find(b"\0\0\1\xb5", at + 4)
    return None if at < 0 else span[at + 4:at + 9]


def frame_rate(data):
    return Fraction(*RATES[data[data.find(b"\0\0\1\xb3") + 7] & 15])


def is_field(span):
    coding = coding_extension(span)
    return coding is not None and coding[2] & 3 != 3


def without_leading(data):
    """Without the B that lead an open first group: no decoder can show
    them."""
    spans, anchors, kept = cut(data), 0, []
    for span in spans:
        if kind(span) != "B":
            anchors += .5 if is_field(span) else 1
        if anchors > 1 or kind(span) != "B":
            kept.append(span)
    return b"".join(kept)


def coded(data):
    field, pictures = float(1 / (2 * frame_rate(data))), []
    for span in cut(data):
        n = 1 if is_field(span) else fields_shown(span)
        pictures.append(Coded(8 * len(span), kind(span),
                              span.find(b"\0\0\1\xb8") >= 0, n, n * field))
    return pictures


def count_frames(data):
    """Two fields are one."""
    fields = list(map(is_field, cut(data)))
    return len(fields) - sum(fields) // 2


def groups(pictures):
    """(begin, end) of each group: the end of the stream ends one."""
    starts = [n for n, p in enumerate(pictures) if p.group or n == 0]
    return list(zip(starts, starts[1:] + [len(pictures)]))


class Allowed:
    """Bits that a stream may have by a time: those of the rate, but where a
    group of the source has less already, that."""

    def __init__(self, source, rate):
        self.curve, seconds, bits = [(0, 0)], 0, 0
        for begin, end in groups(source):
            lasts = sum(p.seconds for p in source[begin:end])
            own = sum(p.bits for p in source[begin:end])
            seconds, bits = seconds + lasts, bits + min(own, rate * lasts)
            self.curve.append((seconds, bits))

    def by(self, time):
        for (t0, b0), (t1, b1) in zip(self.curve, self.curve[1:]):
            if time <= t1:
                return b0 + (time - t0) / (t1 - t0) * (b1 - b0)
        return self.curve[-1][1]


def group_errors(pictures, source, rate, shortest=5.0):
    """Relative errors of the rate over the fewest whole groups from each group
    on that last so long."""
    allowed, errors = Allowed(source, rate), []
    begins = list(itertools.accumulate(
        (p.seconds for p in pictures), initial=0))
    for begin, _ in groups(pictures):
        end = next((end for _, end in groups(pictures)
                    if begins[end] - begins[begin] >= shortest - .01), None)
        if end is not None:
            bits = sum(p.bits for p in pictures[begin:end])
            errors.append(bits / (allowed.by(begins[end]) -
                                  allowed.by(begins[begin])) - 1)
    return errors


def wait(pictures, rate):
    """Most seconds that a bit waits in a bucket that leaks at `rate`."""
    level = worst = 0
    for picture in pictures:
        level += picture.bits
        worst = max(worst, level)
        level = max(0, level - rate * picture.seconds)
    return worst / rate
