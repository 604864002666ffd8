#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""CPU a packet of pspsink against udpsink and of pspsrc against udpsrc, on
loopback, in turn in one run: ratios with their spread. What making the packets
costs (a fakesink's figure) is measured beside them and subtracted. What the
kernel takes for the same lists, sent either way, is measured too.

Sinks take turns of 2000 packets, a few milliseconds, in one process, and so do
sources, of a tenth of a second: a run's ratio is the median of its turns', and
of the runs the median, the smallest and the largest are told. Where another
tenant keeps the other half of a CPU busy, that CPU's time counts up to 1.7
times as much, from one tenth of a second to the next. `chrt -f 5` before the
command keeps other programs from coming between.

Pacing is set against a bare C loop of ppoll() and sendto(), on loopback, where
the sender pays for the receiving side too, and (root) to a device that drops
everything, which is what it pays where the receiver is another machine.

Under SRTP (AES-128-GCM), what it adds to a packet of pspsink and of pspsrc is set
against libsrtp's protection alone, and all of it against srtpenc ! udpsink and
udpsrc ! srtpdec.

    tests/benchmarks/cost.py BUILD_DIR [--runs 5] [--packets 400000]
        [--turns 20] [--parts sink paced source srtp srtp-source] [--json FILE]"""

import argparse
import json
import os
import socket
import statistics
import subprocess

from pspbench.figures import Figures, add_option
from pspbench.namespaces import DummyLink
from pspbench.plugins import find_plugins


class Sinkhole:
    """A bound port that nobody reads: the kernel takes packets, no ICMP."""

    def __enter__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.bind(("127.0.0.1", 0))
        return self.socket.getsockname()[1]

    def __exit__(self, *exception):
        self.socket.close()


def run(command, what="cpu_us"):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE,
                                     text=True, check=True).stdout)[what]


def feed_command(bench, sink, packets, *options):
    return [os.path.join(bench, "psp-feed"), "--sink", sink, "--packets",
            str(packets), *options]


def spread(values):
    values = sorted(values)
    return "%.2f [%.2f…%.2f]" % (statistics.median(values), values[0],
                                 values[-1])


def note(args, name, ours, ratios):
    """Runs of a row: the microseconds, and the ratio to what is compared."""
    args.figures.add(name, statistics.median(ours), "µs")
    args.figures.add(name + ", of the other's", statistics.median(ratios), "")


def take_turns(bench, packets, options):
    """Medians of a run: ours and theirs without the making, and the ratio."""
    with Sinkhole() as port:
        sinks = ("pspsink host=127.0.0.1 port=%d controller=none" % port,
                 "udpsink host=127.0.0.1 port=%d" % port, "fakesink")
        command = [os.path.join(bench, "psp-feed"), "--packets", str(packets),
                   "--turn", "2000", *options]
        for sink in sinks:
            command += ["--sink", sink]
        turns = run(command, "turns")
    return (statistics.median(a - c for a, b, c in turns),
            statistics.median(b - c for a, b, c in turns),
            statistics.median((a - c) / (b - c) for a, b, c in turns))


def take_bare_turns(bench, packets, size):
    """The same of the system calls alone."""
    with Sinkhole() as port:
        turns = run([os.path.join(bench, "psp-bare-lists"), str(port),
                     str(size), str(packets)], "turns")
    return (statistics.median(a for a, b in turns),
            statistics.median(b for a, b in turns),
            statistics.median(a / b for a, b in turns))


def print_runs(args, name, runs):
    """Ours, theirs and the ratio of each."""
    ours, theirs, ratios = zip(*runs)
    print("%-42s %s µs   %s µs   %s" % (
        name, spread(ours), spread(theirs), spread(ratios)), flush=True)
    note(args, name.rstrip(" *"), ours, ratios)


def measure_sink(bench, args):
    for name, options in (
            ("sink, lists of 49, equal sizes", ("--list", "49")),
            ("sink, lists of 49, no two sizes equal",
             ("--list", "49", "--mixed")),
            ("sink, lists of 8, equal sizes", ("--list", "8")),
            ("sink, single buffers, equal sizes", ("--list", "1"))):
        print_runs(args, name, [take_turns(bench, args.packets, options)
                                for _ in range(args.runs)])
    for size in (49, 8):
        print_runs(args, "the system calls alone, lists of %d **" % size,
                   [take_bare_turns(bench, args.packets, size)
                    for _ in range(args.runs)])


def pace(bench, args, spacing, host, port, inside=lambda command: command):
    """Of pspsink, without the making of its packets, of the bare loop, and
    their ratio."""
    n = int(args.seconds * 1e6 / spacing)
    sink = ("pspsink host=%s port=%d controller=fixed pacing=sleep spacing=%d"
            % (host, port, spacing * 1000))
    ours = run(inside(feed_command(bench, sink, n, "--list", "8")))
    base = run(feed_command(bench, "fakesink", n, "--list", "8"))
    theirs = run(inside([os.path.join(bench, "psp-bare"), host, str(port),
                         str(spacing), str(n)]))
    return ours - base, theirs, (ours - base) / theirs


def measure_paced(bench, args):
    for spacing in args.spacings:
        runs = []
        for _ in range(args.runs):
            with Sinkhole() as port:
                runs.append(pace(bench, args, spacing, "127.0.0.1", port))
        print_runs(args, "sink, paced at %d µs, loopback *" % spacing, runs)
    if os.geteuid() != 0:
        print("paced to a device: skipped, network namespaces need root")
        return
    with DummyLink() as link:
        for spacing in args.spacings:
            print_runs(args, "… at %d µs, to a %s device *" % (spacing,
                                                              link.kind),
                       [pace(bench, args, spacing, link.address, 5004,
                             link.inside) for _ in range(args.runs)])


def take_source_turns(bench, mbit, size, turns):
    """Medians of a run: with feedback, without, theirs, and both ratios."""
    options = "address=127.0.0.1 port=0 caps=application/x-rtp,clock-rate=90000"
    command = [os.path.join(bench, "psp-take"), "--rate", str(mbit * 1000000),
               "--list", str(size), "--turn", str(10 * mbit), "--turns",
               str(turns)]
    for source in ("pspsrc", "pspsrc feedback-interval=0", "udpsrc"):
        command += ["--source", "%s %s" % (source, options)]
    turns = run(command, "turns")
    return (*(statistics.median(costs) for costs in zip(*turns)),
            statistics.median(a / c for a, b, c in turns),
            statistics.median(b / c for a, b, c in turns))


def measure_source(bench, args):
    for mbit, size in ((20, 1), (20, 8), (200, 8)):
        runs = [take_source_turns(bench, mbit, size, args.turns)
                for _ in range(args.runs)]
        ours, silent, theirs, ratio, silent_ratio = zip(*runs)
        name = "source at %d Mb/s, lists of %d" % (mbit, size)
        for row in ((name, ours, ratio),
                    ("… without feedback", silent, silent_ratio)):
            print("%-42s %s µs   %s µs   %s" % (
                row[0], spread(row[1]), spread(theirs), spread(row[2])),
                flush=True)
        note(args, name, ours, ratio)
        note(args, name + ", without feedback", silent, silent_ratio)


def take_srtp_turns(bench, packets, options):
    """Medians of a run: what SRTP adds, the protection alone, their ratio; all
    of it, the stock elements', their ratio."""
    key = "%056x" % 1
    with Sinkhole() as port:
        plain = "pspsink host=127.0.0.1 port=%d controller=none" % port
        stock = ("srtpenc name=enc key=%s rtp-cipher=aes-128-gcm rtp-auth=null"
                 " rtcp-cipher=aes-128-gcm rtcp-auth=null ! udpsink"
                 " host=127.0.0.1 port=%d sync=false async=false" % (key, port))
        command = [os.path.join(bench, "psp-feed"), "--packets", str(packets),
                   "--turn", "2000", *options]
        for sink in (plain + " srtp-suite=aes-128-gcm srtp-key=" + key, plain,
                     stock, "fakesink"):
            command += ["--sink", sink]
        turns = run(command, "turns")
    alone = run([os.path.join(bench, "psp-bare-protect"), str(packets)],
                "protect_us")
    added = statistics.median(a - b for a, b, c, d in turns)
    return (added, alone, added / alone), (
        statistics.median(a - d for a, b, c, d in turns),
        statistics.median(c - d for a, b, c, d in turns),
        statistics.median((a - d) / (c - d) for a, b, c, d in turns))


def take_srtp_source_turns(bench, mbit, size, turns):
    """The same of what receives; the protection alone is what a thread pays
    for it that does no more, and gets packets in the same rhythm. As udpsrc
    answers nothing, what is compared does not, but for the last: with
    feedback, the stock elements, their ratio."""
    options = "address=127.0.0.1 port=0 caps="
    key = "01" + "00" * 27
    plain = "pspsrc %sapplication/x-rtp,clock-rate=90000" % options
    srtp = plain + " srtp-suite=aes-128-gcm srtp-key=" + key
    silent = " feedback-interval=0"
    stock = ("udpsrc %s\"application/x-srtp,clock-rate=90000,ssrc=(uint)4660,"
             "srtp-key=(buffer)%s,srtp-cipher=aes-128-gcm,srtp-auth=null,"
             "srtcp-cipher=aes-128-gcm,srtcp-auth=null\" ! srtpdec" %
             (options, key))
    command = [os.path.join(bench, "psp-take"), "--rate", str(mbit * 1000000),
               "--list", str(size), "--turn", str(10 * mbit), "--turns",
               str(turns), "--source", plain + silent, "--source", "bare"]
    for source in (srtp + silent, "bare", stock, srtp):
        command += ["--srtp-source", source]
    ours, bare, ours_srtp, bare_srtp, theirs, answers = (
        statistics.median(costs) for costs in zip(*run(command, "turns")))
    return ((ours_srtp - ours, bare_srtp - bare,
             (ours_srtp - ours) / (bare_srtp - bare)),
            (ours_srtp, theirs, ours_srtp / theirs),
            (answers, theirs, answers / theirs))


def measure_srtp_source(bench, args):
    for mbit, size in ((20, 1), (20, 8), (200, 8)):
        added, whole, answers = zip(*(
            take_srtp_source_turns(bench, mbit, size, args.turns)
            for _ in range(args.runs)))
        name = "%d Mb/s, lists of %d" % (mbit, size)
        print_runs(args, "SRTP adds, received, %s ***" % name, added)
        print_runs(args, "all of it received, %s ****" % name, whole)
        print_runs(args, "… with feedback, %s ****" % name, answers)


def measure_srtp(bench, args):
    for size in (49, 8, 1):
        runs = [take_srtp_turns(bench, args.packets, ("--list", str(size)))
                for _ in range(args.runs)]
        added, whole = zip(*runs)
        print_runs(args, "SRTP adds, lists of %d ***" % size, added)
        print_runs(args, "all of it under SRTP, lists of %d ****" % size,
                   whole)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--packets", type=int, default=400000)
    parser.add_argument("--turns", type=int, default=20,
                        help="of each source in a run")
    parser.add_argument("--spacings", type=int, nargs="*",
                        default=[100, 1000])
    parser.add_argument("--seconds", type=float, default=3,
                        help="of each paced run")
    parser.add_argument("--parts", nargs="*", default=list(PARTS),
                        choices=list(PARTS))
    add_option(parser)
    args = parser.parse_args()
    args.figures = Figures()
    find_plugins(args.build)
    bench = os.path.join(args.build, "tests", "benchmarks")
    print("%-42s %-22s %-22s ratio, median [min…max]" % (
        "CPU a packet", "psp", "udp"))
    for part in args.parts:
        PARTS[part](bench, args)
    if "sink" in args.parts:
        print("** one sendmsg() with UDP_SEGMENT; one sendmmsg()")
    if "paced" in args.parts:
        print("* without spinning; against a bare C loop of ppoll() and "
              "sendto()")
    if {"srtp", "srtp-source"} & set(args.parts):
        print("*** against libsrtp's protection alone; "
              "**** against srtpenc ! udpsink or udpsrc ! srtpdec")
    args.figures.write(args.json)


PARTS = {"sink": measure_sink, "paced": measure_paced,
         "source": measure_source, "srtp": measure_srtp,
         "srtp-source": measure_srtp_source}

if __name__ == "__main__":
    main()
