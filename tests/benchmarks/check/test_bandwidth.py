#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The figures of bandwidth.py, of logs that are known."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import bandwidth                                        # noqa: E402

LINE = "forward,0,1250,%s,%d,%d,%s\n"       # 10,000 bits
STEADY = bandwidth.Case(2e6, "", 30, 0, 0)
STEP = bandwidth.Case(2e6, "", 30, 0, 1)


def log(packets):
    """[(s, whether it was dropped, ms in the queue)] as the link writes it."""
    lines = ["direction,flow,size,verdict,arrived,delivered,wait\n"]
    for at, dropped, wait in packets:
        at = int((1 + at) * 1e9)
        lines.append(LINE % (("full", at, at, "") if dropped else
                             ("delivered", at, at + wait * 10 ** 6 + 20 * 10 ** 6,
                              wait * 10 ** 6)))
    return lines


def figures(packets, case=STEADY):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.writelines(log(packets))
        file.flush()
        return bandwidth.figures(file.name, case, 30)


def even(begin, end, per_second, wait=5):
    return [(begin + k / per_second, False, wait)
            for k in range(round((end - begin) * per_second))]


class Figures(unittest.TestCase):
    def test_steady(self):
        found = figures(even(0, 30, 180))
        self.assertAlmostEqual(found["use"], .9, delta=.005)
        self.assertAlmostEqual(found["p95_ms"], 5)
        self.assertEqual((found["loss"], found["calm_s"]), (0, 0))
        self.assertLess(found["start_s"], 1.1)

    def test_dropped(self):
        """They are lost, were not used, and waited for nothing."""
        packets = even(0, 30, 180)
        packets[::9] = [(at, True, 0) for at, _, _ in packets[::9]]
        found = figures(packets)
        self.assertAlmostEqual(found["loss"], 1 / 9, delta=.001)
        self.assertAlmostEqual(found["use"], .8, delta=.005)
        self.assertAlmostEqual(found["peak_ms"], 5)

    def test_start(self):
        """Of 200 packets a second the 170th within one second; 60 a second have
        come before."""
        found = figures(even(0, 3, 60) + even(3, 30, 200))
        self.assertAlmostEqual(found["start_s"], 3.8, delta=.05)
        self.assertIsNone(figures(even(0, 30, 100))["start_s"])

    def test_calm(self):
        found = figures(even(0, 2, 100, 100) + even(2, 30, 180))
        self.assertAlmostEqual(found["calm_s"], 2, delta=.01)

    def test_step(self):
        """Where the link changes, start and use say nothing."""
        self.assertEqual(set(figures(even(0, 30, 180), STEP)),
                         {"loss", "p95_ms", "peak_ms"})


if __name__ == "__main__":
    unittest.main()
