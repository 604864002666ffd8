#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The arithmetic of live.py, on streams whose figures are known."""

import json
import math
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import live                                             # noqa: E402
from pspbench import livecases, livepage, liveresults  # noqa: E402
from pspbench import livefigures as figures  # noqa: E402
from pspbench import liveelements  # noqa: E402

OCTETS = 1250           # of a packet: 10,000 bits with its headers


def stream(begin, end, per_second, delay=.02):
    """Packets of 10,000 bits at equal distances, each its own frame."""
    n = round((end - begin) * per_second)
    return [figures.Packet(begin + k / per_second,
                           begin + k / per_second + delay, round(
                               (begin + k / per_second) * 90000), OCTETS)
            for k in range(n)]


def passed(begin, end, per_second, wait, tcp=False):
    return [figures.Passed(begin + k / per_second, tcp, OCTETS, "delivered",
                           begin + k / per_second + wait, wait)
            for k in range(round((end - begin) * per_second))]


class Quantiles(unittest.TestCase):
    def test_left_out(self):
        """Of three pictures the second one does not leave, and the third one has
        its numbers."""
        made = [[1, 10, 100, 5], [2, 10, 100, 6], [3, 20, 90, 7], [4, 30, 80, 8]]
        left = [[1, 10, 100], [2, 10, 100], [3, 30, 80]]
        sent = liveelements.as_left(made, left)
        self.assertEqual(sent, [[1, 10, 100, 5], [2, 10, 100, 5],
                                [3, 30, 80, 8], [None, 20, 90, 7]])
        came = figures.distinct(sent, [[*row, 9] for row in left])
        self.assertEqual(len(came), 3)
        self.assertEqual(figures.frame_delays(sent, came, 0, 10),
                         ([4, 1], 2 / 3))

    def test_ranks(self):
        values = list(range(1, 101))
        self.assertEqual(figures.quantile(values, .95), 95)
        self.assertEqual(figures.quantile(values, .5), 50)
        self.assertEqual(figures.quantile([7], .95), 7)
        self.assertIsNone(figures.quantile([], .5))


class Distinct(unittest.TestCase):
    SENT = [[1, 100, 1212, 1.0], [2, 100, 512, 1.0]]

    def test_payload_and_headers(self):
        packets = figures.distinct(self.SENT, [[1, 100, 1212, 1.1]])
        self.assertEqual(packets, [figures.Packet(1.0, 1.1, 100, 1240)])

    def test_repeats_and_padding_do_not_count(self):
        packets = figures.distinct(self.SENT, [
            [2, 100, 512, 1.1], [2, 100, 512, 1.2], [3, 100, 999, 1.3]])
        self.assertEqual([p.came for p in packets], [1.1])

    def test_numbers_wrap(self):
        """The same number with another time stamp is another packet."""
        packets = figures.distinct(
            self.SENT + [[1, 9000, 612, 5.0]],
            [[1, 100, 1212, 1.1], [1, 9000, 612, 5.1]])
        self.assertEqual([p.made for p in packets], [1.0, 5.0])


class Use(unittest.TestCase):
    def test_capacity(self):
        steps = [(0, 2e6), (20, 1e6), (40, 2e6)]
        self.assertEqual(figures.capacity(steps, 0, 60), 100e6)
        self.assertEqual(figures.capacity(steps, 10, 30), 30e6)
        self.assertEqual(figures.capacity(steps, 45, 50), 10e6)

    def test_half(self):
        packets = stream(0, 10, 100)
        self.assertAlmostEqual(
            figures.use(packets, [(0, 2e6)], 1, 9), .5, 3)


class Back(unittest.TestCase):
    def test_window(self):
        """From 0 to 2 Mb/s: 1.8 Mb/s over .3 s are there after .27 s."""
        packets = stream(10, 12, 200, 0)
        self.assertAlmostEqual(
            figures.back(packets, 10, 1.8e6, 12), .265, 3)

    def test_never(self):
        self.assertIsNone(figures.back(stream(0, 20, 100), 10, 1.8e6, 20))

    def test_stale_packets(self):
        """What drains after the outage was made before it."""
        stale = [p._replace(made=p.made - 5) for p in stream(10, 10.4, 200, 0)]
        packets = stale + stream(11, 12, 200, 0)
        self.assertLess(figures.back(packets, 10, 1.8e6, 20), .3)
        self.assertAlmostEqual(
            figures.back(packets, 10, 1.8e6, 20, fresh=True), 1.265, 3)


