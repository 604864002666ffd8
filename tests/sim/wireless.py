#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Encoders of the laboratory over ns-3's Wi-Fi and LTE (sim-wireless); writes the table
of docs/evidence/wireless.md.

    tests/sim/wireless.py BUILD [--seeds 10] [--cases wifi16-down,…]
        [--controllers scp,poise] [--encoder NAME] [--seconds S] [--print]
        [--least MBPS]

BUILD is Meson's build directory. A second of eight sessions takes about a second.
Of --seconds the second half is measured. --print writes to standard output only. --least
fails where the media of a run has less."""

import argparse
import concurrent.futures
import csv
import os
import statistics
import subprocess
import sys

from tablepage import program, short, write

# RFC 8869 section 4: the wire has 50 ms, queues hold 300 ms.
WIFI = ["--delay-ms=50"]
LTE = ["--lte=1"]
CASES = {
    "wifi-wire": ("the wire is the bottleneck, 1 Mb/s", [*WIFI, "--wire-mbps=1"]),
    "wifi1-down": ("one session", WIFI),
    "wifi16-down": ("16 sessions to stations", [*WIFI, "--down=16"]),
    "wifi16-up": ("16 sessions from stations", [*WIFI, "--down=0", "--up=16"]),
    "wifi16-both": ("8 each way", [*WIFI, "--down=8", "--up=8"]),
    "wifi8-tcp-up": ("4 each way, and 4 CUBICs from stations",
                     [*WIFI, "--down=4", "--up=4", "--tcp-up=4"]),
    "wifi4-slow": ("4 sessions to stations, 6.5 Mb/s",
                   [*WIFI, "--down=4", "--mode=HtMcs0"]),
    "lte1": ("one session, 200 m from the eNB", LTE),
    "lte6": ("6 sessions to stations", [*LTE, "--down=6"]),
    "lte-away": ("one that leaves by 5 m/s, from 80 m",
                 [*LTE, "--distance=80", "--speed=5"]),
    "lte4-tcp": ("4 sessions and 2 CUBICs to stations",
                 [*LTE, "--down=4", "--tcp-down=2"]),
}


def run(path, controller, case, seed, args):
    """{quantity: value}, and of TCP the mean connection's throughput."""
    out = subprocess.run(
        [path, "--controller=" + controller, "--encoder=" + args.encoder,
         "--seed=%d" % seed, "--duration=%g" % args.seconds,
         "--warmup=%g" % (args.seconds / 2), *CASES[case][1]],
        check=True, text=True, stdout=subprocess.PIPE).stdout
    rows = list(csv.DictReader(out.splitlines()))
    found = {row["quantity"]: float(row["value"]) for row in rows
             if row["quantity"] != "throughput_mbps"}
    tcp = [float(row["value"]) for row in rows if row["kind"] == "tcp"]
    found["tcp"] = statistics.fmean(tcp) if tcp else None
    return found


def cell(runs):
    mean = {name: statistics.fmean(r[name] for r in runs)
            for name in ("media_mbps", "jain", "loss", "delay_ms_p95")}
    sums = [r["media_mbps"] for r in runs]
    text = "**%.2f** (%.2f–%.2f) Mb/s, Jain %s / %.2f %% / %.0f ms" % (
        mean["media_mbps"], min(sums), max(sums), short(mean["jain"]),
        100 * mean["loss"], mean["delay_ms_p95"])
    if runs[0]["tcp"] is not None:
        text += " / TCP %.2f Mb/s" % statistics.fmean(r["tcp"] for r in runs)
    return text


def lines(path, args):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {(case, c): [pool.submit(run, path, c, case, seed, args)
                            for seed in range(1, args.seeds + 1)]
                for case in args.cases for c in args.controllers}
        yield "| case |  | %s |" % " | ".join("`%s`" % c for c in args.controllers)
        yield "|---" * (2 + len(args.controllers)) + "|"
        for case in args.cases:
            runs = [[job.result() for job in jobs[case, c]]
                    for c in args.controllers]
            yield "| %s | %s | %s |" % (case, CASES[case][0],
                                        " | ".join(map(cell, runs)))
            least = min(run["media_mbps"] for rows in runs for run in rows)
            if least < args.least:
                sys.exit("%s: a run has %.3f Mb/s" % (case, least))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--cases", default=list(CASES),
                        type=lambda text: text.split(","))
    parser.add_argument("--controllers", default=["scp", "poise"],
                        type=lambda text: text.split(","))
    parser.add_argument("--encoder", default="keys")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--least", type=float, default=0)
    args = parser.parse_args()
    for case in args.cases:
        if case not in CASES:
            parser.error("there is no case " + case)
    write(lines(program(args.build, "sim-wireless"), args),
          None if args.print else "wireless.md")


if __name__ == "__main__":
    main()
