#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What counts as a line of code."""

import unittest

import codelines


class CodeLines(unittest.TestCase):
    def test_comments_and_blanks(self):
        self.assertEqual(codelines.count(
            "/* A file.\n *\n * And more. */\n\n  \nint a;  /* one */\n"
            "// none\nint /* in\n between */ b;\n"), 3)

    def test_strings(self):
        self.assertEqual(codelines.count(
            'f ("/*");\nint a;\ng ("*/", \'"\');\nh ("\\"/*");\nint b;\n'), 5)

    def test_folders(self):
        self.assertEqual(codelines.folder_of("gst/psp/net/udp.c"), "gst/psp")
        self.assertEqual(
            codelines.folder_of("gst-libs/gst/congestion/congestion.c"),
            "gst-libs/gst/congestion")
        self.assertTrue(codelines.is_counted("ext/a/b.h"))
        self.assertFalse(codelines.is_counted("tests/check/a.c"))


if __name__ == "__main__":
    unittest.main()
