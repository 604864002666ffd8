#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What screenshot.py takes for a picture of a source, and what not."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy  # noqa: E402
import screenshot  # noqa: E402


def source(seed, count=5):
    """Coarse coloured blocks, as a clip's pictures are when they are small."""
    blocks = numpy.random.default_rng(seed).integers(
        0, 256, (count, 9, 16, 3), numpy.uint8)
    return blocks.repeat(10, axis=1).repeat(10, axis=2)


class Shown(unittest.TestCase):
    def setUp(self):
        self.clip = source(1)
        noise = numpy.random.default_rng(2).normal(0, 6, self.clip[0].shape)
        self.seen = (self.clip[3] + noise).clip(0, 255).astype(numpy.uint8)

    def shown(self, picture):
        number, alike, colour = screenshot.best(picture, self.clip)
        return screenshot.is_shown(alike, colour)

    def test_a_picture_with_noise(self):
        self.assertEqual(screenshot.best(self.seen, self.clip)[0], 3)
        self.assertTrue(self.shown(self.seen))

    def test_a_screen_of_one_colour(self):
        for level in (0, 128, 255):
            self.assertFalse(self.shown(numpy.full_like(self.seen, level)))

    def test_no_colours(self):
        grey = self.seen.mean(axis=2, keepdims=True).astype(numpy.uint8)
        self.assertFalse(self.shown(grey.repeat(3, axis=2)))

    def test_other_colours(self):
        self.assertFalse(self.shown(self.seen[:, :, ::-1]))

    def test_another_clip(self):
        self.assertFalse(self.shown(source(7)[0]))

    def test_upside_down(self):
        self.assertFalse(self.shown(self.seen[::-1]))

    def test_moved(self):
        self.assertFalse(self.shown(numpy.roll(self.seen, 20, axis=1)))


if __name__ == "__main__":
    unittest.main()
