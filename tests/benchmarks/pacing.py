#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""How evenly pspsink spaces packets, seen by a receiver across a veth pair
(kernel time stamps), with SCHED_FIFO and without. Needs root for the network
namespaces, which it makes and removes.

    tests/benchmarks/pacing.py BUILD_DIR [--seconds 3] [--runs 3]"""

import argparse
import json
import os
import statistics
import subprocess
import sys

from pspbench.namespaces import VethPair

SPACINGS_US = [50, 100, 200, 500, 1000, 1500, 5000]
SIZE = 1200


def measure(build, pair, spacing_us, pacing, seconds):
    packets = max(300, min(int(seconds * 1e6 / spacing_us), 100000))
    bench = os.path.join(build, "tests", "benchmarks")
    receiver = subprocess.Popen(
        pair.in_b([os.path.join(bench, "psp-arrivals"), "5004", str(packets)]),
        stdout=subprocess.PIPE, text=True)
    receiver.stdout.readline()          # ready
    sink = ("pspsink host=%s port=5004 controller=fixed spacing=%d pacing=%s "
            "max-queue-time=200000000" % (pair.address_b, spacing_us * 1000,
                                          pacing))
    sender = subprocess.run(
        pair.in_a([os.path.join(bench, "psp-feed"), "--sink", sink,
                   "--packets", str(packets), "--size", str(SIZE),
                   "--list", "8"]),
        stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(receiver.communicate(timeout=30)[0])
    result["cpu_us"] = json.loads(sender.stdout)["cpu_us"]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--spacings", type=int, nargs="*", default=SPACINGS_US)
    args = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("skipped: network namespaces need root")
    print("spacing   pacing      mean (error)        sd median [min…max]"
          "    p99     CPU a packet")
    with VethPair() as pair:
        for pacing in ("realtime", "sleep"):
            for spacing in args.spacings:
                runs = [measure(args.build, pair, spacing, pacing,
                                args.seconds) for _ in range(args.runs)]
                sds = sorted(r["deviation_us"] for r in runs)
                mean = statistics.median(r["mean_us"] for r in runs)
                print("%5d µs  %-8s %9.2f µs (%+.2f %%)  %7.1f [%.1f…%.1f] µs"
                      " %8.1f µs  %5.1f µs" % (
                          spacing, pacing, mean,
                          100 * (mean / spacing - 1), statistics.median(sds),
                          sds[0], sds[-1],
                          statistics.median(r["p99_us"] for r in runs),
                          statistics.median(r["cpu_us"] for r in runs)),
                      flush=True)


if __name__ == "__main__":
    main()
