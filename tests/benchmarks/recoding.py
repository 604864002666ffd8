#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Recoding to less rate: quality against the decoded source at equal rate, the
rate kept, and cost, beside decoding and encoding anew.

    MPEG_MEDIA_DIR=DIR tests/benchmarks/recoding.py BUILD_DIR [--docs]
        [--parts quality,cost,drift,large,groups] [--work DIR] [--quick] [--rounds 3]
        [--json FILE]

--docs writes what was measured into docs/evidence/performance.md, between its marks.
--work keeps streams and results: the next run only repeats what has changed
(costs are always measured anew). --parts groups prints how far single groups of
all streams miss the target, and is not in the document."""

import argparse
import os
import statistics
import sys
import tempfile

from pspbench import recodingextras, recodinggroups, recodingreport
from pspbench.figures import HIGHER, Figures, add_option
from pspbench.ratedistortion import Points, at_share
from pspbench.recoders import STREAMS, find_sources, own, peers

SHARES = [.75, .5, .35]
# Of each stream, which is looped for it. The kernel may count user time in ticks
# of 4 ms: a run of fewer would not be many of them.
COST_FRAMES = {"SD": 500, "CIF": 1500}


def measure_quality(args, sources, coders):
    """{(coder, stream, share): what at_share returns}"""
    points, found = Points(args.work), {}
    for source in sources:
        for coder in coders:
            for share in args.shares:
                if not coder.takes(source):
                    continue
                row = at_share(source, coder, share, points)
                found[coder.key, source.name, share] = row
                print("%s %-10s %2.0f %%: %6.3f dB %.4f, asked once %+5.1f %%"
                      "%s" % (source.name, coder.key, 100 * share, row["psnr"],
                              row["ssim"], 100 * row["asked"],
                              "" if row["reached"] else ", rate not reached"),
                      flush=True)
    return found


def measure_cost(args, sources, coders):
    """{(coder, stream, share): user ms a frame, run by run}; in each round
    everything is run once."""
    found = {}
    for n in range(args.rounds):
        for source in sources:
            path, frames = source.looped(COST_FRAMES[source.set])
            for share in args.shares:
                for coder in coders:
                    if not coder.takes(source) or coder.slow and n or \
                            coder.slow == 2 and share != .5:
                        continue
                    taken = coder.cost(source, path, share)
                    found.setdefault((coder.key, source.name, share),
                                     []).append(1e3 * taken / frames)
        print("round %d of %d" % (n + 1, args.rounds), flush=True)
    return found


def note(figures, parts):
    """Of our own recoder only: the peers are the same whatever the build."""
    for (coder, stream, share), row in parts.get("quality", {}).items():
        where = "%s, %s at %.0f %%" % (coder, stream, 100 * share)
        figures.add(where + ": PSNR", row["psnr"], "dB", HIGHER)
        figures.add(where + ": SSIM", row["ssim"], "", HIGHER)
    for (coder, stream, share), runs in parts.get("cost", {}).items():
        figures.add("%s, %s at %.0f %%: user time a frame" % (
            coder, stream, 100 * share), statistics.median(runs), "ms")


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--parts", default="quality,cost,drift,large")
    parser.add_argument("--work")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--quick", action="store_true",
                        help="one CIF and one SD stream, at 50 %%")
    parser.add_argument("--streams", default=",".join(STREAMS))
    parser.add_argument("--coders", help="of those found, these")
    parser.add_argument("--rounds", type=int, default=3, help="of the costs")
    add_option(parser)
    args = parser.parse_args()
    args.shares, args.streams = SHARES, args.streams.split(",")
    if args.quick:
        args.shares, args.streams = [.5], ["p03", "p04"]
    if args.docs and (args.coders or args.streams != list(STREAMS)):
        parser.error("--docs takes all streams and coders")
    return args


def choose(args):
    coders = peers() + own(args.build)
    for coder in coders:
        if coder.missing:
            print(coder.missing, file=sys.stderr)
    if coders[0].missing:
        raise SystemExit("without FFmpeg there is nothing to compare with")
    wanted = args.coders and args.coders.split(",") + [coders[0].key]
    return [c for c in coders
            if not c.missing and (not wanted or c.key in wanted)]


def benchmark(args):
    if "groups" in args.parts:
        print(recodinggroups.report(
            recodinggroups.measure(args.build, args.shares), args.shares))
        if args.parts == "groups":
            return
    coders = choose(args)
    sources, missing = find_sources(
        args.streams, os.environ.get("MPEG_MEDIA_DIR"), args.work)
    if missing:
        print("not in MPEG_MEDIA_DIR: " + ", ".join(missing), file=sys.stderr)
    mine = [c for c in coders if c.own]
    parts, figures = {}, {}
    if "quality" in args.parts:
        found = measure_quality(args, sources, coders)
        figures["quality"] = found
        parts["quality"] = recodingreport.quality(found, sources, coders,
                                                  args.shares)
        if args.docs:
            recodingreport.plot(found, sources, coders, args.shares)
    if "cost" in args.parts:
        found = measure_cost(args, sources, coders)
        figures["cost"] = found
        parts["cost"] = recodingreport.cost(found, sources, coders,
                                            args.shares, args.rounds)
    if "drift" in args.parts:
        parts["drift"] = recodingreport.drift(
            recodingextras.drift(args, sources, mine, Points(args.work)), mine)
    if "large" in args.parts:
        parts["large"] = recodingreport.large(
            *recodingextras.large(args, sources, mine), mine, args.shares)
    for part, text in parts.items():
        print("\n" + text)
        if args.docs:
            recodingreport.write(part, text)
    keys, told = [c.key for c in mine], Figures()
    note(told, {part: {key: row for key, row in found.items()
                       if key[0] in keys} for part, found in figures.items()})
    told.write(args.json)


def main():
    args = parse()
    if args.work:
        os.makedirs(args.work, exist_ok=True)
        benchmark(args)
    else:
        with tempfile.TemporaryDirectory() as args.work:
            benchmark(args)


if __name__ == "__main__":
    main()
