# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""How far single groups miss the target, with a change of it midway."""

import glob
import json
import os
import statistics
import subprocess

FILES = os.path.join(os.path.dirname(__file__), "..", "..", "files")
TO = {.75: .5, .5: .35, .35: .6}        # the target after the change
LEARNED = 2             # groups until a stream's structure is known
SOURCE, FLOOR = 1.1, .75        # of the target: what can be met


def find():
    media = os.environ.get("MPEG_MEDIA_DIR")
    return sorted(path for folder in [FILES] + ([media] if media else [])
                  for path in glob.glob(os.path.join(folder, "*.m[12]v")))


def recode(program, path, rate, *options):
    return json.loads(subprocess.run(
        [program, *options, path, os.devnull, "%d" % rate], check=True,
        stdout=subprocess.PIPE).stdout)["groups"]


def errors(groups, floors):
    """Of those that can be met, and foreseen."""
    found = []
    for i in range(LEARNED, len(groups) - 1):
        group, target = groups[i], groups[i]["target"]
        if target and group["seconds"] == groups[i - 1]["seconds"] and \
                group["rate_in"] > SOURCE * target and \
                floors[i]["rate"] < FLOOR * target:
            found.append(group["rate"] / target - 1)
    return found


def measure(build, shares):
    """[(stream, [errors at each share])]"""
    program, rows = os.path.join(build, "tests/benchmarks/mpeg-recode"), []
    for path in find():
        floors = recode(program, path, 1)
        seconds = sum(g["seconds"] for g in floors)
        rate = sum(g["rate_in"] * g["seconds"] for g in floors) / seconds
        rows.append((os.path.basename(path), [errors(recode(
            program, path, share * rate, "--change=%f:%d" % (
                seconds / 2, TO[share] * rate)), floors) for share in shares]))
    return rows


def report(rows, shares):
    lines = ["| groups | " + " | ".join(
        "%.0f, then %.0f %%" % (100 * s, 100 * TO[s]) for s in shares) + " |",
             "|---" * (len(shares) + 1) + "|"]
    for name, found in rows:
        lines.append("| %s | %s |" % (name, " | ".join(
            "%d: %.1f %%, worst %+.1f" % (
                len(e), 100 * statistics.mean(map(abs, e)),
                100 * max(e, key=abs)) if e else "none" for e in found)))
    return "\n".join(lines)
