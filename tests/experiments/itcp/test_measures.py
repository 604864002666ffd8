#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The measures, of logs made up for them; and the cross traffic's data."""

import contextlib
import csv
import io
import itertools
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))

from itcp import cross, measures, setting       # noqa: E402


def log(lateness, n=400):
    """Pictures that come 0.3 s after their release, and as much later as
    lateness(n) says."""
    return [{"frame": k, "release": k * .1, "departure": k * .1 + .05,
             "arrival": k * .1 + .25 + lateness(k),
             "decoded": k * .1 + .3 + lateness(k), "actual_bits": 60000}
            for k in range(n)]


def events(*times):
    return [{"time": t, "kind": "rexmt", "target": 0} for t in times]


def step(n):
    return 3.0 if n >= 100 else 0.0


class MeasuresTest(unittest.TestCase):
    def test_table(self):
        m = measures.measure(log(step), events(10, 11) + [
            {"time": 12, "kind": "backlog", "target": 0}])
        self.assertEqual((m["events"], m["backlog"]), (2, 1))
        self.assertAlmostEqual(m["lateness"], 3 * 300 / 400)
        self.assertAlmostEqual(m["time"], 39.9 + 3.3)
        self.assertAlmostEqual(m["fps"], 400 / 43.2)
        self.assertAlmostEqual(m["iat"], 42.9 / 399)
        self.assertAlmostEqual(m["flight"], .2 + 2.25)
        self.assertAlmostEqual(m["rate"], .6)

    def test_early(self):
        """The first picture's delay is the others' credit."""
        late = measures.lateness(log(lambda n: 0.0 if n else .5))
        self.assertAlmostEqual(late[0], 0)
        self.assertAlmostEqual(late[1], -.5)

    def test_steps(self):
        self.assertEqual(measures.steps(events(20, 10, 14.9)),
                         [(10, 19.9), (20, 25)])
        self.assertEqual(measures.steps([]), [])

    def rises(self, lateness, *times, waves=False):
        return measures.rises(log(lateness), events(*times), waves)

    def test_rises(self):
        def slope(n):
            return step(n) + max(0, n - 100) * .01

        def wave(n):
            return step(n) + (1.0 if 200 <= n < 300 else 0.0)

        self.assertEqual(self.rises(step, 10), [])
        self.assertEqual(self.rises(slope, 10), [15])
        self.assertEqual(self.rises(slope), [])         # there is no step
        self.assertEqual(self.rises(wave, 10), [])      # it comes back
        self.assertEqual(self.rises(wave, 10, waves=True), [15])
        self.assertEqual(self.rises(slope, 10, waves=True), [15])
        self.assertEqual(self.rises(step, 10, waves=True), [])
        self.assertEqual(self.rises(lambda n: -slope(n), 10), [])

    def test_second_step(self):
        """What is behind the second is not the first's."""
        def twice(n):
            return step(n) + (0 if n < 250 else 2 + (n - 250) * .02)

        self.assertEqual(self.rises(twice, 10, 27.9), [32.9])


def read_sheet(path):
    """{quantity: (arm, rtt, seed, value)} of the rows without a time"""
    with open(path) as file:
        return {r["quantity"]: (r["arm"], r["rtt"], r["seed"],
                                float(r["value"]))
                for r in csv.DictReader(file) if not r["time"]}


def write_outage(folder, rows):
    """The logs of one run, the link cut at 12 s."""
    run = os.path.join(folder, "modern-50-3")
    os.mkdir(run)
    with open(run + "/options.json", "w") as file:
        json.dump({"options": {"outage": 22, "offset": 10}}, file)
    with open(run + "/events.csv", "w") as file:
        file.write("time,kind,target,delay\n" + "".join(
            "%d,%s,0,0\n" % (t * 1e9, kind) for t, kind in rows))


