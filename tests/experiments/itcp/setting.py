# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The experiment's constants. ../README.md has the reasons."""

import csv
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "..", "..", "files")
CROSS_TRAFFIC = os.path.join(HERE, "cross-traffic.csv")

# the video
CLIP = "walk-720x480p30-4M.m2v"
FRAMES = 1000
PERIOD = 100_000_000            # ns from picture to picture: 10 a second
GROUP = 15                      # pictures
BITRATE = 2_000_000             # nominal, of 30 pictures a second
UNSENT = 333_333_333            # ns at that rate: 1 s of what is released

# the network
RTTS = [41, 51, 65, 144, 287]   # ms: the paper's Table 1
RUNS = 15                       # that there is cross traffic for: the first
FINAL = range(11, 16)           # ten to develop with, these for the figures
RATE = 1_536_000                # bits/s of IP packets
QUEUE = 100                     # packets
WINDOW = 65536                  # bytes of receive buffer, of which the kernel
                                # offers 38 KiB

# cross traffic: each host's packets of 1500 bytes with IP header, a second
HOSTS = 10
CROSS_PACKET = 1500
QUIET, PEAK, BUSY = 7, 40, 9
PEAK_TIME = 1.0                 # s at the begin of a burst
LEAD = 2.0                      # s that cross traffic begins before the video

# A TCP of the paper's time, in both namespaces.
TCP = {
    "tcp_sack": 0, "tcp_dsack": 0, "tcp_recovery": 0, "tcp_early_retrans": 0,
    "tcp_frto": 0, "tcp_ecn": 0, "tcp_no_metrics_save": 1,
    "tcp_moderate_rcvbuf": 0, "tcp_window_scaling": 0,
    "tcp_rto_min_us": 1_000_000,
}
ALGORITHM = "reno"

# Another link, for outages, with the kernel's own TCP.
LINK = {"rtt": 20, "rate": 8_000_000, "bitrate": 4_000_000}
OUTAGES = ["paper", "paper-30", "modern", "modern-30",
           "link-reno", "link-cubic", "link-bbr"]

# What each arm sets on itcpsink.
ARMS = {
    "tcp": {"symbiosis": False},
    "itcp-published": {"symbiosis": True, "step-back": False},
    "itcp": {"symbiosis": True},
    "itcp-backlog": {"symbiosis": True, "events": "rexmt+dupack+backlog"},
}


def draw_bursts(run):
    """[(begin, length)] in s of a run's bursts, by its number alone."""
    rng = random.Random("itcp-%d" % run)
    bursts = [(rng.uniform(5, 25), rng.uniform(30, 60))]
    if rng.random() < .6:
        begin, length = bursts[0]
        bursts.append((begin + length + rng.uniform(5, 25),
                       rng.uniform(30, 60)))
    return [(round(b, 1), round(n, 1)) for b, n in bursts]


def write_bursts(path, runs):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["run", "begin", "length"])
        for run in range(1, runs + 1):
            out.writerows([run, b, n] for b, n in draw_bursts(run))


def read_bursts(path):
    """{run: [(begin, length)]}"""
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(int(row["run"]), []).append(
                (float(row["begin"]), float(row["length"])))
    return found
