#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Resident memory over ten million packets on loopback: of a process with
pspsink, unpaced, paced, and with a controller that has a history of its own; of
the pspsrc that answers each of them from another process; and of udpsink. A
line each. What the first tenth adds is mostly the queue that fills, and a
machine whose other work delays the sender may see it fill more at any time: so
what malloc() has given out is told as well, each time with an empty queue.

    tests/benchmarks/memory.py BUILD_DIR [--packets 10000000]
        [--sessions none fixed scp udpsink] [--json FILE]"""

import argparse
import json
import os
import subprocess

from pspbench.figures import Figures, add_option

SOURCE = ("pspsrc address=127.0.0.1 port=0 eos-on-bye=true timeout=2000000000 "
          "caps=application/x-rtp,clock-rate=90000")
SINK = "pspsink host=127.0.0.1 port={port} controller="
SESSIONS = {
    "none": SINK + "none",
    "fixed": SINK + "fixed spacing=20000",
    # Whatever the load: ten million in five or six minutes.
    "scp": SINK + "scp min-target-bitrate=300000000",
    "udpsink": "udpsink host=127.0.0.1 port={port}",
}


class Receiver:
    """pspsrc in a process; its port, and how many packets came."""

    def __init__(self, bench):
        self.process = subprocess.Popen(
            [os.path.join(bench, "psp-hear"), SOURCE],
            stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.kill()
        self.process.wait()

    def packets(self):
        out, _ = self.process.communicate()
        return json.loads(out)["packets"]


def stat(figures, field):
    """A number from the text of a sink's stats, or 0."""
    _, _, rest = figures.get("stats", "").partition(f" {field}=(")
    return int(rest.partition(")")[2].partition(",")[0]) if rest else 0


def report(name, rss, rest):
    print("%s: KiB at each tenth: %s; growth after the first tenth: %d; %s"
          % (name, " ".join(map(str, rss)), rss[-1] - rss[1], rest),
          flush=True)


def note(figures, name, told):
    figures.add("pspsink %s: resident" % name, told["rss_kib"][-1], "KiB")
    figures.add("pspsink %s: allocated" % name, told["heap_bytes"][-1],
                "bytes")
    figures.add("pspsrc from %s: resident" % name,
                told["watched_rss_kib"][-1], "KiB")


def measure(bench, name, packets, told):
    with Receiver(bench) as receiver:
        figures = json.loads(subprocess.run(
            [os.path.join(bench, "psp-feed"), "--sink",
             SESSIONS[name].format(port=receiver.port), "--packets",
             str(packets), "--heap", "--watch", str(receiver.process.pid)],
            env={**os.environ, "G_SLICE": "always-malloc"},
            stdout=subprocess.PIPE, text=True, check=True).stdout)
        heap = figures["heap_bytes"]
        rest = "allocated: %d bytes, then %d; %.0f s" % (
            heap[1], heap[-1], figures["wall_s"])
        if name == "udpsink":
            report(name, figures["rss_kib"], rest)
            return
        note(told, name, figures)
        report("pspsink " + name, figures["rss_kib"],
               "%s, %d reports, %d packets acknowledged" % (
                   rest, stat(figures, "feedback-received"),
                   stat(figures, "packets-acked")))
        report("pspsrc from " + name, figures["watched_rss_kib"],
               "%d packets" % receiver.packets())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--packets", type=int, default=10_000_000)
    parser.add_argument("--sessions", nargs="*", default=list(SESSIONS),
                        choices=list(SESSIONS))
    add_option(parser)
    args = parser.parse_args()
    figures = Figures()
    bench = os.path.join(args.build, "tests", "benchmarks")
    for name in args.sessions:
        measure(bench, name, args.packets, figures)
    figures.write(args.json)


if __name__ == "__main__":
    main()
