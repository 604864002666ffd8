#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""How closely mpegscaler keeps to a target rate: every stream of tests/files,
of MPEG_MEDIA_DIR and those that FFmpeg, mpeg2enc and, if it is in the path, TM5's
mpeg2encode make, at 75, 50, 35, 25 and 15 % of its rate without stuffing.

    [MPEG_MEDIA_DIR=DIR] tests/benchmarks/mpegrates.py BUILD_DIR
        [--cache DIR] [--streams A,B] [--ways auto,closed,open] [--floors]
        [--short] [--all]

Steady: all whole groups from the third on. Each: the worst of them that is as
long as the one before, and of less than twice its bits. First: the first group. Clip: the first 1.5 s alone. All are per cent beyond what is
asked for, which is the target, but of a group that itself has less that, and of
one whose floor is above the target the floor: what a pass of its own at the
coarsest quantiser comes to, in `auto` that of the I alone. Rows that miss
are marked: 3 % steady, 8 % each, 5 % first and 10 % clip, the last two where
the target is at least 1.2 times the floor of all frames. --all prints the others
too, --floors the table of floors instead. --short takes few streams, and fails
where one is not steady within 5 %: other FFmpegs make other streams."""

import argparse
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

from pspbench import madestreams

SHARES = [.75, .5, .35, .25, .15]
WAYS = {"auto": ["--auto=1"], "closed": ["--drift=p"], "open": ["--drift=off"]}
STEADY, EACH, FIRST, CLIP = .03, .08, .05, .1
SHORT_STEADY = .05
CLIP_SECONDS = 1.5
FREE = 2                # groups before it is steady
ROOM = 1.2              # times the floor, where first groups and clips count


class Stream:
    def __init__(self, program, name, path):
        self.program, self.name, self.path = program, name, path
        self.floors = {way: self.recode(1, options) for way, options in (
            ("auto", ["--scale=0"]), ("closed", ["--drift=p"]),
            ("open", ["--drift=off"]))}
        whole = self.floors["open"]
        self.rate = mean(whole, "rate_in", 0, len(whole))

    def recode(self, rate, options, seconds=0):
        return json.loads(subprocess.run(
            [self.program, *options, "--seconds=%f" % seconds, self.path,
             os.devnull, "%d" % max(1, rate)], check=True,
            stdout=subprocess.PIPE).stdout)["groups"]


def mean(groups, key, begin, end):
    seconds = sum(g["seconds"] for g in groups[begin:end])
    return sum(g[key] * g["seconds"] for g in groups[begin:end]) / seconds \
        if seconds else 0


def wanted(group, floor, target):
    """Of a group."""
    return max(min(target, group["rate_in"]), floor["rate"])


def foreseen(before, group):
    """Nobody can know at its beginning that it is of another length, or of
    another scene."""
    return abs(group["seconds"] - before["seconds"]) < .002 and \
        before["rate_in"] / 2 < group["rate_in"] < 2 * before["rate_in"]


def beyond(groups, floors, target, begin, end):
    """Sent over what is asked for, less 1; None: there are no groups."""
    pairs = list(zip(groups, floors))[begin:end]
    if not pairs:
        return None
    asked = sum(wanted(g, f, target) * g["seconds"] for g, f in pairs)
    return sum(g["rate"] * g["seconds"] for g in groups[begin:end]) / asked - 1


class Row:
    def __init__(self, stream, share, way):
        self.stream, self.share, self.way = stream, share, way
        target = share * stream.rate
        floors = stream.floors[way]
        groups = stream.recode(target, WAYS[way])
        n = len(groups) - 1             # the last may have been cut
        self.groups, self.floors, self.target = groups, floors, target
        self.steady = beyond(groups, floors, target, FREE, n)
        each = [beyond(groups, floors, target, i, i + 1)
                for i in range(FREE, n) if foreseen(groups[i - 1], groups[i])]
        self.each = max(each, key=abs) if each else None
        self.at_floor = n > FREE and mean(floors, "rate", FREE, n) >= target
        self.first = self.clip = None
        self.whole = stream.floors["open" if way == "open" else "closed"]
        if n > 0 and target >= ROOM * self.whole[0]["rate"]:
            self.first = beyond(groups, floors, target, 0, 1)
        if sum(g["seconds"] for g in groups) >= CLIP_SECONDS:
            self.measure_clip(target)
        self.dropped = sum(g["dropped"] for g in groups)
        self.told = sum(g["floor"] for g in groups) / sum(
            g["frames"] for g in groups)

    def measure_clip(self, target):
        groups = self.stream.recode(target, WAYS[self.way], CLIP_SECONDS)
        n = len(groups)
        if target >= ROOM * mean(self.whole, "rate", 0, n):
            asked = sum(min(target, g["rate_in"]) * g["seconds"]
                        for g in groups)
            self.clip = sum(g["rate"] * g["seconds"]
                            for g in groups) / asked - 1

    def marks(self):
        """Below I alone whole groups go."""
        return [not (self.at_floor and self.way == "auto") and value is not None and abs(value) > limit for value, limit in (
            (self.steady, STEADY), (self.each, EACH), (self.first, FIRST),
            (self.clip, CLIP))]

    def __str__(self):
        cells = ["%+.1f%s" % (100 * v, "!" if m else "") if v is not None
                 else "–" for v, m in zip((self.steady, self.each, self.first,
                                           self.clip), self.marks())]
        return "| %s | %s | %.0f %% | %s | %.0f %% | %d |" % (
            self.stream.name, self.way, 100 * self.share, " | ".join(cells),
            100 * self.told, self.dropped)


HEAD = "| stream | way | target | steady | each | first | clip | floor told " \
    "| dropped |\n|---|---|---|---|---|---|---|---|---|"


def find(args):
    media = os.environ.get("MPEG_MEDIA_DIR")
    if args.short:
        found = madestreams.make(args.cache, madestreams.SHORT)
    else:
        found = [(os.path.basename(p).split("_")[0].split("-")[0], p)
                 for p in sorted(glob.glob(os.path.join(
                     media or madestreams.FILES, "*.m[12]v")))]
        if not args.streams:
            found += madestreams.make(args.cache)
        else:
            made = [n for n in args.streams if n in madestreams.names()]
            found += madestreams.make(args.cache, made) if made else []
    return [(n, p) for n, p in found
            if not args.streams or n in args.streams]


def print_floors(streams):
    """What is left at the coarsest quantiser, of the whole stream."""
    print("| stream | kb/s | all frames | I alone |\n|---|---|---|---|")
    for s in streams:
        print("| %s | %.0f | %s %% |" % (s.name, s.rate / 1000, " % | ".join(
            "%.0f" % (100 * mean(s.floors[w], "rate", 0, 10 ** 6) / s.rate)
            for w in ("closed", "auto"))))


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--cache")
    parser.add_argument("--streams", type=lambda s: s.split(","))
    parser.add_argument("--ways", type=lambda s: s.split(","),
                        default=list(WAYS))
    parser.add_argument("--floors", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    if args.short:
        args.ways = ["auto", "closed"]
    return args


def run(args):
    program = os.path.join(args.build, "tests", "benchmarks", "mpeg-recode")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        streams = list(pool.map(lambda s: Stream(program, *s), find(args)))
        if args.floors:
            print_floors(streams)
            return True
        rows = list(pool.map(lambda a: Row(*a), [
            (s, share, way) for s in streams for way in args.ways
            for share in SHARES]))
    print(HEAD)
    for row in rows:
        if args.all or any(row.marks()):
            print(row)
    counts = [sum(row.marks()[i] for row in rows) for i in range(4)]
    print("\n%d rows; missed: steady %d, each %d, first %d, clip %d" % (
        len(rows), *counts))
    return not any(row.marks()[0] and abs(row.steady) > SHORT_STEADY
                   for row in rows)


def main():
    args = parse()
    if args.short and not shutil.which("ffmpeg"):
        print("skipped: no FFmpeg to make streams with")
        sys.exit(77)
    if args.cache:
        ok = run(args)
    else:
        with tempfile.TemporaryDirectory() as args.cache:
            ok = run(args)
    sys.exit(0 if ok or not args.short else 1)


if __name__ == "__main__":
    main()
