#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""How evenly pspsink spaces packets, seen by a receiver across a veth pair
(kernel time stamps), beside a bare C loop that keeps the same schedule: what
the machine itself does to such a loop (stalls of a hypervisor) shows in both.
All take turns in each run. Needs root for SCHED_FIFO and the network
namespaces, which it makes and removes.

    tests/benchmarks/pacing.py BUILD_DIR [--seconds 3] [--runs 3]
        [--json FILE]

realtime: SCHED_FIFO and no idle states; auto: SCHED_FIFO alone; sleep:
neither. bare-realtime is SCHED_FIFO with a fixed spin of 30 µs."""

import argparse
import json
import os
import statistics
import subprocess
import sys

from pspbench.figures import Figures, add_option
from pspbench.namespaces import VethPair

SPACINGS_US = [50, 100, 200, 500, 1000, 1500, 5000]
SIZE = 1200


WAYS = ["bare-realtime", "auto", "realtime", "bare-sleep", "sleep"]


def sender(bench, pair, way, spacing_us, packets):
    if way.startswith("bare-"):
        return [os.path.join(bench, "psp-bare"), pair.address_b, "5004",
                str(spacing_us), str(packets), str(SIZE),
                way[len("bare-"):]]
    sink = ("pspsink host=%s port=5004 controller=fixed spacing=%d pacing=%s "
            "max-queue-time=200000000" % (pair.address_b, spacing_us * 1000,
                                          way))
    return [os.path.join(bench, "psp-feed"), "--sink", sink, "--packets",
            str(packets), "--size", str(SIZE), "--list", "8"]


def measure(build, pair, way, spacing_us, seconds):
    packets = max(300, min(int(seconds * 1e6 / spacing_us), 100000))
    bench = os.path.join(build, "tests", "benchmarks")
    receiver = subprocess.Popen(
        pair.in_b([os.path.join(bench, "psp-arrivals"), "5004", str(packets)]),
        stdout=subprocess.PIPE, text=True)
    receiver.stdout.readline()          # ready
    sent = subprocess.run(
        pair.in_a(sender(bench, pair, way, spacing_us, packets)),
        stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(receiver.communicate(timeout=30)[0])
    result["cpu_us"] = json.loads(sent.stdout)["cpu_us"]
    return result


def median(runs, key):
    return statistics.median(r[key] for r in runs)


def note(figures, spacing, way, runs):
    for key, what in (("deviation99_us", "sd of middle 99 %"),
                      ("cpu_us", "CPU a packet")):
        figures.add("%d µs, %s: %s" % (spacing, way, what), median(runs, key),
                    "µs")


def report(spacing, way, runs):
    sds = sorted(r["deviation_us"] for r in runs)
    mean = median(runs, "mean_us")
    print("%5d  %-13s %9.2f (%+.2f %%) %7.1f [%.1f…%.1f] %8.1f %8.1f %8.1f "
          "%6.1f" % (spacing, way, mean, 100 * (mean / spacing - 1),
                     statistics.median(sds), sds[0], sds[-1],
                     median(runs, "deviation99_us"), median(runs, "p99_us"),
                     median(runs, "max_us"), median(runs, "cpu_us")),
          flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--spacings", type=int, nargs="*", default=SPACINGS_US)
    parser.add_argument("--ways", nargs="*", default=WAYS, choices=WAYS)
    add_option(parser)
    args = parser.parse_args()
    figures = Figures()
    if os.geteuid() != 0:
        sys.exit("skipped: network namespaces need root")
    print("all µs          mean (error)       sd, median [min…max]  sd of "
          "middle 99 %  p99  max  CPU a packet")
    with VethPair() as pair:
        for spacing in args.spacings:
            runs = {way: [] for way in args.ways}
            for _ in range(args.runs):
                for way in args.ways:
                    runs[way].append(measure(args.build, pair, way, spacing,
                                             args.seconds))
            for way in args.ways:
                report(spacing, way, runs[way])
                note(figures, spacing, way, runs[way])
    figures.write(args.json)


if __name__ == "__main__":
    main()
