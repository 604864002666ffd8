#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Which H.264 pictures can be decoded, on streams of headers alone."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from pspbench.h264video import (decodable, nal_headers,  # noqa: E402
                                slice_header, structure)

DELIMITER = b"\0\0\0\1\x09\xf0"
PARAMETERS = b"\0\0\0\1\x67\0\0\0\1\x68\0"
IDR, P, B = (DELIMITER + PARAMETERS + b"\0\0\1\x65\x88",
             DELIMITER + b"\0\0\1\x41\x9a", DELIMITER + b"\0\0\1\x01\x9e")
# Coded order, and the places in the order of display.
UNITS = [IDR, P, B, B, P, B, IDR, P, B]
DISPLAYS = [0, 3, 1, 2, 5, 4, 6, 8, 7]


class Headers(unittest.TestCase):
    def test_nal_units(self):
        self.assertEqual(nal_headers(IDR), [0x09, 0x67, 0x68, 0x65])
        self.assertEqual(nal_headers(b"\0\0\1"), [])

    def test_slices(self):
        self.assertEqual(slice_header(IDR), (3, True))
        self.assertEqual(slice_header(P), (2, False))
        self.assertEqual(slice_header(B), (0, False))
        with self.assertRaises(ValueError):
            slice_header(DELIMITER)


class Structure(unittest.TestCase):
    def setUp(self):
        self.pictures = structure(UNITS, DISPLAYS)

    def without(self, *displays, n=len(UNITS)):
        return sorted(decodable(self.pictures, n,
                                lambda d: d not in displays))

    def test_references(self):
        self.assertEqual([p.references for p in self.pictures],
                         [[], [0], [0, 1], [0, 1], [1], [1, 4],
                          [], [6], [6, 7]])
        self.assertEqual([p.key for p in self.pictures],
                         [k in (0, 6) for k in range(9)])

    def test_all(self):
        self.assertEqual(self.without(), list(range(9)))

    def test_lost(self):
        self.assertEqual(self.without(1), [0, 2, 3, 4, 5, 6, 7, 8])
        self.assertEqual(self.without(3), [0, 6, 7, 8])
        self.assertEqual(self.without(5), [0, 1, 2, 3, 6, 7, 8])
        self.assertEqual(self.without(0), [6, 7, 8])
        self.assertEqual(self.without(6), [0, 1, 2, 3, 4, 5])

    def test_loops(self):
        """In the second loop, what was lost in the first is there."""
        self.assertEqual(self.without(0, n=12), [6, 7, 8, 9, 10, 12])


if __name__ == "__main__":
    unittest.main()
