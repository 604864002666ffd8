# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The whole command, with a fake simulation."""

import csv
import glob
import os
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

from . import samples

try:
    import matplotlib
except ImportError:
    matplotlib = None
ARGS = "args = { capacity = 12 }"


class ReproduceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = samples.fake_build(os.path.join(folder.name, "build"))
        self.scenarios = os.path.join(folder.name, "scenarios")
        self.out = os.path.join(self.build, "reproduction")
        os.mkdir(self.scenarios)

    def run_it(self, *args, changes=()):
        samples.changed(self.scenarios, *changes)
        return subprocess.run(
            [sys.executable, samples.REPRODUCE, self.build, "--scenarios",
             self.scenarios, *args], capture_output=True, text=True)

    def read(self, name):
        with open(os.path.join(self.out, name)) as file:
            return file.read()

    def fails(self, said, *args, changes=(), status=1):
        ended = self.run_it(*args, changes=changes)
        self.assertEqual(ended.returncode, status, ended.stderr)
        self.assertIn(said, ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)

    @unittest.skipUnless(matplotlib, "there is no matplotlib")
    def test_full(self):
        ended = self.run_it()
        self.assertEqual((ended.returncode, ended.stderr.splitlines()[0]),
                         (0, "42 runs, 2 at a time"), ended.stderr)
        page = self.read("reproduction.md")
        for row in (
                "| ± 10 % | 3.00 Mb/s ± 0.62 [2.75…3.25] | 3 | reproduced |",
                "| 60 % | ± 5 points | 50.0 % | 3 | shape only |",
                "| 100…150 µs | ± 0 % | 200 µs | 3 | **differs** |",
                "| alike |  | 3.00 ± 1.24 [2.50…3.50] | 3 | *shown* |",
                "*shape only* (it keeps ≥ 30): the paper rounds",
                "*differs*: no reason is known.",
                "| the queue's length | 10 packets | printed elsewhere |",
                "| spacing (µs) |  | rate (Mb/s) |",
                "| 0 | one flow | 12.0 [11.0…13.0] |",
                "| 0 | paper | 11 |",
                "| [An example: sharing](#an-example-sharing) | 1 | 1 | 1 |"
                " 1 |"):
            self.assertIn(row, page)
        self.assertFalse(os.path.exists(os.path.join(self.out, "runs")))

    @unittest.skipUnless(matplotlib, "there is no matplotlib")
    def test_figures(self):
        made = []
        for _ in range(2):
            self.assertEqual(self.run_it("--keep").returncode, 0)
            made.append([self.read("reproduction-example-%s.svg" % name)
                         for name in ("sweep", "time")])
        self.assertEqual(made[0], made[1])
        for text in made[0]:
            xml.etree.ElementTree.fromstring(text)
        for label in ("one flow", "flows 4", "spacing (µs)", "paper"):
            self.assertIn(label, made[0][0])
        for label in ("fair share", "flow 4", "first"):
            self.assertIn(label, made[0][1])

    def test_rows(self):
        self.run_it("--quick")
        with open(os.path.join(self.out, "example-spacing.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), [
            "scenario", "capacity", "flows", "spacing", "seed", "quantity",
            "flow", "kind", "time", "value"])
        self.assertEqual({r["flows"] for r in rows}, {"4"})
        self.assertEqual({r["seed"] for r in rows}, {"1"})
        self.assertEqual(len(rows), 4 * (4 * 5 + 2))

    def test_quick(self):
        ended = self.run_it("--quick")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("reproduced Table 1: four flows", ended.stdout)
        self.assertNotIn("a second flow", ended.stdout)
        self.assertEqual(glob.glob(os.path.join(self.out, "*.md")), [])

    def test_quick_fails(self):
        ended = self.run_it("--quick", changes=[("paper = 3.0", "paper = 4")])
        self.assertEqual(ended.returncode, 1)
        self.assertIn('does not hold: test.toml: claim "share", but: 2.75',
                      ended.stdout)

    def test_keep(self):
        self.run_it("--quick", "--keep")
        ended = self.run_it("--quick", "--keep")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        os.utime(os.path.join(self.build, "tests", "sim", "sim-fake"))
        self.assertIn("4 runs", self.run_it("--quick", "--keep").stderr)

    def test_missing_program(self):
        os.remove(os.path.join(self.build, "tests", "sim", "sim-fake"))
        self.fails("sim-fake is missing, which the scenario 'spacing' needs")
        self.fails("sim-fake is missing", "--skip-missing", status=77)

    def test_failing_program(self):
        for mode, said in (
                ("fail", "--seed=1\n  ended with status 1\n  no such link"),
                ("words", "line 2: not a row: rate,all,psp,,much"),
                ("header", "the first line is quantity,flow,value, not")):
            self.fails(said, "--quick", changes=[
                (ARGS, 'args = { capacity = 12, mode = "%s" }' % mode)])

    def test_hanging_program(self):
        self.fails("took longer than 1 s", "--quick", changes=[
            (ARGS, 'args = { capacity = 12, mode = "hang" }\ntimeout = 1')])

    def test_terminated(self):
        """Its simulations end with it."""
        samples.changed(self.scenarios, (
            ARGS, 'args = { capacity = 12, mode = "hang" }'))
        process = subprocess.Popen(
            [sys.executable, samples.REPRODUCE, self.build, "--scenarios",
             self.scenarios, "--quick", "--jobs", "1"],
            stderr=subprocess.DEVNULL)
        note = os.path.join(self.build, "tests", "sim", "sim-fake.hangs")
        while not os.path.exists(note) or not os.path.getsize(note):
            self.assertIsNone(process.poll())
            time.sleep(.02)
        process.terminate()
        self.assertEqual(process.wait(), 130)
        with open(note) as file, self.assertRaises(ProcessLookupError):
            os.kill(int(file.read()), 0)

    def test_csv(self):
        table = 'name = "paired"\nsource = "csv"\n' \
            'file = "example-paired.csv"\ncommand = "make more"\n'
        changes = [(samples.example().split("[[scenario]]\n")[2].split(
            "\n[[claim]]")[0], table)]
        self.fails("made by  make more", changes=changes)
        with open(os.path.join(self.out, "example-paired.csv"), "w") as file:
            file.write("seed,flows,quantity,flow,kind,time,value\n"
                       "1,2,rate,1,tcp,,5\n1,2,rate,2,tcp,,7\n")
        ended = self.run_it(changes=changes)
        self.assertIn("rates of two settings: 6.00", ended.stdout)
        os.rename(os.path.join(self.out, "example-paired.csv"),
                  os.path.join(self.scenarios, "example-paired.csv"))
        ended = self.run_it(changes=changes)
        self.assertIn("rates of two settings: 6.00", ended.stdout)
        # only read: a copy in --out would be taken for what is wanted next time
        name = os.path.join(self.scenarios, "example-paired.csv")
        self.assertIn("paired: %s\n" % name, ended.stdout)
        self.assertEqual(glob.glob(os.path.join(self.out, "*.csv")),
                         [os.path.join(self.out, "example-spacing.csv")])

    def test_check(self):
        ended = self.run_it("--check")
        self.assertEqual(ended.stdout,
                         "example: 2 scenarios, 4 claims, 2 figures\n")
        self.fails("test.toml: unknown key 'titel' (title?)", "--check",
                   changes=[("title =", "titel =")])
