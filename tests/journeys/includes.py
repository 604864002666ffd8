# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Which files know a codec, or a wire format: they include a header of it,
directly or through other headers."""

import os
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)

# What is about 13818-2's syntax, whatever the folder and its prefix are: what
# is read or written bit by bit, headers, slices, macroblocks.
CODEC = {"bitreader.h", "bitwriter.h", "bits.h", "blockreader.h",
         "blockwriter.h", "coding.h", "headers.h", "macroblock.h",
         "quantmatrix.h", "scan.h", "slicereader.h", "slicewriter.h",
         "splitter.h", "vlc.h"}
# RTP, RTCP and its feedback.
WIRE = {"bytes.h", "ccfb.h", "rtcp.h", "rtcpfeedback.h", "rtp.h"}

# Folders, old and new, of what scales video and of what controls congestion.
SCALER = ["gst/mpeg", "gst/mpegscaler", "gst-libs/scaling",
          "gst-libs/ratecontrol", "gst-libs/startcode", "gst-libs/mpeg2",
          "gst-libs/mpeg2requantize", "gst-libs/mpeg2scaling",
          "gst-libs/follow", "gst/follow"]
CONTROL = ["gst/psp/core", "gst-libs/control", "gst-libs/rtpfeedback",
           "gst-libs/recording"]


class Tree:
    def __init__(self, root):
        self.root, self.included = root, {}

    def files(self, folders):
        for folder in folders:
            top = os.path.join(self.root, folder)
            for at, _, names in sorted(os.walk(top)):
                for name in sorted(names):
                    if name.endswith((".c", ".h")):
                        yield os.path.relpath(os.path.join(at, name), self.root)

    def includes(self, file):
        """Headers of the tree that it includes itself."""
        if file not in self.included:
            with open(os.path.join(self.root, file)) as f:
                names = INCLUDE.findall(f.read())
            found = (self._find(file, name) for name in names)
            self.included[file] = [path for path in found if path]
        return self.included[file]

    def _find(self, file, name):
        here = os.path.dirname(file)
        for folder in [here, os.path.dirname(here), "gst-libs", "gst"]:
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(os.path.join(self.root, path)):
                return path
        return None

    def closure(self, file):
        """The file and all that it includes."""
        found, waiting = set(), [file]
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += self.includes(at)
        return found

    def knows(self, file, headers, folders):
        return any(os.path.basename(f) in headers and
                   any(f.startswith(folder + "/") for folder in folders)
                   for f in self.closure(file))

    def lines(self, file):
        with open(os.path.join(self.root, file)) as f:
            return sum(1 for _ in f)


def table(tree, what, headers, folders):
    rows = {}
    for file in tree.files(folders):
        row = rows.setdefault(os.path.dirname(file), [0, 0, 0, 0])
        knows = 2 * tree.knows(file, headers, folders)
        row[knows] += 1
        row[knows + 1] += tree.lines(file)
    rows["all"] = [sum(column) for column in zip(*rows.values())]
    return ["| folder | files that know no %s | lines | files that do | lines |"
            % what, "|---|---|---|---|---|"] + [
                "| %s | %d | %d | %d | %d |" %
                ("all" if folder == "all" else "`%s`" % folder, *row)
                for folder, row in rows.items()]


def report(root):
    tree = Tree(root)
    return ["", "## H.264 in the scaler: who knows 13818-2", "",
            *table(tree, "codec", CODEC, SCALER),
            "", "## A second transport: who knows the wire", "",
            *table(tree, "wire", WIRE, CONTROL)]
