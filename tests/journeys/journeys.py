#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Counts through how many source files an event of a real session travels, from
a trace of all calls: feedback to the frame that is dropped for it, a buffer to
the paced packet, a macroblock that is requantized. And how many files know the
codec, and the wire, from their #includes.

    tests/journeys/journeys.py BUILD [--commit COMMIT | --source FOLDER]
        [--output FILE] [--verbose]

BUILD is a build of that tree with -finstrument-functions; where there is none
it is made (for a commit from a clone of it, BUILD-source). For example, before
and after:

    tests/journeys/journeys.py /tmp/before --commit b71db03
    tests/journeys/journeys.py /tmp/after

A file is "on the way" where one of its functions does what happens to the
event (windows.py lists these steps), or called who does. "Entered" is whatever
ran in between: helpers, clocks, statistics as well. Functions count that were
inlined, for the trace has them; headers do not, for a header's inline functions
are read with the file that uses them. Of many events of a session the one of
the median count is shown."""

import argparse
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import includes         # noqa: E402
import sessions         # noqa: E402
import tracing          # noqa: E402
import windows          # noqa: E402

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
OPTIONS = ["-Dtests=false", "-Dmpegtranscoder=disabled", "-Dbpf=disabled",
           "-Ddocs=disabled", "-Dintrospection=disabled",
           "-Dc_args=-finstrument-functions"]


def run(*command):
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def prepare(build, source, commit):
    """Builds; the source folder."""
    if commit:
        source = build.rstrip("/") + "-source"
        if not os.path.exists(source):
            run("git", "clone", "--quiet", "--shared", "--no-checkout", TREE,
                source)
        run("git", "-C", source, "checkout", "--quiet", "--detach", commit)
    if not os.path.exists(os.path.join(build, "build.ninja")):
        run("meson", "setup", build, source, *OPTIONS)
    run("ninja", "-C", build)
    return os.path.realpath(source)


def name_of(source):
    commit = subprocess.run(["git", "-C", source, "describe", "--always",
                             "--dirty"], stdout=subprocess.PIPE, text=True)
    return commit.stdout.strip() or os.path.basename(source)


def grouped(files):
    """{folder: "a.c, b.c"}"""
    folders = {}
    for f in files:
        folders.setdefault(os.path.dirname(f), []).append(os.path.basename(f))
    return {folder: ", ".join(names) for folder, names in folders.items()}


class Report:
    def __init__(self, verbose):
        self.verbose, self.lines, self.complete = verbose, [], True
        self.summary = [
            "| journey | files on the way | files entered | events |",
            "|---|---|---|---|"]

    def add(self, title, events, steps):
        events = list(events)
        self.lines += ["", "## " + title, ""]
        if not events:
            self.lines.append("No such event is in the trace.")
            self.summary.append("| %s | ? | ? | 0 |" % title)
            self.complete = False
            return
        event = windows.typical(events, steps)
        way, entered = event.on_the_way(steps), event.entered()
        aside = [f for f in windows.sources(entered) if f not in way]
        n_way = len(windows.sources(way))
        self.summary.append("| %s | %d | %d | %d |" % (
            title, n_way, n_way + len(aside), len(events)))
        self._table("on the way", windows.sources(way))
        self._table("entered besides", aside)
        missing = event.missing(steps)
        if missing:
            self.complete = False
            self.lines += ["Steps that no function has done: %s." %
                           ", ".join(missing), ""]
        if self.verbose:
            self._functions("did a step, or called who did", way)
            self._functions("ran", entered)

    def _table(self, title, files):
        self.lines += ["| folder | files %s: %d |" % (title, len(files)),
                       "|---|---|"]
        self.lines += ["| `%s` | %s |" % pair
                       for pair in grouped(files).items()]
        self.lines.append("")

    def _functions(self, title, files):
        self.lines += ["Functions that %s, in order of their files:" % title,
                       ""]
        self.lines += ["- `%s`: %s" % (file, ", ".join(names))
                       for file, names in files.items()]
        self.lines.append("")

    def text(self, name):
        return "\n".join(["# Journeys: " + name, "", *self.summary,
                          *self.lines]) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--source", default=TREE)
    parser.add_argument("--commit")
    parser.add_argument("--output")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()

    build = os.path.abspath(options.build)
    source = prepare(build, options.source, options.commit)
    report = Report(options.verbose)
    with tempfile.TemporaryDirectory() as scratch:
        traced = sessions.Traced(build, scratch)
        threads = tracing.read_trace(traced.stream(), source)
        report.add("feedback → dropped frame",
                   windows.feedback_to_drop(threads), windows.FEEDBACK_STEPS)
        report.add("buffer → paced packet",
                   windows.buffer_to_packet(threads), windows.BUFFER_STEPS)
        threads = tracing.read_trace(traced.requantize(), source)
        report.add("requantized macroblock",
                   windows.requantized(threads), windows.MACROBLOCK_STEPS)
    report.lines += includes.report(source)
    text = report.text(name_of(source))
    if options.output:
        with open(options.output, "w") as f:
            f.write(text)
    else:
        print(text, end="")
    return 0 if report.complete else 1


if __name__ == "__main__":
    sys.exit(main())
