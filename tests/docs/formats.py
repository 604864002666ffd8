#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Checks that each launch line fixes the format of the pictures that x264enc
or x265enc gets. Without it they take 4:4:4 of a source that has it, and few
decoders but FFmpeg's play that. A format counts that stands between the source
and the encoder; `…` stands for what a page leaves out, a format included.

    tests/docs/formats.py [FILE…]   these, and not all that users may copy"""

import glob
import os
import re
import sys

import pages

PLACES = ("Containerfile", "gst/*/*.c", "ext/*/*.c", "pipelines/*.sh",
          "debian/tests/*", "tests/link/README.md", "tests/examples/*.c",
          "tests/examples/*.py", "tests/demos/*.py")
ENCODER = re.compile(r"(?:!\s+|_encoder=\")x26[45]enc\b(?!\")")
BEGINS = re.compile(r"\b(\w+src|decodebin|uridecodebin)\b|…")
FORMAT = re.compile(r"\bvideo/x-raw,[^!]*\bformat=(?:\(string\))?I420\b")


def joined(text):
    """Without what stands between the parts of a line in shell, C and Python,
    and in a comment of C."""
    return re.sub(r"\"?\s*\\?\n(?:[ #]|\* )*\"?", " ", text)


def faults(path):
    text = joined(pages.read(path))
    for encoder in ENCODER.finditer(text):
        before = text[:encoder.start()]
        source = [m for m in BEGINS.finditer(before)][-1:]
        begin = source[0].start() if source else 0
        if source and source[0].group() == "…":
            continue
        if not FORMAT.search(before, begin):
            yield text[max(begin, encoder.start() - 200):encoder.end()]


def main():
    paths = sys.argv[1:] or pages.for_users() + [
        path for place in PLACES
        for path in sorted(glob.glob(os.path.join(pages.TOP, place)))]
    found = [(path, line) for path in paths for line in faults(path)]
    for path, line in found:
        print("%s: no format before the encoder:\n    %s"
              % (pages.shown(path), line))
    print("%d files, %d lines without a format" % (len(paths), len(found)))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
