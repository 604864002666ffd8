#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The arithmetic of compare.py, and its memory of what has run."""

import json
import math
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import compare  # noqa: E402
from pspbench import paired  # noqa: E402
from pspbench.figures import HIGHER, LOWER  # noqa: E402

BUILDS = {"old": "a", "new": "b"}


class Quantile(unittest.TestCase):
    def test_known(self):
        """From tables of Student's t."""
        for df, value in ((1, 12.706), (2, 4.303), (9, 2.262), (39, 2.023)):
            self.assertAlmostEqual(paired.t_quantile(.975, df), value, 3)


class Compared(unittest.TestCase):
    def test_by_hand(self):
        """Ratios 1, 2 and 4: their logarithms are 0, 1 and 2 times ln 2, of
        which the deviation is ln 2."""
        found = paired.compare([1, 1, 2], [1, 2, 8])
        half = 4.3027 * math.log(2) / math.sqrt(3)
        self.assertEqual(found.pairs, 3)
        self.assertAlmostEqual(found.ratio, 2)
        self.assertAlmostEqual(found.low, 2 * math.exp(-half), 4)
        self.assertAlmostEqual(found.high, 2 * math.exp(half), 2)

    def test_turned_round(self):
        old, new = [1, 2, 3, 4], [2, 3, 5, 5]
        one, other = paired.compare(old, new), paired.compare(new, old)
        self.assertAlmostEqual(one.ratio, 1 / other.ratio)
        self.assertAlmostEqual(one.low, 1 / other.high)

    def test_pairs_count(self):
        """What both have in common, a slow machine say, does not widen the
        interval."""
        old = [1, 10, 3, 70]
        found = paired.compare(old, [1.1 * value for value in old])
        self.assertAlmostEqual(found.low, 1.1)
        self.assertAlmostEqual(found.high, 1.1)

    def test_zeros_are_left_out(self):
        self.assertEqual(paired.compare([0, 1, 2], [1, 0, 2]).pairs, 1)
        self.assertIsNone(paired.compare([0], [1]).ratio)

    def test_covers(self):
        """An interval of 95 % holds the truth so often."""
        chance, held = random.Random(1), 0
        for _ in range(400):
            found = paired.compare([1] * 10, [
                1.05 * math.exp(chance.gauss(0, .1)) for _ in range(10)])
            held += found.low <= 1.05 <= found.high
        self.assertTrue(370 <= held <= 390, held)


class Verdict(unittest.TestCase):
    def says(self, low, high, better, word):
        self.assertEqual(paired.verdict(
            paired.Comparison(9, 1, low, high), better), word)

    def test_lower(self):
        self.says(1.031, 1.2, LOWER, "worse")
        self.says(1.029, 1.2, LOWER, "open")
        self.says(.5, 1.029, LOWER, "not worse")
        self.says(.5, .6, LOWER, "not worse")

    def test_higher(self):
        self.says(.8, .97, HIGHER, "worse")
        self.says(.8, .98, HIGHER, "open")
        self.says(.98, 1.5, HIGHER, "not worse")
        self.says(1.4, 1.5, HIGHER, "not worse")

    def test_unknown(self):
        self.says(None, None, LOWER, "open")

    def test_all_the_way(self):
        old, new = [10, 11, 10, 11, 10], [10.6, 11.7, 10.6, 11.6, 10.7]
        self.assertEqual(paired.verdict(paired.compare(old, new), LOWER),
                         "worse")
        self.assertEqual(paired.verdict(paired.compare(old, new), HIGHER),
                         "not worse")
        self.assertEqual(paired.verdict(paired.compare(new, old), HIGHER),
                         "worse")


class Turns(unittest.TestCase):
    def test_order(self):
        self.assertEqual(
            [build for _, _, build in compare.schedule(["cost"], 3)],
            ["old", "new", "new", "old", "old", "new"])

    def test_resumed(self):
        """What was written is not measured again; half a line is."""
        row = {"benchmark": "cost", "turn": 0, "build": "old", "seconds": 2.5,
               "figures": [{"name": "µ", "value": 1, "unit": "µs",
                            "better": "lower"}]}
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "results")
            compare.Results(path, BUILDS).add(row)
            with open(path, "a") as f:
                f.write(json.dumps(dict(row, turn=1))[:20])
            again = compare.Results(path, BUILDS)
            self.assertEqual(list(again.runs), [("cost", 0, "old")])
            self.assertEqual(again.seconds("cost"), 2.5)
            again.add(dict(row, build="new"))
            last = compare.Results(path, BUILDS)
            self.assertEqual(len(last.runs), 2)
            self.assertEqual(compare.pairs_of(last, "cost", 1),
                             {"µ": ("µs", "lower", [1], [1])})
            with self.assertRaises(SystemExit):
                compare.Results(path, {"old": "a", "new": "c"})

    def test_report(self):
        with tempfile.TemporaryDirectory() as directory:
            results = compare.Results(os.path.join(directory, "r"), BUILDS)
            for turn in range(4):
                for build, value in (("old", 10), ("new", 12 + .1 * turn)):
                    results.add({
                        "benchmark": "loss", "turn": turn, "build": build,
                        "seconds": 1, "figures": [
                            {"name": "slow", "value": value, "unit": "ms",
                             "better": LOWER},
                            {"name": "use", "value": value, "unit": "",
                             "better": HIGHER}]})
            results.add({"benchmark": "loss", "turn": 4, "build": "old",
                         "seconds": 1, "failed": "no link"})
            text = compare.report(results, ["loss"], 5)
        self.assertIn("| loss | slow, ms | lower | 10 | 12.15 | 1.215 |", text)
        self.assertIn("| 4 | **worse** |", text)
        self.assertIn("| 4 | not worse |", text)
        self.assertIn("2 figures: 1 worse, 1 not worse, 0 open.", text)
        self.assertIn("- loss, old: failed: no link (1 times)", text)


class Tables(unittest.TestCase):
    def test_controllers(self):
        rows = compare.rows_of_controllers(None, (
            "controller  ns/report  app-limited  ns/packet sent   (100 …)\n"
            "none        0          0            1.5\n"
            "scp         621        291          15.7\n"))
        self.assertEqual([row["value"] for row in rows], [621, 291, 15.7])


if __name__ == "__main__":
    unittest.main()
