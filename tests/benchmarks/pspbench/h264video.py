# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The coded pictures of an H.264 stream of one reference and no pyramid: what
refers to what is known from nal_ref_idc alone."""

import collections
import re

# data: an access unit; display: its place in the order of display; references:
# the coded indexes that it is predicted from.
Picture = collections.namedtuple("Picture", "data display key references")


def nal_headers(data):
    """The first byte of each NAL unit of a byte stream."""
    return [data[m.end()] for m in re.finditer(b"\0\0\1", data)
            if m.end() < len(data)]


def slice_header(data):
    """(nal_ref_idc, whether it is an IDR picture) of an access unit."""
    for byte in nal_headers(data):
        if byte & 31 in (1, 5):
            return byte >> 5 & 3, byte & 31 == 5
    raise ValueError("an access unit without a slice")


def structure(units, displays):
    """Pictures of access units in coded order. An IDR picture refers to none, a
    reference to the last one, any other to the last two of its group."""
    pictures, anchors = [], []
    for n, (data, display) in enumerate(zip(units, displays)):
        is_reference, key = slice_header(data)
        if key:
            anchors = []
        references = anchors[-1:] if is_reference else anchors[-2:]
        if is_reference:
            anchors.append(n)
        pictures.append(Picture(data, display, key, list(references)))
    return pictures


def decodable(pictures, n, whole):
    """Of the first n pictures of the loop, in the order of display, those that
    are whole with all that they refer to; whole: of one, by display."""
    good, found = {}, []
    for k in range(n):
        loop, at = divmod(k, len(pictures))
        base = loop * len(pictures)
        display = base + pictures[at].display
        good[k] = whole(display) and all(
            good[base + r] for r in pictures[at].references)
        if good[k]:
            found.append(display)
    return found
