#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""CPU a picture: what mpegscaler adds to mpegvideoparse, and rtpmpegvideopay
against rtpmpvpay on the same buffers (the stock payloader takes no MPEG-1).
Runs take turns; what is common to them is measured beside them and subtracted.

    tests/benchmarks/mpegcost.py BUILD_DIR [--runs 5] [--loops 40]
        [--json FILE]"""

import argparse
import os
import statistics
import subprocess

from pspbench.figures import Figures, add_option
from pspbench.mpegvideo import read_pictures
from pspbench.plugins import find_plugins

FILES = os.path.join(os.path.dirname(__file__), "..", "files")
CLIPS = ["walk-720x480p30-4M.m2v", "sintel-720x480-pulldown-4M.m2v",
         "bbb-352x576i25-fields-3M.m2v"]


def cpu(clip, loops, elements):
    """User and system seconds of a gst-launch-1.0 of its own."""
    command = ["gst-launch-1.0", "-q", "multifilesrc", "location=" + clip,
               "loop=true", "num-buffers=%d" % loops, "!", "mpegvideoparse"]
    for element in elements:
        command += ["!"] + element.split()
    process = subprocess.Popen(command + ["!", "fakesink", "sync=false"],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit("failed: " + " ".join(command))
    return usage.ru_utime + usage.ru_stime


def spread(values):
    values = sorted(values)
    return "%.2f [%.2f…%.2f]" % (statistics.median(values), values[0],
                                 values[-1])


def added(clip, args, n, base, *chains):
    """µs a picture that each chain adds to `base`, run by run."""
    rows = []
    for _ in range(args.runs):
        start = cpu(clip, args.loops, base)
        rows.append([1e6 * (cpu(clip, args.loops, base + chain) - start) / n
                     for chain in chains])
    return list(zip(*rows))


def measure(name, args, figures):
    clip = os.path.join(FILES, name)
    n = len(read_pictures(clip)[0]) * args.loops
    still = "mpegscaler follow-events=false "
    passed, dropped, target = added(
        clip, args, n, [], ["mpegscaler"], [still + "scale=2"],
        [still + "target-bitrate=2000000"])
    print("%s: µs a coded picture" % name)
    print("  mpegscaler, all passes        %s" % spread(passed))
    print("  mpegscaler scale=2            %s" % spread(dropped))
    print("  mpegscaler, target 2 Mb/s     %s" % spread(target))
    # Behind mpegscaler both payloaders find time stamps.
    ours, stock = added(clip, args, n, ["mpegscaler"],
                        ["rtpmpegvideopay mtu=1200"], ["rtpmpvpay mtu=1200"])
    print("  rtpmpegvideopay               %s" % spread(ours))
    print("  rtpmpvpay                     %s" % spread(stock))
    print("  ratio                         %s" % spread(
        [a / b for a, b in zip(ours, stock)]), flush=True)
    for what, values in (("mpegscaler, all passes", passed),
                         ("mpegscaler scale=2", dropped),
                         ("mpegscaler, target 2 Mb/s", target),
                         ("rtpmpegvideopay", ours)):
        figures.add("%s: %s" % (name.split("-")[0], what),
                    statistics.median(values), "µs")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--loops", type=int, default=40)
    add_option(parser)
    args = parser.parse_args()
    figures = Figures()
    find_plugins(args.build)
    for name in CLIPS:
        measure(name, args, figures)
    figures.write(args.json)


if __name__ == "__main__":
    main()
