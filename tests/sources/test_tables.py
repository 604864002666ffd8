#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What tables.py makes of traces whose encoder is known."""

import lzma
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tables  # noqa: E402

LATENCY = 3             # frames that the encoder holds back
LAG = 10                # frames until it obeys


def trace(steps, rate_at, n):
    """Frames of one packet; rate_at gives its payload."""
    lines = ["# train steps " + " ".join("%d@%d" % s for s in steps)]
    lines += [""] * LATENCY
    lines += ["%s%d" % ("k " if k % 60 == 0 else "", rate_at(k + LATENCY) + 12)
              for k in range(n - LATENCY)]
    return lines


def obeyed(steps, at):
    """The target of LAG frames ago, in bytes a frame."""
    return [t for t, begin in steps if begin + LAG <= at or begin == 0][-1]


class Tables(unittest.TestCase):
    def setUp(self):
        steps = [(1000, 0), (500, 210), (1000, 420)]
        lines = trace([(500, 0)], lambda n: 500, 630) + \
            trace([(1000, 0)], lambda n: 1000, 630) + \
            trace(steps, lambda n: obeyed(steps, n), 630)
        self.directory = tempfile.TemporaryDirectory()
        path = os.path.join(self.directory.name, "known.xz")
        with lzma.open(path, "wt") as f:
            f.write("\n".join(lines) + "\n")
        self.fixed, self.steps = tables.read(path)["train"]

    def tearDown(self):
        self.directory.cleanup()

    def test_latency_is_taken_off(self):
        for run in (*self.fixed.values(), *self.steps):
            self.assertEqual(len(run.key), 630 - LATENCY)
            self.assertEqual(run.first[:3], [0, 1, 2])
            self.assertEqual(run.key[:2], [1, 0])
        self.assertEqual(self.steps[0].steps[1], (500, 210 - LATENCY))

    def test_response(self):
        """Nothing, then all of it; smoothing makes a slope of 2 × 2 frames."""
        for up in (True, False):
            curve = tables.response(self.fixed, self.steps, up)
            self.assertEqual(len(curve), tables.RESPONSE)
            self.assertEqual(curve[:LAG - 2], [0] * (LAG - 2))
            self.assertEqual(curve[LAG + 2:], [1] * (tables.RESPONSE - LAG - 2))

    def test_packets(self):
        run = tables.Run([(1, 0)])
        for line in ("k 1200*3 40", "", "14 300"):
            run.add(line)
        self.assertEqual(run.sizes, [1200, 1200, 1200, 40, 14, 300])
        self.assertEqual(run.first, [0, 4, 4, 6])
        self.assertEqual(run.key, [1, 0, 0])


if __name__ == "__main__":
    unittest.main()
