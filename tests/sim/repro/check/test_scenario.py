# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
import tempfile
import unittest

from . import samples
from repro.problem import Problem
from repro.scenario import read_paper, read_papers

SPACING = 'value = { scenario = "spacing", where = { flows = 4, spacing = 0 }'
# (what is replaced, by what, what is said)
WRONG = [
    ("order = 1", "oder = 1", "test.toml: unknown key 'oder' (order?)"),
    ("order = 1", 'order = "1"', "order is to be an integer"),
    ("order = 1", "order = true", "order is to be an integer"),
    ("order = 1", "order =", "test.toml: Invalid value"),
    ('title = "An example: sharing"', "", "title is missing"),
    ('paper = "example"', 'paper = "../x"', "a name is of a-z"),
    ('taken = "10 packets"', "", 'reading "the queue\'s length": taken is'),
    ('name = "paired"', 'name = "spacing"',
     'scenario "spacing": there are two of this name'),
    ('name = "paired"', "", "scenario 2: name is missing"),
    ("args = { capacity = 12 }", "args = { flows = 12 }",
     'scenario "spacing": flows is given twice'),
    ("args = { capacity = 12 }", "args = { seed = 12 }", "say seeds = N"),
    ("args = { capacity = 12 }", "arg = { capacity = 12 }", "'arg' (args?)"),
    ("spacing = [0, 100, 200, 400]", "spacing = []", "spacing has no values"),
    ("spacing = [0, 100, 200, 400]", "spacing = 0", "sweep has 0 in it"),
    ("{ flows = 2, capacity = 6 }", "{ flows = 2 }",
     'scenario "paired": every point is to name the same'),
    ("sweep = { flows = [4] }", "sweep = { flow = [4] }",
     'scenario "spacing": quick: sweep: flow is not in the sweep'),
    ("quick = false", "quick = true", "quick is to be a table or false"),
    ("quick = { seeds = 1", "quick = { seeds = 0", "seeds is to be at least 1"),
    ("tolerance = 5", "within = 0.1\ntolerance = 5",
     'claim "halves": one rule'),
    ("ci = true\n", 'ci = "maybe"\n', "none of shape"),
    ("paper = [100, 150]", "paper = [100]", "paper is to be [low, high]"),
    ("paper = [100, 150]", 'paper = "some"', "need a number in paper"),
    ("paper = \"alike\"", 'paper = "alike"\nci = true',
     'claim "paired": ci and shape need a rule'),
    ("shape = { at-least = 30 }", "shape = { }", "shape has no rule"),
    ("shape = { at-least = 30 }", "shape = { atleast = 30 }",
     'claim "halves": shape: unknown key'),
    ("1 - two / one", "1 - two / three",
     'claim "halves": value: '),
    ("1 - two / one", "two.one", "Attribute has no place in it"),
    (SPACING, SPACING.replace("spacing\"", "spaces\""),
     "there is no scenario 'spaces'"),
    (SPACING, SPACING.replace("flows = 4", "flows = 3"),
     'claim "share": value: where: flows = 3 is not among'),
    (SPACING, SPACING.replace("flows = 4, ", ""), "where leaves flows open"),
    (SPACING, SPACING.replace("flows = 4", "tcp = 4"), "tcp = 4 is not"),
    ('flow = "each", reduce = "mean" }\n\n', 'flow = "each", reduce = "mode"'
     ' }\n\n', "'mode' is none of mean, min"),
    ("at-most = 0 }", "at-mots = 0 }", "across: unknown key 'at-mots'"),
    ('take = "from"', 'take = "max"', "go with take"),
    ('series = "flows"', 'series = "flow"',
     'figure "sweep": where leaves flows open'),
    ('series = "flows"', 'series = "flws"', "sweeps no 'flws'"),
    ('x = "time"', "", 'figure "time": panel 1: x is missing'),
    ("y = [11, 2.4]", "y = [11]", "x and y differ in length"),
    ('label = "first", flow = 1', 'label = "first", flows = 1',
     "unknown key 'flows' (flow?)"),
    ('name = "time"\n', 'name = "sweep"\n', "there are two of this name"),
]


class ScenarioTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_example(self):
        paper = samples.paper()
        self.assertEqual((paper.name, paper.order), ("example", 1))
        self.assertEqual(list(paper.scenarios), ["spacing", "paired"])
        self.assertEqual([len(paper.claims), len(paper.figures)], [4, 2])

    def test_combinations(self):
        spacing = samples.paper().scenarios["spacing"]
        found = spacing.combinations()
        self.assertEqual(len(found), 12)
        self.assertEqual(found[0], {"capacity": 12, "flows": 1, "spacing": 0})
        self.assertEqual(found[-1],
                         {"capacity": 12, "flows": 4, "spacing": 400})

    def test_points_go_together(self):
        paired = samples.paper().scenarios["paired"]
        self.assertEqual(paired.combinations(),
                         [{"flows": 1, "capacity": 3},
                          {"flows": 2, "capacity": 6}])
        self.assertFalse(paired.has({"flows": 1, "capacity": 6}))
        self.assertEqual(paired.varying({"flows": 1}), [])

    def test_points_and_sweep(self):
        path = samples.changed(self.folder.name, (
            "points = [{ flows",
            "sweep = { spacing = [1, 2] }\npoints = [{ flows"),
            ("where = { flows = 2 }, quantity = \"rate\"",
             "where = { flows = 2, spacing = 1 }, quantity = \"rate\""))
        self.assertEqual(
            len(read_paper(path).scenarios["paired"].combinations()), 4)

    def test_quick(self):
        scenarios = samples.paper().scenarios
        quick = scenarios["spacing"].quickly()
        self.assertEqual((quick.seeds, len(quick.combinations())), (1, 4))
        self.assertEqual(quick.args, {"capacity": 12})
        self.assertIsNone(scenarios["paired"].quickly())

    def test_wrong(self):
        for old, new, said in WRONG:
            path = samples.changed(self.folder.name, (old, new))
            with self.subTest(new), self.assertRaises(Problem) as caught:
                read_paper(path)
            self.assertIn(said, str(caught.exception))
            self.assertIn("test.toml: ", str(caught.exception))

    def test_only(self):
        path = samples.changed(self.folder.name)
        self.assertEqual(len(read_papers([path], ["example"])), 1)
        with self.assertRaisesRegex(Problem, "no paper 'psp'"):
            read_papers([path], ["psp"])
        with self.assertRaisesRegex(Problem, "two files"):
            read_papers([path, path])
