#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Encoders of the laboratory beside ns-3's TCP (sim-besidetcp), over the model of the
emulated link; writes the table of docs/evidence/beside-tcp.md.

    tests/sim/besidetcp.py BUILD [--seeds 10] [--cases cubic60,…]
        [--controllers scp,poise] [--encoders keys,…] [--print] [--least SHARE]

BUILD is Meson's build directory. All of it takes some ten minutes of two processors.
--print writes to standard output only. --least fails where a run has less."""

import argparse
import concurrent.futures
import csv
import itertools
import os
import statistics
import subprocess
import sys

from tablepage import program, short, write

CONTROLLERS = ["scp", "poise"]
ENCODERS = ["keys", "x264-zerolatency-busy"]
NEWRENO, BBR = "--variant=ns3::TcpNewReno", "--variant=ns3::TcpBbr"
RENO = "--variant=ns3::TcpLinuxReno"
FIRST = ["--media-at=20", "--tcp-at=0"]
FAST = ["--rate-mbps=10", "--buffer=100"]
CASES = {
    "cubic60": ("a CUBIC comes at 10 s", []),
    "cubic60-first": ("the CUBIC was there, media at 20 s", FIRST),
    "cubic15": ("a queue of 15 packets", ["--buffer=15"]),
    "cubic15-first": ("the same, CUBIC first", ["--buffer=15", *FIRST]),
    "cubic200": ("a queue of 200 packets", ["--buffer=200"]),
    "cubic60-100ms": ("a round trip of 100 ms", ["--rtt-ms=100"]),
    "cubic-10M": ("10 Mb/s, 100 packets", FAST),
    "cubic3-10M": ("the same, three CUBICs", [*FAST, "--tcp=3"]),
    "newreno60": ("a NewReno comes at 10 s", [NEWRENO]),
    "newreno60-first": ("the NewReno was there", [NEWRENO, *FIRST]),
    "reno60": ("a Reno as Linux has it comes at 10 s", [RENO]),
    "reno60-first": ("that Reno was there", [RENO, *FIRST]),
    "reno20-4M-first": ("that Reno was there, 4 Mb/s, a queue of 20 packets",
                        [RENO, *FIRST, "--rate-mbps=4", "--buffer=20"]),
    "reno40-16M-first": ("the same, 16 Mb/s, 40 packets",
                         [RENO, *FIRST, "--rate-mbps=16", "--buffer=40"]),
    "cubic20-4M-first": ("a CUBIC was there, 4 Mb/s, 20 packets",
                         [*FIRST, "--rate-mbps=4", "--buffer=20"]),
    "bbr60": ("a BBR comes at 10 s", [BBR]),
    "bbr60-first": ("the BBR was there", [BBR, *FIRST]),
    "bbr60-30k": ("the same, the media begins with 30 kb/s",
                  [BBR, *FIRST, "--start=30000"]),
}
# Quantity of sim-besidetcp, how it is written.
SHOWN = ["share", "share_worst", "loss", "delay_ms_p95", "utilisation"]


def run(path, controller, encoder, case, seed):
    out = subprocess.run(
        [path, "--controller=" + controller, "--encoder=" + encoder,
         "--seed=%d" % seed, *CASES[case][1]],
        check=True, text=True, stdout=subprocess.PIPE).stdout
    return {row["quantity"]: float(row["value"])
            for row in csv.DictReader(out.splitlines())}


def cell(runs):
    shares = [r["share"] for r in runs]
    mean = {name: statistics.fmean(r[name] for r in runs) for name in SHOWN}
    return "**%s** (%s–%s), worst %s / %.2f %% / %.0f ms / %s" % (
        short(mean["share"]), short(min(shares)), short(max(shares)),
        short(mean["share_worst"]), 100 * mean["loss"], mean["delay_ms_p95"],
        short(mean["utilisation"]))


def lines(path, args):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {(e, case, c): [pool.submit(run, path, c, e, case, seed)
                               for seed in range(1, args.seeds + 1)]
                for e in args.encoders for case in args.cases
                for c in args.controllers}
        yield "| encoder | case |  | %s |" % " | ".join(
            "`%s`" % c for c in args.controllers)
        yield "|---" * (3 + len(args.controllers)) + "|"
        for (e, case), of in itertools.groupby(jobs, lambda key: key[:2]):
            runs = [[job.result() for job in jobs[key]] for key in of]
            yield "| %s | %s | %s | %s |" % (
                e, case, CASES[case][0], " | ".join(map(cell, runs)))
            least = min(run["share"] for rows in runs for run in rows)
            if least < args.least:
                sys.exit("%s, %s: a run has %.3f" % (e, case, least))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seeds", type=int, default=10)
    for name, known in (("cases", CASES), ("controllers", CONTROLLERS),
                        ("encoders", ENCODERS)):
        parser.add_argument("--" + name, default=list(known),
                            type=lambda text: text.split(","))
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--least", type=float, default=0)
    args = parser.parse_args()
    for case in args.cases:
        if case not in CASES:
            parser.error("there is no case " + case)
    write(lines(program(args.build, "sim-besidetcp"), args),
          None if args.print else "beside-tcp.md")


if __name__ == "__main__":
    main()
