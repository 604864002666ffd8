# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What recoding.py tries on streams that FFmpeg makes first: drift in long
groups, and large pictures."""

import os
import statistics
import subprocess

from .ratedistortion import at_share
from .recoders import Source

LONG_GROUP = 48
DRIFT_STREAMS = ["p01", "p03", "p04", "p13"]
DRIFT_SHARE = .5


def make(work, name, source, *options):
    """A source of that name: the other's pictures, coded anew."""
    path = os.path.join(work, name + ".m2v")
    if not os.path.exists(path):
        part = path + ".new"
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-i",
                        source.path, "-an", "-c:v", "mpeg2video", "-bf", "2",
                        *options, "-f", "mpeg2video", part], check=True)
        os.replace(part, path)
    return Source(name, path, work)


def drift(args, sources, coders, points):
    """[(name, PSNR of each coder at DRIFT_SHARE)] with groups of
    LONG_GROUP."""
    rows = []
    for source in sources:
        if source.name not in DRIFT_STREAMS:
            continue
        long = make(args.work, "%s-n%d" % (source.name, LONG_GROUP), source,
                    "-r", str(source.fps), "-vf", "settb=%s,setpts=N" % (
                        1 / source.fps), "-g", str(LONG_GROUP),
                    "-b:v", "%d" % source.rate, "-maxrate",
                    "%d" % (2 * source.rate), "-bufsize", "%d" % source.rate)
        rows.append((source.name, [at_share(long, c, DRIFT_SHARE,
                                            points)["psnr"] for c in coders]))
        print("drift", *rows[-1], flush=True)
    return rows


def large(args, sources, coders):
    """Times real time that each coder takes at each share for 1920x1080, 30
    frames/s, 8 Mb/s; and the rate in fact."""
    source = next(s for s in sources if s.name in ("p04", "p03"))
    # A fixed quantiser or a low rate would not do: it must have 8 Mb/s.
    made = make(args.work, "large", source, "-t", "8", "-vf",
                "settb=1/30,setpts=N,scale=1920:1080", "-r", "30", "-g", "15",
                "-b:v", "8M", "-minrate", "8M", "-maxrate", "8M", "-bufsize",
                "2M")
    found = {}
    for _ in range(args.rounds):
        for coder in coders:
            for share in args.shares:
                taken = coder.cost(made, made.path, share)
                found.setdefault((coder.key, share), []).append(
                    made.seconds / taken)
    return made.rate, {key: (statistics.median(runs), min(runs), max(runs))
                       for key, runs in found.items()}
