# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
import math
import unittest

from . import samples   # noqa: F401 (finds repro)
from repro.problem import Problem
from repro.selection import numbers
from repro.spread import jain, spread
from repro.table import Row, Table


def table():
    """Two flows and their sum over spacing 0, 10, 20; two seeds; rates of
    flow f at spacing x with seed s: f * (30 - x) + s."""
    found = Table(["spacing"])
    for spacing in (0, 10, 20):
        for seed in (1, 2):
            for flow in (1, 2):
                rate = flow * (30 - spacing) + seed
                for time in (None, 1.0, 2.0, 3.0):
                    found.add((("spacing", spacing),), seed, "rate",
                              Row(flow, "psp" if flow == 1 else "tcp", time,
                                  rate + (time or 0)))
            found.add((("spacing", spacing),), seed, "rate",
                      Row("all", "", None, 3 * (30 - spacing) + 2 * seed))
    return found


AT0 = {"spacing": 0}
# (selection, {seed: number})
ROWS = [
    ({"where": AT0}, {1: 92, 2: 94}),
    ({"where": AT0, "flow": 2}, {1: 61, 2: 62}),
    ({"where": AT0, "flow": "each", "reduce": "mean"}, {1: 46, 2: 47}),
    ({"where": AT0, "flow": "each", "reduce": "max"}, {1: 61, 2: 62}),
    ({"where": AT0, "flow": [1, 2], "reduce": "sum"}, {1: 92, 2: 94}),
    ({"where": AT0, "flow": "each", "kind": "tcp"}, {1: 61, 2: 62}),
    ({"where": AT0, "flow": "each", "reduce": "count"}, {1: 2, 2: 2}),
    ({"where": AT0, "flow": 1, "time": "each", "reduce": "last"},
     {1: 34, 2: 35}),
    ({"where": AT0, "flow": 1, "time": [1, 2]}, {1: 33, 2: 34}),
    ({"where": AT0, "flow": 1, "time": [0, 3], "reduce": "median"},
     {1: 33, 2: 34}),
    ({"flow": 1, "across": {"parameter": "spacing", "take": "max"}},
     {1: 31, 2: 32}),
    ({"flow": 1, "across": {"parameter": "spacing", "take": "mean"}},
     {1: 21, 2: 22}),
    ({"flow": 1, "across": {"parameter": "spacing", "take": "argmin"}},
     {1: 20, 2: 20}),
    ({"flow": 1, "across": {"parameter": "spacing", "take": "from",
                            "at-most": 21}}, {1: 10, 2: 20}),
    ({"flow": 1, "across": {"parameter": "spacing", "take": "from",
                            "at-least": 50}}, {1: math.inf, 2: math.inf}),
    ({"where": {"spacing": 5}}, {}),
]
WRONG = [
    ({"where": AT0, "flow": "each"}, "2 rows of 'rate' are taken"),
    ({"where": AT0, "flow": 3}, "no row of 'rate' has flow 3"),
    ({"where": AT0, "kind": "scp"}, "kind scp"),
    ({"where": AT0, "quantity": "rat"}, "there are: rate"),
    ({"where": {"flows": 1}}, "no parameter 'flows'"),
    ({}, "where leaves 3 points"),
]


class SelectionTest(unittest.TestCase):
    def test_rows(self):
        for selection, wanted in ROWS:
            with self.subTest(selection):
                found = numbers({"scenario": "s", "quantity": "rate",
                                 **selection}, {"s": table()})
                self.assertEqual(found, wanted)

    def test_wrong(self):
        for selection, said in WRONG:
            with self.subTest(selection), \
                    self.assertRaises(Problem) as caught:
                numbers({"scenario": "s", "quantity": "rate", **selection},
                        {"s": table()})
            self.assertIn(said, str(caught.exception))


class SpreadTest(unittest.TestCase):
    def test_interval(self):
        """Five numbers of mean 3 and deviation sqrt 2.5."""
        found = spread([1, 2, 3, 4, 5])
        self.assertEqual((found.mean, found.low, found.high, found.n),
                         (3, 1, 5, 5))
        self.assertAlmostEqual(found.half, 2.776 * math.sqrt(2.5 / 5), 3)

    def test_one(self):
        self.assertEqual(spread([7]).half, 0)

    def test_mean_of_equal_numbers(self):
        for n in range(2, 20):
            for tenths in range(1, 100):
                found = spread([tenths / 10] * n)
                self.assertEqual((found.mean, found.low),
                                 (found.high, found.high))

    def test_many(self):
        """Beyond the table: 1.960 for infinitely many, 1.984 for 101."""
        found = spread([0, 2] * 50 + [1])
        self.assertAlmostEqual(found.half, 1.984 / math.sqrt(101), 3)

    def test_jain(self):
        self.assertEqual(jain([3, 3, 3]), 1)
        self.assertEqual(jain([1, 0, 0, 0]), .25)
