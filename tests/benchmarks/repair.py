#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What loss took and came again in time: a 2 Mb/s stream of packets of 1316
bytes by pspsink with retransmission, by srtsink and by ristsink (where they are
installed), each over a link of its own with random loss both ways, side by side
in one run. The latency of all three is 120 ms, the round trip 40 ms.

    tests/benchmarks/repair.py BUILD_DIR --stop
    tests/benchmarks/repair.py BUILD_DIR --departure [--seconds 20]
    tests/benchmarks/repair.py BUILD_DIR --congestion [--ways ...] [--seconds 20]
    tests/benchmarks/repair.py BUILD_DIR [--packets 20000] [--seeds 1,2,3]
        [--loss 1,5,10,20] [--latency 120] [--delay 20]
        [--ways pspsink,srtsink,ristsink] [--percentage 100]
        [--at-once 6] [--json FILE]

The first 15 s, in which pspsink's controller finds the rate, count for none.
`in time`: of all other packets, those that came out within path, latency and 25 ms of
scheduling. `delay`: from the source to where they come out of the receiver; for
pspsink that is the jitter buffer, which gives a packet as soon as those before it
have come. The way `ulpfec` is pspsink with redundancy of --percentage of the
media's packets (rtpulpfecenc), for round trips that leave no time to ask: --delay
150. `bytes`: what the sender put on the link, headers in, against the media with
the same headers.

--stop: nothing is sent for 5 s after 10 s of media: what the jitter buffer wants
and NACKs ask for meanwhile, and the CPU time that it takes. --departure: how long what a NACK asks for takes to leave, where media waits
for the clock, five pictures a second, and in a full queue. --congestion: a link
of 2.4, 0.9 and 2.4 Mb/s for so many seconds each with a queue of 10 packets, and
coded MPEG-2 video of 2 Mb/s; before pspsink mpegscaler makes it fit. Of the middle
third, what came of the packets sent, and what media used of the link, repairs not
counted."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

from pspbench import repaircases, repairends
from pspbench.figures import HIGHER, LOWER, Figures, add_option
from pspbench.ports import free_ports
from pspbench.relay import OVERHEAD, Relay

BITRATE = 2_000_000
WARM_UP = 15                    # s
SLACK_MS = 25


def cell(build, way, loss, seed, packets, latency, delay, percentage):
    """Runs in a process of its own; prints what came of it."""
    Gst.init(None)
    ports = repairends.WAYS[way][2]
    port = free_ports(ports)
    spec = "delay=%dms,loss=%s%%,seed=%d"
    with tempfile.TemporaryDirectory() as out:
        relay = Relay(os.path.join(build, "tests/link/relay/psp-link-relay"),
                      port, spec % (delay, loss, seed),
                      spec % (delay, loss, seed + 1000),
                      os.path.join(out, "log.csv"), ports)
        ends = repairends.Ends(way, relay.port, port, latency,
                               percentage=percentage)
        first = int(WARM_UP * BITRATE / 8 / repairends.PACKET)
        ends.run(first + packets, BITRATE)
        stats = {}
        if way == "pspsink":
            stats = {**ends.stats("sender", "sink"),
                     **ends.stats("receiver", "source")}
        ends.stop()
        rows = relay.stop()
    limit = (delay + latency + SLACK_MS) / 1e3
    delays = sorted(d for n, d in ends.came.items() if n >= first)
    sent = sum(r.size + OVERHEAD for r in rows)
    print(json.dumps({
        "sent": packets, "came": len(delays),
        "in time": sum(d <= limit for d in delays) / packets,
        "p50": delays[len(delays) // 2] if delays else None,
        "p95": delays[int(.95 * len(delays))] if delays else None,
        "bytes": sent / (ends.sent * (
            repairends.PACKET + repairends.RTP_HEADER + OVERHEAD)),
        "repairs": stats.get("repairs-sent"),
        "requests": stats.get("packets-requested"),
        "rtcp": stats.get("feedback-bytes"),
    }))


def run_cells(cells, args):
    """So many at once; yields each cell with its result."""
    waiting, running = list(cells), []
    while waiting or running:
        while waiting and len(running) < args.at_once:
            way, loss, seed = waiting.pop(0)
            running.append(((way, loss, seed), subprocess.Popen(
                [sys.executable, os.path.abspath(__file__), args.build,
                 "--cell", json.dumps([way, loss, seed, args.packets,
                                       args.latency, args.delay,
                                       args.percentage])],
                stdout=subprocess.PIPE, text=True)))
        what, process = running.pop(0)
        output = process.communicate()[0]
        if process.returncode != 0:
            sys.exit("%s at %s %% loss, seed %d: failed" % what)
        yield what, json.loads(output.splitlines()[-1])


def in_process(*what):
    """One of repaircases in a process of its own, whose end may be awaited."""
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), "-",
                             "--case", json.dumps(what)],
                            stdout=subprocess.PIPE, text=True)