class Queue(unittest.TestCase):
    def test_calm(self):
        rows = passed(0, 1, 100, .1) + passed(1, 3, 100, .01)
        self.assertAlmostEqual(figures.calm(rows, 0, 3), 1)
        self.assertIsNone(figures.calm(passed(0, 3, 100, .1), 0, 3))
        self.assertEqual(figures.calm(passed(0, 3, 100, .01), 0, 3), 0)

    def test_calm_while_the_sender_pauses(self):
        rows = passed(0, .5, 100, .2) + passed(2, 3, 100, .01)
        self.assertAlmostEqual(figures.calm(rows, 0, 3), .69)
        # A queue that comes back later is another one.
        rows += passed(4, 5, 100, .2)
        self.assertAlmostEqual(figures.calm(rows, 0, 5), .69)

    def test_a_short_calm_is_none(self):
        rows = passed(0, 1, 100, .1) + passed(1, 1.1, 100, .01) + \
            passed(1.1, 2, 100, .1) + passed(2, 3, 100, .01)
        self.assertAlmostEqual(figures.calm(rows, 0, 3), 2)

    def test_waits_are_the_medias(self):
        rows = passed(0, 1, 10, .5, tcp=True) + passed(0, 1, 10, .25)
        self.assertEqual(set(figures.waits(rows, 0, 1)), {.25})

    def test_lost(self):
        rows = passed(0, 1, 9, .01)
        rows.append(figures.Passed(.5, False, OCTETS, "full", None, None))
        rows.append(figures.Passed(.5, True, OCTETS, "full", None, None))
        self.assertAlmostEqual(figures.lost(rows, 0, 1), .1)


class Share(unittest.TestCase):
    def test_quarter(self):
        rows = passed(0, 40, 150, .1, tcp=True)
        packets = stream(0, 40, 50, .1)
        self.assertAlmostEqual(figures.share(packets, rows, 10, 40), .25, 3)
        self.assertAlmostEqual(figures.worst_share(packets, rows, 10, 40), .25,
                               2)

    def test_worst(self):
        """Ten seconds of nothing are found wherever they begin."""
        rows = passed(0, 40, 150, .1, tcp=True)
        packets = stream(0, 15, 50, .1) + stream(25, 40, 50, .1)
        self.assertLess(figures.worst_share(packets, rows, 0, 40), .01)


class Frames(unittest.TestCase):
    def test_last_packet(self):
        sent = [[1, 100, 1212, 1.0], [2, 100, 1212, 1.0], [3, 200, 1212, 2.0],
                [4, 300, 1212, 3.0], [5, 300, 1212, 3.0]]
        packets = figures.distinct(sent, [
            [1, 100, 1212, 1.05], [2, 100, 1212, 1.09], [3, 200, 1212, 2.02],
            [4, 300, 1212, 3.01]])
        delays, whole = figures.frame_delays(sent, packets, 0, 10)
        self.assertEqual([round(d, 6) for d in delays], [.09, .02])
        self.assertAlmostEqual(whole, 2 / 3)


class Summaries(unittest.TestCase):
    def test_never_is_worst(self):
        s = figures.summary([1.0, None, 2.0], False)
        self.assertEqual((s.median, s.least, s.most), (2.0, 1.0, math.inf))
        self.assertEqual(figures.summary([None, .4], True).least, 0)

    def test_ahead(self):
        low = figures.summary([1, 2], False)
        high = figures.summary([3, 4], False)
        between = figures.summary([2, 3], False)
        self.assertEqual(figures.ahead({"a": low, "b": high}, False), "a")
        self.assertEqual(figures.ahead({"a": low, "b": high}, True), "b")
        self.assertIsNone(figures.ahead({"a": low, "b": between}, False))
        self.assertIsNone(figures.ahead({"a": low}, False))
        once = figures.summary([9], False)
        self.assertIsNone(figures.ahead({"a": low, "b": once}, False))


class Cases(unittest.TestCase):
    def test_schedules(self):
        """Shifted by what passes before the media begins."""
        step = livecases.CASES["step"]
        self.assertEqual(step.schedule(1), [(0, 2e6), (20, 1e6), (40, 2e6)])
        self.assertIn("schedule=0s:2000000/%gs:1000000/%gs:2000000" % (
            20 + livecases.LEAD, 40 + livecases.LEAD), step.forward(1, 7))
        self.assertEqual(step.schedule(.5)[1:], [(10, 1e6), (20, 2e6)])

    def test_quick_fits(self):
        """Two runs, at most 45 minutes, 3 s a run besides. Four runs of 26.5 s took
        110 s, which is 1 s a run."""
        seconds = sum(case.seconds(livecases.QUICK) + case.lead + 3
                      for case in livecases.CASES.values() if case.quick)
        self.assertLess(2 * seconds, 45 * 60)

    def test_figures_of_a_perfect_stream(self):
        """50 packets of 38,000 bits a second on 2 Mb/s, and larger ones on a
        faster link: each case has each of its figures."""
        for case in livecases.CASES.values():
            end = case.seconds(1)
            size = round(4722 * case.schedule(1)[0][1] / 2e6)
            packets = list(enumerate(stream(0, end, 50)))
            run = livecases.Run(
                [[n, p.frame, size, p.made] for n, p in packets],
                [[n, p.frame, size, p.came] for n, p in packets],
                passed(0, end, 50, .005) + passed(0, end, 50, .005, tcp=True),
                case.others * [stream(0, end, 50)])
            found = case.figures(run, 1)
            self.assertEqual(set(found), {f.name for f in case.shown})
            self.assertNotIn(None, found.values(), case.name)
            if "use" in found:
                self.assertGreater(found["use"], .9, case.name)


