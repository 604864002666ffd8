#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Follows README.md and the guide as a newcomer does: types each line of each
block marked sh, in order, and stops at the first that does not do what the text
says.

    follow.py --quick BUILD     what can be checked on a build: each line is of a
                                known sort, and what it names is there
    follow.py --list            the lines
    follow.py ENTER…            follows them; ENTER… and a line for a shell is a
                                command that runs the line (newcomer.sh)

Launch lines under one heading play at the same time, until they are interrupted.
Those with a window must show something where DISPLAY is set."""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

import pages

PLAYING = 15            # s that launch lines have to show something
LONGEST = 3600          # s for any other line
PAGES = ["README.md", "docs/guide.md"]


def blocks():
    """(page, [line, …]) for what stands under one heading; lines that go on are
    one."""
    for page in PAGES:
        text = pages.read(os.path.join(pages.TOP, page))
        lines = []
        for part in re.finditer(
                r"^#+ [^\n]*$|%s" % pages.FENCE.pattern, text, re.M | re.S):
            if part.group(0).startswith("#"):
                yield page, lines
                lines = []
            elif part.group(2) == "sh":
                lines += [line.strip() for line in re.sub(
                    r"\\\n\s*", " ", part.group(3)).splitlines()
                    if line.strip()]
        yield page, lines


def sort_of(line):
    if line.startswith("gst-launch-1.0 "):
        return "launch"
    if line.startswith("meson devenv "):
        return "shell"
    if re.match(r"(apt|apt-get) install ", line):
        return "apt"
    if re.match(r"\./\S+", line):
        return "script"
    if re.match(r"meson (setup|compile|install|test|dist)\b", line):
        return "meson"
    return None


# What can be known from a build

def faults_of(line, build):
    sort = sort_of(line)
    if not sort:
        yield "a line of no known sort"
    elif sort == "script":
        script = os.path.join(pages.TOP, line.split()[0])
        if not os.access(script, os.X_OK):
            yield "it is not there, or cannot be executed"
        elif subprocess.run(["bash", "-n", script]).returncode:
            yield "bash does not understand it"
    elif sort == "shell":
        typed = shlex.split(line.partition("#")[0].replace("$PWD", pages.TOP))
        typed = [build if word == "build" else word for word in typed]
        if subprocess.run(typed + ["gst-inspect-1.0", "pspsink"],
                          stdout=subprocess.DEVNULL).returncode:
            yield "the shell does not find the plugins"
    elif sort == "apt":
        with open(os.path.join(pages.TOP, "tests/packages/build.sh")) as file:
            if "./build/packages/*.deb" not in line or \
                    "$build/packages" not in file.read():
                yield "build.sh puts the packages elsewhere"


def quick(build):
    count = fault = 0
    for page, lines in blocks():
        for line in lines:
            count += 1
            for why in faults_of(line, build):
                print("%s: %s\n    %s" % (page, why, line))
                fault += 1
    print("%d lines, %d fail; docs-launch runs the launch lines" % (
        count, fault))
    return 1 if fault or not count else 0


# For real

def shows_something():
    """Whether the display has more than one colour; None without a display."""
    if not os.environ.get("DISPLAY"):
        return None
    octets = subprocess.run(
        ["gst-launch-1.0", "-q", "ximagesrc", "use-damage=false",
         "show-pointer=false", "num-buffers=1", "!", "videoconvert", "!",
         "videoscale", "!", "video/x-raw,format=RGB,width=64,height=48", "!",
         "fdsink", "fd=1"], stdout=subprocess.PIPE).stdout
    return len(set(octets)) > 8


class Newcomer:
    def __init__(self, enter):
        self.enter = enter
        self.shell = ""         # that is typed first, and stays

    def typed(self, line):
        line = re.sub(r"\b192\.0\.2\.\d+\b", "127.0.0.1", line)
        if self.shell:
            line = "%s bash -c %s" % (self.shell, shlex.quote(line))
        return self.enter + [line]

    def play(self, lines):
        """What is wrong with launch lines that play together, or None."""
        playing = []
        for line in lines:
            log = tempfile.TemporaryFile("w+")
            playing.append((line, log, subprocess.Popen(
                self.typed("timeout -s INT %d %s" % (PLAYING, line)),
                stdout=log, stderr=log)))
            time.sleep(1)
        wants = any("autovideosink" in line for line in lines)
        seen, end = False, time.monotonic() + PLAYING - 3
        while wants and seen is False and time.monotonic() < end:
            time.sleep(1)
            seen = shows_something()
        for line, log, process in playing:
            code = process.wait()
            log.seek(0)
            said = log.read()
            if code not in (0, 124) or "ERROR" in said:
                return "status %d\n%s" % (code, said[-2000:])
        return "no window shows anything" if wants and seen is False else None

    def run(self, line):
        """What is wrong with a line that ends by itself, or None."""
        if sort_of(line) == "apt":
            line = "yes | " + line          # it asks whether to go on
        code = subprocess.run(self.typed(line), timeout=LONGEST,
                              stdin=subprocess.DEVNULL).returncode
        return "status %d" % code if code else None

    def follow(self):
        for page, lines in blocks():
            together = [line for line in lines if sort_of(line) == "launch"]
            for line in [line for line in lines if line not in together] + \
                    ([together] if together else []):
                begun = time.monotonic()
                shown = "\n  and ".join(together) if line is together else line
                print("%s: %s" % (page, shown), flush=True)
                if line is together:
                    why = self.play(line)
                elif sort_of(line) == "shell":
                    self.shell = line.partition("#")[0].strip()
                    why = self.run("gst-inspect-1.0 pspsink >/dev/null")
                else:
                    why = self.run(line)
                print("  %s (%.0f s)" % (why or "as it says",
                                         time.monotonic() - begun), flush=True)
                if why:
                    return 1
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", metavar="BUILD")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("enter", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if args.quick:
        return quick(args.quick)
    if args.list:
        for page, lines in blocks():
            print(*lines, sep="\n")
        return 0
    if not args.enter:
        parser.error("ENTER is missing")
    return Newcomer(args.enter).follow()


if __name__ == "__main__":
    sys.exit(main())
