# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The emulated bottleneck on loopback, and what its log says."""

import collections
import csv
import signal
import subprocess

from .ports import free_ports

OVERHEAD = 28           # IPv4 and UDP headers, which the link's rate includes

DROPPED = ("full", "red", "codel", "lost")      # verdicts in the log

# Times in s from the first packet's arrival at the link; wait without
# serialization; departure and wait are None where the packet was dropped.
Row = collections.namedtuple("Row", "arrival size dropped departure wait")


class Relay:
    """psp-link-relay, towards 127.0.0.1:to_port; listens on `port`. Several
    ports share the link: those that follow go to those that follow."""

    def __init__(self, program, to_port, forward, back, log, ports=1):
        self.log = log
        first = free_ports(ports) if ports > 1 else 0
        self.process = subprocess.Popen(
            [program, "--forward", forward, "--back", back, "--log", log,
             *("--flow=127.0.0.1:%d>127.0.0.1:%d" % (first + i, to_port + i)
               for i in range(ports))],
            stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline().split()
        if not ready:
            raise RuntimeError("the link did not start: " + program)
        self.port = int(ready[1].rsplit(":", 1)[1])

    def stop(self):
        """Ends the link; the rows of its forward direction."""
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=10)
        return [row for direction, row in self.all_rows()
                if direction == "forward"]

    def all_rows(self):
        """Of a link that has ended: direction and row."""
        with open(self.log, newline="") as f:
            for r in csv.DictReader(f):
                departed = int(r["departed"]) / 1e9 if r["departed"] else None
                wait = int(r["wait"]) / 1e9 if r["wait"] else None
                yield r["direction"], Row(
                    int(r["arrived"]) / 1e9, int(r["size"]),
                    r["verdict"] in DROPPED, departed, wait)


def rate_series(rows, step=0.2):
    """((times, Mb/s) offered, (times, Mb/s) delivered), counted as the link
    counts, at the ends of intervals of `step` s."""
    if not rows:
        return ([], []), ([], [])
    n = int(max(r.arrival for r in rows) / step) + 1
    offered, delivered = [0.0] * n, [0.0] * n
    for r in rows:
        bits = 8e-6 * (r.size + OVERHEAD) / step
        offered[int(r.arrival / step)] += bits
        if not r.dropped and r.departure is not None and \
                r.departure / step < n:
            delivered[int(r.departure / step)] += bits
    times = [(i + 1) * step for i in range(n)]
    return (times, offered), (times, delivered)
