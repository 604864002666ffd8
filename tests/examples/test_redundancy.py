#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""redundancy.py, told by made messages."""

import sys
import unittest

import gi
gi.require_version("Gst", "1.0")
try:
    gi.require_version("GstCongestion", "1.0")
except ValueError as error:
    print("skipped: built without introspection: %s" % error)
    sys.exit(77)
from gi.repository import Gst, GstCongestion  # noqa: E402

import redundancy  # noqa: E402


class Encoder:
    """Takes properties, and notes each change."""

    def __init__(self, **properties):
        self.properties = {k.replace("_", "-"): v
                           for k, v in properties.items()}
        self.changes = []

    def get_property(self, name):
        return self.properties[name]

    def set_property(self, name, value):
        self.changes.append((name, value))
        self.properties[name] = value


def ulpfec(latency_ms=200, **options):
    encoder = Encoder(percentage=0, percentage_important=0)
    return encoder, redundancy.UlpFec(encoder, latency_ms, **options)


def rows_and_columns(latency_ms=200):
    encoder = Encoder(rows=10, columns=5, enable_row_fec=True,
                      enable_column_fec=True)
    return encoder, redundancy.RowsAndColumns(encoder, latency_ms)


def settled(driver, loss, rtt):
    """Told the same for a minute."""
    for second in range(61):
        driver.told(loss, rtt, float(second))


class Rule(unittest.TestCase):
    def test_what_is_left(self):
        self.assertEqual(redundancy.left_by_retransmission(.1, 0, 1), .1)
        self.assertEqual(redundancy.left_by_retransmission(.1, .2, .2), .1)
        # One attempt of which the request or the answer is lost.
        self.assertAlmostEqual(
            redundancy.left_by_retransmission(.1, .1, .199), .1 * .19)
        self.assertAlmostEqual(
            redundancy.left_by_retransmission(.1, .1, .251), .1 * .19 ** 2)
        self.assertAlmostEqual(redundancy.left_by_parity(.1, 1), .01)
        self.assertAlmostEqual(redundancy.left_by_parity(.1, 2), .019)

    def test_mean_of_the_loss(self):
        driver = ulpfec()[1]
        driver.told(0, .04, 0)
        # A round trip of much loss is not the rule.
        driver.told(.5, .04, 10)
        driver.told(0, .04, 10.04)
        self.assertTrue(0 < driver.loss < .01)
        driver.told(None, None, 10.04)
        self.assertTrue(0 < driver.loss < .01)
        self.assertEqual(driver.rtt, .04)
        settled(driver, .1, .04)
        self.assertAlmostEqual(driver.loss, .1, 3)
        # A clock that goes back changes nothing.
        driver.told(.1, .04, 0)
        self.assertAlmostEqual(driver.loss, .1, 3)


class Percentage(unittest.TestCase):
    def test_nothing_where_it_is_sent_again(self):
        encoder, driver = ulpfec(200)
        settled(driver, .05, .04)
        self.assertEqual(encoder.properties["percentage"], 0)
        self.assertEqual(encoder.changes, [])

    def test_more_where_nothing_is_sent_again(self):
        encoder, driver = ulpfec(200, retransmission=False)
        settled(driver, .05, .04)
        self.assertGreater(encoder.properties["percentage"], 0)

    def test_rises_with_loss_and_is_bounded(self):
        last = 0
        for loss in 0, .004, .006, .01, .02, .05, .07, .1, .5, 1:
            encoder, driver = ulpfec(200, most=80)
            settled(driver, loss, .3)
            percentage = encoder.properties["percentage"]
            self.assertEqual(percentage,
                             encoder.properties["percentage-important"])
            self.assertGreaterEqual(percentage, last)
            self.assertLessEqual(percentage, 80)
            self.assertEqual(percentage > 0, loss > redundancy.TOLERATED)
            last = percentage
        self.assertEqual(last, 80)

    def test_leaves_what_is_tolerated(self):
        for loss in .01, .02, .05, .07:
            encoder, driver = ulpfec(200)
            settled(driver, loss, .3)
            group = 100 / encoder.properties["percentage"]
            self.assertLessEqual(redundancy.left_by_parity(loss, group),
                                 redundancy.TOLERATED * 1.001)

    def test_nothing_is_tolerated(self):
        encoder, driver = ulpfec(200, most=70, tolerated=0)
        settled(driver, .05, .3)
        self.assertEqual(encoder.properties["percentage"], 70)

    def test_falls_again(self):
        encoder, driver = ulpfec(200)
        settled(driver, .1, .3)
        driver.told(0, .3, 61.0)
        driver.told(0, .3, 120.0)
        self.assertEqual(encoder.properties["percentage"], 0)

    def test_unknown_round_trip(self):
        encoder, driver = ulpfec(200)
        settled(driver, .05, None)
        self.assertGreater(encoder.properties["percentage"], 0)

    def test_message(self):
        encoder, driver = ulpfec(200)
        info = GstCongestion.CongestionInfo.new(
            GstCongestion.CongestionReason.LOSS)
        info.set_loss(.05)
        info.set_rtt(300 * Gst.MSECOND)
        driver.on_message(None, GstCongestion.congestion_message_new(
            None, info))
        self.assertAlmostEqual(driver.rtt, .3)
        self.assertAlmostEqual(driver.loss, .05)
        before = encoder.properties["percentage"]
        self.assertGreater(before, 0)
        # What is not known, and what is no such message, change nothing.
        driver.on_message(None, GstCongestion.congestion_message_new(
            None, GstCongestion.CongestionInfo.new(
                GstCongestion.CongestionReason.INCREASE)))
        driver.on_message(None, Gst.Message.new_element(
            None, Gst.Structure.new_empty("other")))
        self.assertAlmostEqual(driver.rtt, .3)
        self.assertAlmostEqual(driver.loss, .05, 3)
        self.assertEqual(encoder.properties["percentage"], before)


class Streams(unittest.TestCase):
    def chosen(self, loss, rtt):
        encoder, driver = rows_and_columns()
        settled(driver, loss, rtt)
        return (encoder.properties["enable-row-fec"],
                encoder.properties["enable-column-fec"])

    def test_choice(self):
        self.assertEqual(self.chosen(.05, .04), (False, False))
        self.assertEqual(self.chosen(0, .3), (False, False))
        self.assertEqual(self.chosen(.01, .3), (False, True))
        # Ten to a column leave .0092 of .03, and five to a row .0042.
        self.assertEqual(self.chosen(.03, .3), (True, False))
        self.assertEqual(self.chosen(.1, .3), (True, True))
        self.assertEqual(self.chosen(1, .3), (True, True))


if __name__ == "__main__":
    Gst.init(None)
    unittest.main()
