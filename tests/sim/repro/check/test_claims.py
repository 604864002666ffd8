# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
import unittest

from . import samples   # noqa: F401 (finds repro)
from repro import claims
from repro.keys import Place
from repro.problem import Problem
from repro.scenario import Scenario
from repro.table import Row, Table

# (rule, the paper's number, ours seed by seed, verdict)
RULES = [
    ({"within": .1}, 10, [10.9], "reproduced"),
    ({"within": .1}, 10, [11.1], "differs"),
    ({"within": .1}, 10, [9.1, 11.1], "reproduced"),
    ({"within": .1, "every": True}, 10, [9.1, 11.1], "differs"),
    ({"within": .1}, -10, [-10.9], "reproduced"),
    ({"within": .1}, [10, 20], [21.9], "reproduced"),
    ({"within": .1}, [10, 20], [22.1], "differs"),
    ({"within": .1}, [10, 20], [8.9], "differs"),
    ({"tolerance": 1}, 10, [9.1], "reproduced"),
    ({"tolerance": 1}, 10, [8.9], "differs"),
    ({"tolerance": 1}, [10, 20], [9.1], "reproduced"),
    ({"at-least": 3}, "rises", [3], "reproduced"),
    ({"at-least": 3}, "rises", [2.9], "differs"),
    ({"at-most": 3}, 1, [3.1], "differs"),
    ({"at-least": 2, "at-most": 3}, 1, [2.5], "reproduced"),
    ({"at-least": 2, "at-most": 3}, 1, [1.5], "differs"),
    ({}, 10, [1000], "shown"),
    ({"within": .1, "shape": {"at-least": 5}}, 10, [6], "shape only"),
    ({"within": .1, "shape": {"at-least": 5}}, 10, [4], "differs"),
    ({"within": .1, "shape": {"within": .5}}, 10, [10], "reproduced"),
    ({"within": .1, "shape": {"within": .5}}, 10, [14], "shape only"),
]
SELECTION = {"scenario": "s", "quantity": "q"}
CLAIM = {"id": "c", "figure": "Fig. 1", "text": "…", "value": SELECTION}


def results(values, other=0):
    table = Table()
    for seed, value in enumerate(values, 1):
        table.add((), seed, "q", Row("all", "", None, value))
        table.add((), seed, "other", Row("all", "", None, other))
    return {"s": table}


def claim(**table):
    return claims.read(Place("t"), {**CLAIM, **table},
                       {"s": Scenario("s", program="p")})


class ClaimsTest(unittest.TestCase):
    def test_rules(self):
        for rule, paper, values, wanted in RULES:
            with self.subTest(rule=rule, paper=paper, values=values):
                found = claims.judge(claim(paper=paper, **rule),
                                     results(values))
                self.assertEqual(found.verdict, wanted)

    def test_shape_of_something_else(self):
        shape = {"at-least": 1, "value": {**SELECTION, "quantity": "other"}}
        judged = claim(paper=1, within=0, shape=shape)
        for other, wanted in ((2, "shape only"), (0, "differs")):
            found = claims.judge(judged, results([5], other))
            self.assertEqual(found.verdict, wanted)

    def test_expression_pairs_seeds(self):
        other = {**SELECTION, "quantity": "other"}
        found = claims.judge(
            claim(paper="…", value={"expr": "a - b", "a": SELECTION,
                                    "b": other}), results([5, 7], 1))
        self.assertEqual((found.ours.low, found.ours.high), (4, 6))

    def test_ci(self):
        """(ci, verdict's value) to whether it fails"""
        for ci, value, fails in ((True, 10, False), (True, 14, True),
                                 ("shape", 14, False), ("shape", 20, True),
                                 (False, 20, False)):
            found = claims.judge(
                claim(paper=10, within=.1, shape={"within": .5}, ci=ci),
                results([value]))
            self.assertEqual(found.fails, fails, (ci, value))

    def test_without_data(self):
        class Paper:
            claims = [claim(paper=1, within=1, ci=True)]
        with self.assertRaisesRegex(Problem, "t: there is no data"):
            claims.judge_all(Paper, {})
        with self.assertRaisesRegex(Problem, "no data .* quick"):
            claims.judge_all(Paper, {}, quick=True)
        Paper.claims = [claim(paper=1), claim(paper=1)]
        with self.assertRaisesRegex(Problem, "no data(.|\n)*no data"):
            claims.judge_all(Paper, {})
        self.assertEqual(claims.judge_all(Paper, {}, quick=True), [])
        Paper.claims = [claim(paper=1, value={**SELECTION, "time": [8, 9]})]
        self.assertEqual(claims.judge_all(Paper, results([1]), True), [])
        with self.assertRaisesRegex(Problem, "no row of 'q' has flow all"):
            claims.judge_all(Paper, results([1]))
        with self.assertRaisesRegex(Problem, "t: value: there is no quan"):
            claims.judge(claim(paper=1, value={
                **SELECTION, "quantity": "x"}), results([1]))
