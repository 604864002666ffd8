#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Recorded traces (record.py) as tables in C.

    tests/sources/tables.py train|held OUTPUT TRACE.xz…

`train` has what source.c needs, `held` what its test compares with."""

import lzma
import os
import re
import sys

PERIOD = 1000000000 // 30
RESPONSE = 200          # frames: TRACE_RESPONSE
SETTLED = 170           # from here on an encoder is taken to obey
HEADER = 12
# Whose frames leave as they are, or not at all: a group of them is one decision.
UNSCALED, GROUP = ["mpegscaler-drop"], 12
PACKED = "mpegscaler"           # whose payloader fills packets with slices


class Run:
    """first, sizes, key as struct Trace has them."""

    def __init__(self, steps):
        self.steps = steps
        self.first, self.sizes, self.key = [0], [], []

    def add(self, line):
        for size, _, n in re.findall(r"(\d+)(\*(\d+))?", line):
            self.sizes += [int(size)] * int(n or 1)
        self.first.append(len(self.sizes))
        self.key.append(int("k" in line))

    def start(self):
        """Frame 0 becomes the first that left: an encoder that holds frames
        back has worked before."""
        held_back = self.first.count(0) - 1
        self.first = self.first[held_back:]
        self.key = self.key[held_back:]
        self.steps = tuple((target, max(0, at - held_back))
                           for target, at in self.steps)

    def octets(self, frame):
        packets = self.sizes[self.first[frame]:self.first[frame + 1]]
        return sum(packets) - HEADER * len(packets)


def read(path):
    """{set: ({target: run}, [run with steps])}"""
    runs, sets = [], {}
    with lzma.open(path, "rt") as f:
        for line in f:
            if line.startswith("#"):
                _, which, _, *steps = line.split()
                run = Run([tuple(map(int, s.split("@"))) for s in steps])
                runs.append((which, run))
            else:
                run.add(line.rstrip("\n"))
    for which, run in runs:
        run.start()
        fixed, stepped = sets.setdefault(which, ({}, []))
        if len(run.steps) == 1:
            fixed[run.steps[0][0]] = run
        else:
            stepped.append(run)
    return sets


def span(n, least):
    """Frames over which a response is averaged: more and more of them."""
    half = max(least, 1 + n // 8 if n else 0)
    return range(max(0, n - half), min(RESPONSE, n + half + 1))


def response(fixed, stepped, up, least=0):
    """Which part of the change from one fixed rate to another has been made n
    frames after it, over all steps up or down. All runs have the same
    pictures, so that nothing but the change differs."""
    changes = [(run, fixed[a], fixed[b], at) for run in stepped
               for (a, _), (b, at) in zip(run.steps, run.steps[1:])
               if (b > a) == up]
    made, whole = [0] * RESPONSE, [0] * RESPONSE
    for run, old, new, at in changes:
        for n in range(min(RESPONSE, len(run.key) - at)):
            before = old.octets(at + n)
            made[n] += run.octets(at + n) - before
            whole[n] += new.octets(at + n) - before
    curve = []
    for n in range(RESPONSE):
        changed = sum(whole[k] for k in span(n, least))
        curve.append(sum(made[k] for k in span(n, least)) / changed
                     if changed else 1.0)
    tail = RESPONSE - SETTLED
    return [s + (1 - s) * min(1, max(0, n - SETTLED) / tail)
            for n, s in enumerate(curve)]


def array(kind, name, values):
    yield "static const %s %s[] = {" % (kind, name)
    for at in range(0, len(values), 12):
        yield "  " + ", ".join(map(str, values[at:at + 12])) + ","
    yield "};"


def trace(name, run):
    yield from array("uint32_t", name + "_first", run.first)
    yield from array("uint16_t", name + "_sizes", run.sizes)
    yield from array("uint8_t", name + "_key", run.key)


def initializer(name, run):
    return "{ %d, %d, %s_first, %s_sizes, %s_key }," % (
        run.steps[0][0], len(run.key), name, name, name)


def traces(name, runs):
    for n, run in enumerate(runs):
        yield from trace("%s_%d" % (name, n), run)
    yield "static const Trace %s[] = {" % name
    for n, run in enumerate(runs):
        yield "  " + initializer("%s_%d" % (name, n), run)
    yield "};"


def curve(name, values):
    return "  .%s = { %s }," % (name, ", ".join("%.3ff" % v for v in values))


def curves(name, sets, label):
    """How an encoder obeys."""
    least = GROUP if label in UNSCALED else 0
    yield "static const TraceResponse %s_response = {" % name
    yield curve("up", response(*sets, True, least))
    yield curve("down", response(*sets, False, least))
    yield "};"


def train(encoders):
    """What source.c works with."""
    names = []
    for label, sets in encoders:
        name = label.replace("-", "_")
        fixed, _ = sets["train"]
        if len({len(run.key) for run in fixed.values()}) > 1:
            raise SystemExit(label + ": its traces are not in step")
        yield from traces(name, [fixed[t] for t in sorted(fixed)])
        yield from curves(name, sets["train"], label)
        yield "static const SourceEncoder %s_encoder = {" % name
        yield "  \"%s\", %d, %d, %d, %s, &%s_response" % (
            label, PERIOD, label not in UNSCALED, label.startswith(PACKED),
            name, name)
        yield "};"
        names.append(name)
    yield "const SourceEncoder *const source_encoders[] = {"
    for name in names:
        yield "  &%s_encoder," % name
    yield "  NULL\n};"


def held(encoders):
    """What its agreement is measured with."""
    rows = []
    for label, sets in encoders:
        for which in sorted(set(sets) - {"train"}):
            name = "%s_%s" % (label.replace("-", "_"), which)
            fixed, _ = sets[which]
            yield from traces(name, [fixed[t] for t in sorted(fixed)])
            yield from curves(name, sets[which], label)
            rows.append("  { \"%s\", \"%s\", %d, %s, &%s_response }," % (
                label, which, len(fixed), name, name))
    yield "const HeldSet held_sets[] = {"
    yield from rows
    yield "  { NULL, NULL, 0, NULL, NULL }\n};"


def main():
    what, output, *paths = sys.argv[1:]
    encoders = [(os.path.basename(path)[:-len(".xz")], read(path))
                for path in paths]
    with open(output, "w") as f:
        print("/* Written by tables.py. */\n#include <stddef.h>\n"
              "#include \"source.h\"\n#include \"%s.h\"" % (
                  "trace" if what == "train" else "held"), file=f)
        for line in (train if what == "train" else held)(encoders):
            print(line, file=f)


if __name__ == "__main__":
    main()
