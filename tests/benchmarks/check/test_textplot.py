#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What the quickstart shows where there is no display."""

import os
import sys
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from pspbench import showing, textplot  # noqa: E402

SECONDS = 30
STEPS = [(0, 2000000), (10, 800000), (20, 2000000)]


def constant(rate):
    times = [(i + 1) * .2 for i in range(SECONDS * 5)]
    return times, [rate] * len(times)


def lines_of(sent, delivered, width=80):
    return list(textplot.panel("one", SECONDS, STEPS, constant(sent),
                               constant(delivered), width))


class Panel(unittest.TestCase):
    def test_width(self):
        for width in (10, 40, 57, 80, 96, 300):
            lines = lines_of(1.6, .8, width)
            self.assertEqual(max(map(len, lines)),
                             min(max(width, textplot.NARROWEST),
                                 textplot.WIDEST))

    def test_plain_text(self):
        for line in textplot.plots(SECONDS, STEPS, {
                "one": (constant(9), constant(0))}, 80).splitlines():
            self.assertTrue(line.isascii() and line.isprintable(), line)

    def test_values_stand_in_their_rows(self):
        lines = lines_of(1.6, .8)
        row = {line[:4].strip(): line[textplot.MARGIN:] for line in lines}
        self.assertEqual(set(row["1.6"]), {"+"})
        self.assertEqual(set(row["0.8"]), {"*"})
        self.assertEqual(row["3.2"], "")

    def test_capacity_steps(self):
        columns = 80 - textplot.MARGIN
        upper = lines_of(.1, .1)[4][textplot.MARGIN:]     # 2.0 Mb/s
        self.assertEqual([i for i, mark in enumerate(upper) if mark == "="],
                         [i for i in range(columns) if not
                          columns / 3 <= i + .5 < 2 * columns / 3])

    def test_beyond(self):
        self.assertEqual(set(lines_of(4.2, .8)[1][textplot.MARGIN:]), {"^"})

    def test_every_column_has_its_mark(self):
        # 18 s is the quickstart's short form: its samples suffice anywhere.
        times = [(i + 1) * .2 for i in range(18 * 5)]
        for width in (40, 80, 96):
            values = textplot.columns_of(times, [1.] * len(times), 18.001,
                                         width - textplot.MARGIN)
            self.assertNotIn(None, values[1:])

    def test_nothing_arrived(self):
        lines = list(textplot.panel("none", SECONDS, STEPS, ([], []), ([], []),
                                    80))
        self.assertFalse(any("*" in line for line in lines))


class Display(unittest.TestCase):
    def test_none(self):
        with mock.patch.dict(os.environ):
            for name in ("DISPLAY", "WAYLAND_DISPLAY"):
                os.environ.pop(name, None)
            self.assertFalse(showing.open_window("/nowhere.png"))

    def test_one_that_does_not_answer(self):
        with mock.patch.dict(os.environ, {"DISPLAY": ":4711"}), \
                mock.patch("subprocess.Popen") as popen:
            popen.return_value.wait.return_value = 1
            self.assertFalse(showing.open_window("/nowhere.png"))
            self.assertIn("ximagesink", popen.call_args[0][0])


class Width(unittest.TestCase):
    def test_columns(self):
        with mock.patch.dict(os.environ, {"COLUMNS": "61"}):
            self.assertEqual(textplot.terminal_width(), 61)


if __name__ == "__main__":
    unittest.main()
