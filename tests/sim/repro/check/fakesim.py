#!/usr/bin/env -S python3 -IS
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Stands for a simulation: rows by simple formulas of its arguments. Each of
`flows` gets (capacity + seed - 2) / flows, so that the mean of three seeds is
the share of the capacity, unless `spacing` (µs) asks for less."""

import os
import sys
import time

args = dict(a.removeprefix("--").split("=") for a in sys.argv[1:])
if args.get("mode") == "fail":
    sys.exit("no such link")
if args.get("mode") == "hang":
    open(sys.argv[0] + ".hangs", "w").write(str(os.getpid()))
    time.sleep(60)
print("quantity,flow,kind,time,value" if args.get("mode") != "header"
      else "quantity,flow,value")
if args.get("mode") == "words":
    print("rate,all,psp,,much")
flows, spacing = int(args["flows"]), float(args.get("spacing", 0))
capacity = float(args.get("capacity", 12)) + int(args["seed"]) - 2
rate = min(capacity / flows, 1000 / spacing if spacing else capacity)
for flow in range(1, flows + 1):
    print("rate,%d,%s,,%r" % (flow, "tcp" if flow > 2 else "psp", rate))
    for second in range(1, 5):
        print("rate,%d,psp,%d,%r" % (flow, second, rate * second / 2.5))
print("rate,all,psp,,%r" % rate)
print("loss,all,psp,,%r" % max(0, 1 - capacity / (1000 / spacing * flows)
                               if spacing else .5))
