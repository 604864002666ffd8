#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The experiment's short form, asked to end while its runs go on, leaves no
process, no namespace and no half run; argument: Meson's build directory."""

import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
WITHIN = "sender.py", "receiver.py", "cross.py"     # of each run
RUNS = 2                # of the short form, which take 20 s and more
GONE = 10               # s that are enough for all of it to end


def processes(out):
    """{pid: command} of those that were told of the directory."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        pid = int(path.split("/")[2])
        try:
            with open(path) as file:
                command = file.read().replace("\0", " ")
        except OSError:         # it has just ended
            continue
        if out in command and pid != os.getpid():
            found[pid] = command
    return found


def are_within(found):
    return sum(any("/%s " % name in command for name in WITHIN)
               for command in found.values()) == RUNS * len(WITHIN)


def namespaces(found):
    """Paths of those that its links have made."""
    names = ["/run/netns/psp-%s-%d" % (end, pid)
             for pid in found for end in "ab"]
    return [name for name in names if os.path.exists(name)]


def left(out, known):
    return list(processes(out).values()) + namespaces(known) + glob.glob(
        out + "/*-*-*/")


def end(experiment, out):
    """Asks it to, once all its programs are there; what is wrong, or None."""
    found = {}
    while not are_within(found):
        if experiment.poll() is not None:
            return "it ended by itself"
        time.sleep(.05)
        found = processes(out)
    if len(namespaces(found)) != 2 * RUNS:
        return "its namespaces are not where they are looked for"
    experiment.send_signal(signal.SIGTERM)
    if experiment.wait() != 130:
        return "its status is %d" % experiment.returncode
    deadline = time.monotonic() + GONE
    while left(out, found) and time.monotonic() < deadline:
        time.sleep(.05)
    return "\n  ".join(["left:"] + left(out, found)) if left(out, found) \
        else None


def main(build):
    with tempfile.TemporaryDirectory() as out:
        experiment = subprocess.Popen([
            sys.executable, "-B", os.path.join(HERE, "..",
                                               "itcp-experiment.py"),
            build, "--quick", "--out", out])
        try:
            wrong = end(experiment, out)
        finally:
            experiment.kill()
            experiment.wait()
    if experiment.returncode == SKIPPED:
        return SKIPPED
    if wrong:
        print(wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
