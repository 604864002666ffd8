#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Quality of what mpegscaler recodes, stream by stream: PSNR of luma against
the decoded source, less that of FFmpeg's re-encode at exactly the same rate.

    [MPEG_MEDIA_DIR=DIR] tests/benchmarks/mpegquality.py BUILD_DIR --work DIR
        [--streams A,B] [--jobs 2] [--docs]

Streams are those of MPEG_MEDIA_DIR (else of tests/files) and those that FFmpeg,
mpeg2enc and, if it is in the path, TM5's mpeg2encode make (pspbench/madestreams.py),
but joins of two sizes. At 75, 50 and 35 % of their rates, all pictures: the closed
loop beside FFmpeg's default, and with RD, and with RD and vectors chosen in all
P and B, beside FFmpeg's `-mbd rd -trellis 1`. Where the closed loop is more than 1, 1 and
1.5 dB below, mpegtranscoder, too. The floor is what the coarsest quantiser leaves:
mostly vectors, types and DC. A rate that one of them does not reach is marked *, and
is not pooled.

--work keeps streams and results, so that a run can be stopped and goes on later.
--docs writes the table into docs/evidence/recoding.md. All takes an hour of two
processors."""

import argparse
import concurrent.futures
import glob
import os
import statistics
import sys

from pspbench import madestreams
from pspbench.plugins import find_plugins
from pspbench.ratedistortion import Points, at_share
from pspbench.recoders import Own, Recoder, Source, own, peers, run

SHARES = [.75, .5, .35]
LEAST = {.75: -1, .5: -1, .35: -1.5}    # dB
PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "evidence",
                    "recoding.md")
BEGIN, END = "<!-- quality by stream -->\n", "<!-- end -->"


class Transcoder(Recoder):
    def __init__(self):
        super().__init__("transcoder", "mpegtranscoder", "gst-launch-1.0",
                         "gstreamer1.0-tools")

    def stages(self, source, path, out, rate, share):
        return [[self.program, "-q", "filesrc", "location=" + path, "!",
                 "mpegvideoparse", "!", "mpegtranscoder",
                 "follow-events=false", "target-bitrate=%d" % rate, "!",
                 "filesink", "location=" + out]]


class Floor(Own):
    """The least that requantizing comes to."""

    def share(self, source):
        out = source.path + ".floor"
        run(self.stages(source, source.path, out, 1, 0))
        return os.path.getsize(out) / os.path.getsize(source.path)


class Row:
    def __init__(self, source, coders, floor, work):
        self.name, self.rate, self.psnr, self.reached = (
            source.name, source.rate, {}, {})
        self.floor = floor.share(source)
        # A file of its own: rows are made side by side.
        points = Points(os.path.join(work, source.name))
        for share in SHARES:
            for coder in coders:
                self.measure(source, coder, share, points)
            if self.is_beyond(share):
                self.measure(source, Transcoder(), share, points)

    def measure(self, source, coder, share, points):
        found = at_share(source, coder, share, points)
        self.psnr[coder.key, share] = found["psnr"]
        self.reached[coder.key, share] = found["reached"]

    def gain(self, coder, peer, share):
        """dB, and whether both reach the rate."""
        return (self.psnr[coder, share] - self.psnr[peer, share],
                self.reached[coder, share] and self.reached[peer, share])

    def is_beyond(self, share):
        gain, reached = self.gain("closed", "ffmpeg", share)
        return reached and gain < LEAST[share]

    def cell(self, coder, peer, share):
        if (coder, share) not in self.psnr:
            return ""
        gain, reached = self.gain(coder, peer, share)
        beyond = coder == "closed" and self.is_beyond(share)
        return ("**%+.1f**" if beyond else "%+.1f") % gain + \
            ("" if reached else "*")

    def __str__(self):
        return "| %s | %.0f | %.0f %% | %s |" % (
            self.name, self.rate / 1000, 100 * self.floor,
            " | ".join(" / ".join(self.cell(coder, peer, share)
                                  for share in SHARES).strip(" /")
                       for coder, peer in (("closed", "ffmpeg"),
                                           ("closed-rd", "ffmpeg-rd"),
                                           ("closed-rd-vectors", "ffmpeg-rd"),
                                           ("transcoder", "ffmpeg"))))


def pooled(rows, coder, peer):
    """The mean of all streams that reach the rate, each one vote."""
    cells = []
    for share in SHARES:
        gains = [gain for gain, reached in (
            row.gain(coder, peer, share) for row in rows) if reached]
        cells.append("%+.2f (%d)" % (statistics.fmean(gains), len(gains))
                     if gains else "–")
    return " / ".join(cells)


def mean(what, rows):
    return "| mean of %s (streams that reach the rate) | | | %s | %s | %s | |" % (
        what, pooled(rows, "closed", "ffmpeg"),
        pooled(rows, "closed-rd", "ffmpeg-rd"),
        pooled(rows, "closed-rd-vectors", "ffmpeg-rd"))


def table(rows):
    beyond = [sum(row.is_beyond(share) for row in rows) for share in SHARES]
    return "\n".join([
        "| stream | kb/s | floor | closed loop, dB at 75 / 50 / 35 % "
        "| with RD | RD, all vectors | mpegtranscoder |",
        "|---|---|---|---|---|---|---|",
        *map(str, rows),
        mean("files", [row for row in rows
                       if row.name not in madestreams.names()]),
        mean("all", rows),
        "", "Beyond −1, −1 and −1.5 dB: %d, %d and %d of %d streams." % (
            *beyond, len(rows)), ""])


def find(args):
    media = os.environ.get("MPEG_MEDIA_DIR") or madestreams.FILES
    found = [(os.path.basename(p).split("_")[0].split("-")[0], p)
             for p in sorted(glob.glob(os.path.join(media, "*.m[12]v")))]
    found += madestreams.make(os.path.join(args.work, "made"),
                              [n for n in madestreams.names()
                               if n not in madestreams.JOINS])
    return [(n, p) for n, p in found if not args.streams or n in args.streams]


def make_row(args, name, path):
    coders = peers()[:2] + own(args.build)[1:]
    floor = Floor("floor", "floor", args.build, "--drift=p")
    folder = os.path.join(args.work, name)
    os.makedirs(folder, exist_ok=True)
    try:
        row = Row(Source(name, path, args.work), coders, floor, args.work)
    except (RuntimeError, ValueError, statistics.StatisticsError) as error:
        print("%s: not compared: %s" % (name, error), file=sys.stderr)
        return None
    print(row, flush=True)
    return row


def write(text):
    with open(PAGE) as f:
        page = f.read()
    before, rest = page.split(BEGIN)
    with open(PAGE, "w") as f:
        f.write(before + BEGIN + "\n" + text + "\n" + rest[rest.index(END):])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--work", required=True)
    parser.add_argument("--streams", type=lambda s: s.split(","))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--docs", action="store_true")
    args = parser.parse_args()
    if args.docs and args.streams:
        parser.error("--docs takes all streams")
    find_plugins(args.build)
    os.makedirs(args.work, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        rows = [row for row in pool.map(lambda s: make_row(args, *s),
                                        find(args)) if row]
    text = table(rows)
    print("\n" + text)
    if args.docs:
        write(text)


if __name__ == "__main__":
    main()