def write_run(folder, n):
    """The logs of one run of n pictures, each 1 s from release to decoder."""
    run = os.path.join(folder, "itcp-backlog-41-6")
    os.mkdir(run)
    names = ["frame", "coded", "release", "departure", "target_bits",
             "actual_bits", "unsent-bytes", "unacked-bytes", "rtt"]
    with open(run + "/sent.csv", "w") as file:
        file.write(",".join(names + ["type"]) + "\n")
        for k in range(n):
            file.write("%d,%d,%d,%d,1,60000,0,0,41000000,P\n" % (
                k, k, k * 1e8, k * 1e8))
    with open(run + "/events.csv", "w") as file:
        file.write("time,kind,target,delay\n2000000000,dupack,1,0\n")
    came = [int(k * 1e8 + 1e9) for k in range(n)]
    for name, log in (
            ("received", {"arrival": came, "decoded": came, "gaps": 0}),
            ("link", {"kernel-drops-a": 0, "kernel-drops-b": 0,
                      "forward": {}}),
            ("counters", dict.fromkeys(("TCPTimeouts", "TCPRenoRecovery",
                                        "TCPSackRecovery"), 0)),
            ("options", {"options": {}})):
        with open("%s/%s.json" % (run, name), "w") as file:
            json.dump(log, file)


class TogetherTest(unittest.TestCase):
    """Both experiments in one DIR: each table is of its own arms."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def report(self, report):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(report(self.folder), 0)

    def test_both(self):
        write_outage(self.folder, [(12.1, "backlog"), (12.4, "rexmt")])
        write_run(self.folder, 30)
        for _ in range(2):
            self.report(measures.report_outage)
            self.report(measures.report)
        found = read_sheet(self.folder + "/itcp.csv")
        self.assertEqual({row[0] for row in found.values()},
                         {"itcp-backlog"})
        self.assertEqual(found["events"], ("itcp-backlog", "41", "6", 1))
        found = read_sheet(self.folder + "/itcp-outage.csv")
        self.assertEqual({row[0] for row in found.values()}, {"modern"})

    def test_none(self):
        """No table either, which would be taken for one."""
        for write, report, said in (
                (lambda folder: None, measures.report, "no runs of tcp,"),
                (lambda folder: write_run(folder, 30),
                 measures.report_outage, "no runs of paper,")):
            write(self.folder)
            with self.assertRaisesRegex(measures.Invalid, said):
                report(self.folder)
        self.assertEqual([name for name in os.listdir(self.folder)
                          if name.endswith(".csv")], [])


class OutageTest(unittest.TestCase):
    def outage(self, folder, rows):
        """report_outage()'s sheet of one run."""
        write_outage(folder, rows)
        with contextlib.redirect_stdout(io.StringIO()):
            measures.report_outage(folder)
        return read_sheet(folder + "/itcp-outage.csv")

    def test_first(self):
        with tempfile.TemporaryDirectory() as folder:
            found = self.outage(folder, [
                (3, "backlog"), (4, "dupack"), (12.1, "backlog"),
                (12.2, "backlog"), (12.4, "rexmt"), (13, "rexmt")])
        key = "modern", "50", "3"
        self.assertEqual(found, {
            "first_rexmt": (*key, .4), "first_backlog": (*key, .1),
            "bound": (*key, 8), "before": (*key, 1)})

    def test_no_timeout(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(measures.Invalid):
                self.outage(folder, [(11, "rexmt"), (12.1, "backlog")])


class CrossTest(unittest.TestCase):
    def test_data(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bursts.csv")
            setting.write_bursts(path, setting.RUNS)
            with open(path) as drawn, open(setting.CROSS_TRAFFIC) as kept:
                self.assertEqual(drawn.read(), kept.read())

    def test_rates(self):
        rates = {"quiet": 7, "peak": 40, "busy": 9, "peak-time": 1.0,
                 "lead": 2.0, "hosts": 10}
        times = list(itertools.takewhile(lambda t: t < 60, cross.packets(
            1, [(20, 30)], rates)))
        self.assertEqual(times, sorted(times))
        self.assertEqual(times, list(itertools.islice(
            cross.packets(1, [(20, 30)], rates), len(times))))
        for begin, end, rate in ((-2, 20, 7), (20, 21, 40), (21, 50, 9)):
            found = sum(begin <= t < end for t in times) / (end - begin) / 10
            self.assertAlmostEqual(found / rate, 1, delta=.1)


if __name__ == "__main__":
    unittest.main()
