# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The coded pictures of an MPEG-1/2 elementary stream, frame pictures only."""

import collections
import re

RATES = {1: (24000, 1001), 2: (24, 1), 3: (25, 1), 4: (30000, 1001),
         5: (30, 1), 6: (50, 1), 7: (60000, 1001), 8: (60, 1)}
TYPES = {1: "I", 2: "P", 3: "B"}

# data: with the headers before it; display: its place in the order of display;
# field: how many field periods into the clip it is shown; group: whether a GOP
# header precedes it; references: the coded indexes it is predicted from.
Picture = collections.namedtuple(
    "Picture", "data type display field group references")


def cut(data):
    """Spans of coded pictures with the headers before them."""
    starts = [m.start() for m in re.finditer(b"\0\0\1[\0\xb3\xb8]", data)]
    cuts, headers = [0], True
    for at in starts:
        picture = data[at + 3] == 0
        if not headers:
            cuts.append(at)
        headers = not picture
    return [data[a:b] for a, b in zip(cuts, cuts[1:] + [len(data)])]


def fields_shown(span):
    """Field periods that repeat_first_field makes of a frame picture in an
    interlaced sequence (13818-2, 6.3.10): 2 or 3."""
    at = span.find(b"\0\0\1\xb5", span.find(b"\0\0\1\0"))
    while at >= 0 and span[at + 4] >> 4 != 8:
        at = span.find(b"\0\0\1\xb5", at + 4)
    return 2 if at < 0 else 2 + (span[at + 7] >> 1 & 1)


def read_pictures(path):
    """The stream's pictures in coded order, and its (rate_n, rate_d)."""
    with open(path, "rb") as f:
        data = f.read()
    rate = RATES[data[data.find(b"\0\0\1\xb3") + 7] & 15]
    rows, base, in_group, anchors = [], 0, 0, []
    for n, span in enumerate(cut(data)):
        group = span.find(b"\0\0\1\xb8")
        closed = group >= 0 and span[group + 7] >> 6 & 1
        if group >= 0:
            base, in_group = base + in_group, 0
        in_group += 1
        at = span.find(b"\0\0\1\0")
        kind = TYPES[span[at + 5] >> 3 & 7]
        display = base + (span[at + 4] << 2 | span[at + 5] >> 6)
        if kind == "I":
            references = []
            alone = closed
        elif kind == "P":
            references = anchors[-1:]
            alone = False
        else:
            references = anchors[-1:] if alone else anchors[-2:]
        if kind != "B":
            anchors.append(n)
        rows.append((span, kind, display, fields_shown(span), group >= 0,
                     list(references)))
    shown = sorted((display, fields) for _, _, display, fields, _, _ in rows)
    field, at_field = 0, {}
    for display, fields in shown:
        at_field[display] = field
        field += fields
    pictures = [Picture(span, kind, display, at_field[display], group, refs)
                for span, kind, display, _, group, refs in rows]
    return pictures, rate, field
