#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What the last `meson test` of a build directory found.

    tests/results.py skipped BUILD    each test that was skipped, and its reason
    tests/results.py again BUILD      the tests that failed, where each of them is
                                      judged in real time; else exit code 1
"""
import glob
import json
import os
import sys

REAL_TIME = {"demos", "examples", "interop", "link", "pipelines", "sockets",
             "view"}
PASSED = {"OK", "SKIP", "EXPECTEDFAIL"}


def read(build):
    """The newest log: one of several set-ups may have written it."""
    logs = glob.glob(os.path.join(build, "meson-logs", "testlog*.json"))
    if not logs:
        return []
    with open(max(logs, key=os.path.getmtime)) as log:
        return [json.loads(line) for line in log]


def skipped(tests):
    for test in tests:
        if test["result"] == "SKIP":
            said = test.get("stdout") or test.get("stderr") or "no reason given"
            print("skipped: %s: %s" % (test["name"], said.strip().splitlines()[-1]))


def again(tests):
    """A name is "project:suite+suite / test"."""
    names = [test["name"] for test in tests if test["result"] not in PASSED]
    for name in names:
        suites = name.split(" / ")[0].partition(":")[2].split("+")
        if not REAL_TIME.intersection(suites):
            sys.exit(1)
    if not names:
        sys.exit(1)
    print(" ".join(name.split(" / ")[1] for name in names))


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("skipped", "again"):
        sys.exit(__doc__)
    {"skipped": skipped, "again": again}[sys.argv[1]](read(sys.argv[2]))


main()
