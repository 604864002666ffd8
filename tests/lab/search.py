#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Links at random, and on which of them a controller does worst.

    tests/lab/search.py BUILD [--kind alone|schedule|tcp|self] [--number 100]
        [--seed 1] [--controller poise] [--worst 8] [--impaired]

BUILD is Meson's build directory. A link has 100 kb/s to 50 Mb/s, 1 to 250 ms each
way, a queue of 5 to 400 packets or of 20 ms to 2 s and, where the flow is alone or
with --impaired, often losses, jitter, CoDel or reordering. For each figure the worst
are printed, with the command that repeats each. A source may be the cause: `part`
makes .6 of its target, others do not fill a fast link. A hundred links take a minute
or two."""

import argparse
import concurrent.futures
import csv
import math
import os
import random
import shlex
import subprocess

SOURCES = ("plain keys slices noisy even part x264-zerolatency-busy "
           "x264-zerolatency x264-default openh264 vp8 vp9 screen mpegscaler-drop "
           "mpegscaler-requantize mpegscaler-auto").split()
SECONDS = {"alone": 60, "schedule": 100, "tcp": 140, "self": 120}
# Which are judged, and whether more is worse.
FIGURES = {"use": False, "share": False, "Jain": False, "loss%": True,
           "wait95": True}


def between(rng, least, most):
    """As many of each order of magnitude."""
    return math.exp(rng.uniform(math.log(least), math.log(most)))


def queue(rng):
    return rng.choice(["%dp" % between(rng, 5, 400),
                       "%dms" % between(rng, 20, 2000)])


def impairments(rng):
    """Of the way there, and back; none in one of seven."""
    return rng.choice([
        ("", ""),
        (",loss=%.1f%%" % rng.uniform(.2, 8), ""),
        (",gilbert=%.4f:%.2f" % (rng.uniform(.001, .01),
                                 rng.uniform(.1, .6)), ""),
        (",jitter=%dms:normal" % between(rng, 3, 100), ""),
        (",codel", ""),
        (",reorder=%.3f:%dms" % (rng.uniform(.005, .05),
                                 between(rng, 2, 60)), ""),
        ("", ",loss=%d%%" % rng.uniform(5, 40)),
    ])


def rates(rng, rate, seconds):
    steps, at = [], 0
    while at < seconds:
        steps.append("%ds:%d" % (at, rate * rng.choice(
            [.1, .25, .5, .75, 1, 1.5, 2])))
        at += rng.choice([2, 5, 10, 20, 30])
    return "/".join(steps)


def flows(rng, kind):
    source = rng.choice(SOURCES)
    if kind == "tcp":
        first = rng.random() < .5
        return "media:%s@%d %s" % (source, 20 * first, " ".join(
            ["%s@%d" % (rng.choice(["cubic", "reno"]), 10 * (not first))]
            * rng.choice([1, 1, 1, 2])))
    if kind == "self":
        return " ".join("media:%s@%d+%d" % (source, 8 * i,
                                            rng.choice([0, 0, 10, 50]))
                        for i in range(rng.choice([2, 2, 3, 4])))
    return "media:" + source


def make(rng, kind, impaired):
    """The arguments of psp-lab."""
    rate, delay = between(rng, 100e3, 50e6), between(rng, 1, 250)
    there, back = impairments(rng) if impaired else ("", "")
    speed = "schedule=" + rates(rng, rate, SECONDS[kind]) \
        if kind == "schedule" else "rate=%d" % rate
    return ["-L", "%s,delay=%.1fms,queue=%s%s" % (speed, delay, queue(rng),
                                                  there),
            "-B", "delay=%.1fms%s" % (delay, back), "-F", flows(rng, kind),
            "-T", str(SECONDS[kind])]


def run(command):
    """The worse end of each figure, over the seeds."""
    output = subprocess.run(command + ["-r"], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    return {name: float(most if FIGURES[name] else least)
            for _, _, name, _, least, most in csv.reader(output.splitlines())
            if name in FIGURES}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--kind", choices=list(SECONDS), default="alone")
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--controller", default="poise")
    parser.add_argument("--worst", type=int, default=8)
    parser.add_argument("--impaired", action="store_true")
    args = parser.parse_args()
    impaired = args.impaired or args.kind == "alone"
    rng = random.Random(args.seed)
    lab = os.path.join(args.build, "tests", "lab", "psp-lab")
    commands = [[lab, "-c", args.controller, "-s", "1-2"] +
                make(rng, args.kind, impaired) for _ in range(args.number)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(zip(pool.map(run, commands), commands))
    for name, more_is_worse in FIGURES.items():
        rows.sort(key=lambda row: row[0].get(name, 0), reverse=more_is_worse)
        for figures, command in rows[:args.worst]:
            if name in figures:
                print("%-6s %8.3f  %s" % (name, figures[name],
                                          shlex.join(command)))


if __name__ == "__main__":
    main()
