#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""CPU a packet of pspsink against udpsink and of pspsrc against udpsrc, on
loopback, in turn in one run: ratios with their spread. What making the packets
costs (a fakesink's figure) is measured beside them and subtracted.

    tests/benchmarks/cost.py BUILD_DIR [--runs 5] [--packets 400000]"""

import argparse
import json
import os
import socket
import statistics
import subprocess


class Sinkhole:
    """A bound port that nobody reads: the kernel takes packets, no ICMP."""

    def __enter__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.bind(("127.0.0.1", 0))
        return self.socket.getsockname()[1]

    def __exit__(self, *exception):
        self.socket.close()


def feed(bench, sink, packets, *options):
    with Sinkhole() as port:
        out = subprocess.run(
            [os.path.join(bench, "psp-feed"), "--sink", sink.format(port=port),
             "--packets", str(packets), *options],
            stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(out)


def bare(bench, spacing_us, packets):
    with Sinkhole() as port:
        return json.loads(subprocess.run(
            [os.path.join(bench, "psp-bare"), str(port), str(spacing_us),
             str(packets)], stdout=subprocess.PIPE, text=True,
            check=True).stdout)["cpu_us"]


def take(bench, source, packets, rate):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    receiver = subprocess.Popen(
        [os.path.join(bench, "psp-take"), "--source", source.format(port=port)],
        stdout=subprocess.PIPE, text=True)
    receiver.stdout.readline()
    subprocess.run(
        [os.path.join(bench, "psp-feed"), "--sink",
         "udpsink host=127.0.0.1 port=%d" % port, "--packets", str(packets),
         "--list", "8", "--rate", str(rate)], stdout=subprocess.DEVNULL,
        check=True)
    return json.loads(receiver.communicate(timeout=60)[0])


def spread(values):
    values = sorted(values)
    return "%.2f [%.2f…%.2f]" % (statistics.median(values), values[0],
                                 values[-1])


def compare(name, ours, theirs, base=None):
    """Pairs of runs; base: what is common to both."""
    base = base or [0] * len(ours)
    ratios = [(a - c) / (b - c) for a, b, c in zip(ours, theirs, base)]
    print("%-42s %s µs   %s µs   %s" % (
        name, spread([a - c for a, c in zip(ours, base)]),
        spread([b - c for b, c in zip(theirs, base)]), spread(ratios)),
        flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--packets", type=int, default=400000)
    args = parser.parse_args()
    bench = os.path.join(args.build, "tests", "benchmarks")
    psp = "pspsink host=127.0.0.1 port={port} controller=none"
    udp = "udpsink host=127.0.0.1 port={port}"
    print("%-42s %-22s %-22s ratio, median [min…max]" % (
        "CPU a packet", "psp", "udp"))
    for name, options in (
            ("sink, lists of 49, equal sizes", ("--list", "49")),
            ("sink, lists of 49, no two sizes equal",
             ("--list", "49", "--mixed")),
            ("sink, lists of 8, equal sizes", ("--list", "8")),
            ("sink, single buffers, equal sizes", ("--list", "1"))):
        ours, theirs, base = [], [], []
        for _ in range(args.runs):
            ours.append(feed(bench, psp, args.packets, *options)["cpu_us"])
            theirs.append(feed(bench, udp, args.packets, *options)["cpu_us"])
            base.append(feed(bench, "fakesink", args.packets,
                             *options)["cpu_us"])
        compare(name, ours, theirs, base)
    for spacing in (100, 1000):
        n = 3000000 // spacing
        ours, theirs = [], []
        for _ in range(args.runs):
            ours.append(feed(bench, "pspsink host=127.0.0.1 port={port} "
                             "controller=fixed pacing=sleep spacing=%d"
                             % (spacing * 1000), n, "--list", "8")["cpu_us"])
            theirs.append(bare(bench, spacing, n))
        compare("sink, paced at %d µs, no spinning *" % spacing, ours, theirs)
    for mbit in (20, 200):
        ours, theirs = [], []
        n = min(args.packets // 4, mbit * 1000000 * 3 // 8 // 1316)
        for _ in range(args.runs):
            ours.append(take(bench, "pspsrc address=127.0.0.1 port={port} "
                             "caps=application/x-rtp,clock-rate=90000", n,
                             mbit * 1000000)["cpu_us"])
            theirs.append(take(bench, "udpsrc address=127.0.0.1 port={port} "
                               "caps=application/x-rtp,clock-rate=90000", n,
                               mbit * 1000000)["cpu_us"])
        compare("source at %d Mb/s" % mbit, ours, theirs)
    print("* against a bare C loop of ppoll() and sendto()")


if __name__ == "__main__":
    main()