class Log(unittest.TestCase):
    def test_dropped(self):
        """What the queue dropped never came, whenever it was dropped."""
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as log:
            log.write("direction,flow,size,verdict,arrived,delivered,wait\n"
                      "forward,0,100,delivered,1000000000,1500000000,0\n"
                      "forward,0,100,full,1000000000,1000000000,\n"
                      "back,0,100,delivered,1000000000,1500000000,0\n")
            log.flush()
            self.assertEqual([(p.verdict, p.came, p.wait)
                              for p in live.read_log(log.name, 0)],
                             [("delivered", 1.5, 0), ("full", None, None)])


class Results(unittest.TestCase):
    ROW = {"case": "steady", "controller": "a", "run": 1, "quick": False,
           "encoder": "x", "build": "1", "figures": {"use": .9}}

    def test_resumed(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "results")
            results = liveresults.Results(path)
            self.assertFalse(results.has(self.ROW))
            results.add(self.ROW)
            with open(path, "a") as f:
                f.write(json.dumps(self.ROW)[:20])      # cut while writing
            again = liveresults.Results(path)
            self.assertTrue(again.has(self.ROW))
            self.assertFalse(again.has({**self.ROW, "run": 2}))
            self.assertFalse(again.has({**self.ROW, "build": "2"}))
            again.add({**self.ROW, "run": 2})
            self.assertEqual(len(liveresults.Results(path).rows), 2)


    def test_repeated(self):
        def row(late, drops=0):
            return {**self.ROW, "machine": {"late_ms": late,
                                            "kernel_drops": drops}}

        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "results")
            results = liveresults.Results(path)
            for bad in row(9), row(0, 1):
                results.add(bad)
                self.assertTrue(results.has(bad))
                self.assertFalse(results.has(bad, late_too=False))
            results.add(row(1))
            self.assertTrue(results.has(row(1), late_too=False))
            self.assertEqual(liveresults.Results(path).rows, [row(1)])


class Page(unittest.TestCase):
    @staticmethod
    def row(controller, run, **found):
        return {"case": "steady", "controller": controller, "run": run,
                "quick": False, "encoder": "x", "build": "1", "figures": found,
                "machine": {"load": .3, "busy": .2, "late_ms": .4,
                            "kernel_drops": 0}}

    def rows(self):
        return [self.row(name, run, use=use + run / 1000, p50=.004, p95=p95,
                         lost=0, frame=.1, whole=1)
                for name, use, p95 in (("a", .95, .02), ("b", .85, .01))
                for run in (1, 2, 3)]

    def test_ahead_and_bars(self):
        text = livepage.page(self.rows())
        self.assertIn("| steady |", text)
        use = next(line for line in text.splitlines()
                   if line.startswith("| use"))
        self.assertIn(".952 [.951….953]", use)
        self.assertIn("| a |", use)
        wait = next(line for line in text.splitlines()
                    if line.startswith("| wait, p95"))
        self.assertIn("| b |", wait)

    def test_bars_beside_scp_and_of_each_run(self):
        share, frame = (next(f for f in livecases.CASES["cubic60-first"].shown
                             if f.name == name) for name in ("share", "frame"))
        scp = livepage.summary([.1, .1, .1], False)
        self.assertTrue(livepage.misses(
            livepage.summary([.13, .13, .1], False), frame, scp))
        self.assertFalse(livepage.misses(
            livepage.summary([.115, .2, .1], False), frame, scp))
        self.assertFalse(livepage.misses(
            livepage.summary([9, 9, 9], False), frame, None))
        self.assertTrue(livepage.misses(
            livepage.summary([.4, .4, .24], True), share, None))
        self.assertFalse(livepage.misses(
            livepage.summary([.4, .4, .26], True), share, None))
        self.assertEqual(livepage.bar(share), "≥ .350, each run ≥ .250")
        self.assertEqual(livepage.bar(frame), "≤ scp + 20 ms")

    def test_a_busy_machine_is_told(self):
        rows = self.rows()
        rows[0]["machine"]["late_ms"] = 40
        self.assertIn("link late", livepage.page(rows))
        self.assertNotIn("link late", livepage.page(self.rows()))


if __name__ == "__main__":
    unittest.main()
