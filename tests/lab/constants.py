#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What each constant of poise that is no parameter does: halves and doubles it in a
copy of its file, links psp-lab with that, and writes into docs/evidence/poise.md in
which cases the mean leaves the range of all seeds.

    tests/lab/constants.py BUILD [--seeds 1-6]

BUILD is Meson's build directory, with psp-lab. It takes a quarter of an hour of two
processors."""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import tempfile

import page

POISE = os.path.join(page.HERE, "..", "..", "gst-libs", "control", "poise")
FILES = ["cc-poise", "poise-pacing", "poise-start", "poise-arrivals", "poise-contention",
         "poise-marks", "poise-bursts", "trains", "queueing", "receivedrate",
         "losstest", "competition", "cubic", "signs", "sawtooth"]
CASES = page.ABLATION_CASES + ["pages", "pagesmall", "start", "rtt200", "jitter30",
                               "jitterfast", "hole30", "self2", "self8narrow",
                               "selfshallow", "r60k", "clock", "apploss",
                               "loss1", "l4s", "hole1", "cubicfirst", "cubicfirst40",
                               "renofirst20", "renofirst40", "selfloss", "tcpleave1"]
FIGURES = {"use", "loss%", "wait95", "delay95", "share", "worst", "Jain", "peak", "up"}
# A difference that nobody would notice, in parts of the figure.
LEAST = .05
# A link of 20 kb/s lets a packet wait for as long, whatever leaves.
SKIPPED = {("stop20", "peak")}


def constants(name):
    """Each member of a file's `defaults`: (name, where its value begins, ends)."""
    with open(os.path.join(POISE, name + ".c")) as f:
        text = f.read()
    block = re.search(r"\} defaults = \{\n(.*?)\n\};", text, re.DOTALL)
    for m in re.finditer(r"^  \.(\w+) = ([^,]+),", block[1], re.MULTILINE):
        yield m[1], block.start(1) + m.start(2), block.start(1) + m.end(2)


def commands(build, name):
    """How Meson compiles the file, and links psp-lab."""
    with open(os.path.join(build, "compile_commands.json")) as f:
        compile_ = next(c["command"] for c in json.load(f)
                        if c["file"].endswith("/control/poise/%s.c" % name))
    link = subprocess.run(["ninja", "-C", build, "-t", "commands",
                           "tests/lab/psp-lab"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.splitlines()[-1]
    return shlex.split(compile_), shlex.split(link)


def replace(command, option, value):
    i = command.index(option)
    return command[:i + 1] + [value] + command[i + 2:]


def measure(build, seeds, name, begin, end, factor):
    """psp-lab's figures with a constant that is `factor` times as large."""
    build = os.path.abspath(build)
    compile_, link = commands(build, name)
    with open(os.path.join(POISE, name + ".c")) as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        source, made, lab = (os.path.join(folder, n)
                             for n in ("changed.c", "changed.o", "psp-lab"))
        with open(source, "w") as f:
            f.write("%s(%s) * %g%s" % (text[:begin], text[begin:end], factor,
                                       text[end:]))
        subprocess.run(replace(replace(compile_, "-o", made), "-c", source),
                       check=True, cwd=build)
        # What the object defines is not taken from the library.
        link = replace(link, "-o", lab)
        link.insert(link.index(lab) + 1, made)
        subprocess.run(link, check=True, cwd=build)
        return page.run(lab, seeds, "poise", CASES)


def number(value):
    return "never" if value == float("inf") else \
        page.share(value) if value < 2 else "%.0f" % value


def changes(found, base):
    told = []
    for case in dict.fromkeys(CASES):
        for figure, (mean, least, most) in base[case].items():
            now = found[case][figure][0] if figure in found[case] else mean
            if figure in FIGURES and (case, figure) not in SKIPPED \
                    and not least <= now <= most \
                    and abs(now - mean) > LEAST * max(abs(mean), .05):
                told.append("%s %s %s→%s" % (case, figure, number(mean),
                                             number(now)))
    return "; ".join(told) or "–"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seeds", default="1-6")
    args = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        base = page.run(os.path.join(args.build, "tests", "lab", "psp-lab"),
                        args.seeds, "poise", CASES)
        rows = [(name, constant, [pool.submit(measure, args.build, args.seeds, name,
                                              begin, end, factor)
                                  for factor in (.5, 2)])
                for name in FILES for constant, begin, end in constants(name)]
        text = "\n".join(page.table(
            ["file", "constant", "halved", "doubled"],
            (["`%s`" % name, "`%s`" % constant] +
             [changes(job.result(), base) for job in jobs]
             for name, constant, jobs in rows)))
    page.put("defaults", text)


if __name__ == "__main__":
    main()
