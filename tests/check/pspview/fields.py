#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The statistics that the viewer reads are those that elements have."""

import os
import sys
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.path.insert(0, os.path.join(TOP, "tools", "view"))
import gi  # noqa: E402
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
from pspview import figures, metrics  # noqa: E402

# Of one stream of pspsrc.
NESTED = {"jitter"}


def read_by_viewer(kind):
    found = {field for field, _ in figures.LEVELS[kind].values()}
    for fields, _ in figures.GROWTHS[kind].values():
        found.update(fields)
    for _, _, _, sources in metrics.METRICS:
        found.update(field for kinds, field, _, _ in sources if kind in kinds)
    return found - NESTED


class Fields(unittest.TestCase):
    def test_exist(self):
        for kind in figures.TYPES:
            element = Gst.ElementFactory.make(kind)
            if element is None and kind == "mpegtranscoder":
                continue                # its library is missing
            stats = element.get_property("stats")
            names = {stats.nth_field_name(i) for i in range(stats.n_fields())}
            self.assertEqual(read_by_viewer(kind) - names, set(), kind)


if __name__ == "__main__":
    Gst.init(None)
    unittest.main()