def result(process):
    output = process.communicate()[0]
    if process.returncode != 0:
        sys.exit("a case failed")
    return json.loads(output.splitlines()[-1])


def case(what, *arguments):
    Gst.init(None)
    print(json.dumps(getattr(repaircases, what)(*arguments)))


def stopped(args, figures):
    print("%-12s %8s %8s %8s" % ("5 s stopped", "wanted", "NACKs", "CPU, %"))
    running = {name: in_process("stop", args.build, name)
               for name in repaircases.STOPS}
    for name, process in running.items():
        row = result(process)
        print("%-12s %8d %8d %8.2f" % (name, row["wanted"], row["asked"],
                                       100 * row["cpu"]))
        figures.add("stopped, %s: packets asked for" % name, row["asked"], "",
                    LOWER)


def departed(args, figures):
    row = result(in_process("departure", args.build, 3 * args.seconds))
    print("%d NACKs, %d repairs; from NACK to departure: p50 %.2f, p95 %.2f, at"
          " most %.2f packet periods" % (row["nacks"], row["repairs"],
                                         row["p50"], row["p95"], row["most"]))
    figures.add("departure of repairs, p95", row["p95"], "periods", LOWER)


def congested(args, ways, figures):
    with tempfile.TemporaryDirectory() as folder:
        pictures = repaircases.pictures(folder, 3 * args.seconds)
        running = {way: in_process("congestion", args.build, way, pictures,
                                   args.seconds, args.latency)
                   for way in ways}
        print("%-9s %9s %9s %11s" % ("middle", "sent", "came, %", "use by media"))
        for way, process in running.items():
            row = result(process)
            print("%-9s %9d %9.2f %11s" % (
                way, row["sent"], 100 * row["came"],
                "%.3f" % row["use"] if "use" in row else "-"))
            figures.add("congested, %s: came" % way, row["came"], "", HIGHER)


def is_installed(way):
    if way in ("pspsink", "ulpfec") or Gst.ElementFactory.find(way):
        return True
    print("%s is left out: it is not installed (gstreamer1.0-plugins-bad)"
          % way)
    return False


def spread(values, scale, digits):
    values = [scale * v for v in values if v is not None]
    if not values:
        return "-"
    return "%.*f [%.*f...%.*f]" % (digits, statistics.median(values), digits,
                                   min(values), digits, max(values))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--packets", type=int, default=20000)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--loss", default="1,5,10,20")
    parser.add_argument("--latency", type=int, default=120)
    parser.add_argument("--delay", type=int, default=20, help="ms, one way")
    parser.add_argument("--percentage", type=int, default=100,
                        help="of redundancy, with ulpfec")
    parser.add_argument("--ways", default="pspsink,srtsink,ristsink")
    parser.add_argument("--at-once", type=int, default=6)
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--departure", action="store_true")
    parser.add_argument("--congestion", action="store_true")
    parser.add_argument("--seconds", type=int, default=20,
                        help="of each third of --congestion, --departure")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    add_option(parser)
    args = parser.parse_args()
    if args.cell:
        cell(args.build, *json.loads(args.cell))
        return
    if args.case:
        case(*json.loads(args.case))
        return
    Gst.init(None)
    if args.stop or args.departure or args.congestion:
        figures = Figures()
        if args.departure:
            departed(args, figures)
        if args.stop:
            stopped(args, figures)
        if args.congestion:
            congested(args, [w for w in args.ways.split(",")
                             if is_installed(w)], figures)
        figures.write(args.json)
        return
    ways = [w for w in args.ways.split(",") if is_installed(w)]
    losses = args.loss.split(",")
    seeds = [int(s) for s in args.seeds.split(",")]
    results = {}
    for (way, loss, seed), result in run_cells(
            [(w, p, s) for s in seeds for p in losses for w in ways], args):
        results.setdefault((way, loss), []).append(result)
    figures = Figures()
    print("%-9s %5s  %-26s %-22s %-22s %-18s" % (
        "", "loss", "in time, %", "delay p50, ms", "delay p95, ms", "bytes"))
    for (way, loss), rows in sorted(
            results.items(), key=lambda r: (ways.index(r[0][0]),
                                            losses.index(r[0][1]))):
        def of(name):
            return [r[name] for r in rows]
        print("%-9s %4s%%  %-26s %-22s %-22s %-18s" % (
            way, loss, spread(of("in time"), 100, 2), spread(of("p50"), 1e3, 0),
            spread(of("p95"), 1e3, 0), spread(of("bytes"), 1, 2)))
        figures.add("%s, %s %% lost: in time" % (way, loss),
                    statistics.median(of("in time")), "", HIGHER)
    print("medians and ranges of %d seeds, %d packets each" % (
        len(seeds), args.packets))
    figures.write(args.json)


if __name__ == "__main__":
    main()
