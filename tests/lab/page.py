#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Runs the laboratory over all its cases and writes the tables of
docs/evidence/poise.md, each between its marks.

    tests/lab/page.py BUILD [--seeds 1-10]

BUILD is Meson's build directory. It takes some minutes of two processors."""

import argparse
import concurrent.futures
import os
import re
import statistics
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "evidence", "poise.md")
CONTROLLERS = ["scp", "poise"]
ENCODERS = ["x264-zerolatency-busy", "x264-zerolatency", "x264-default", "openh264", "vp8", "vp9",
            "screen", "mpegscaler-drop", "mpegscaler-requantize",
            "mpegscaler-auto"]
ENCODER_CASES = ["key", "start", "step", "stop20", "hole30", "cubic60",
                 "cubicfirst", "cubic15", "cubicfirst15", "pages", "pagesmall",
                 "self2", "self3narrow", "self8narrow", "loss5", "jitter",
                 "jitter30", "wifi"]
ABLATION_CASES = ["key", "slices", "step", "r51j", "self4", "cubic60",
                  "cubicfirst15", "loss5", "police", "longer", "app", "tcpleave",
                  "cross", "wifi", "stop20"]
# What one parameter does: the value at which its rule does nothing, or another.
ABLATION = {
    "": "as it is",
    "pacing-gain=1": "no faster than the capacity: trains show no rise",
    "headroom=1": "", "growth=0": "additive increase alone",
    "drain=100": "no draining",
    "backlog-reduction=0": "the sender's queue does not count", "slack=0": "",
    "threshold=.03": "", "decrease=.7": "", "increase=.1": "",
    "train=.004": "short trains",
    "compete-after=100": "competes only where a queue overflows",
    "dip-interval=1000": "no dips", "tolerated-loss=1": "no loss test",
    "delay-life=1000": "minima do not age",
    "yielded-share=1": "competes without having given way"}

# TCP is there before the media or comes to it on links whose queue has 25 to 800 ms and
# holds at least half of what is under way on the path.
LINKS = [(rate, delay, queue) for rate in (1, 2, 4, 8, 16) for delay in (5, 20, 50)
         for queue in (10, 20, 30, 40, 60, 100, 200)
         if max(25, delay) <= queue * 12 / rate <= 800]
LINK_SOURCES = ["keys", *ENCODERS]
ORDERS = {"a CUBIC that was there": "media:%s@20 cubic",
          "a CUBIC that comes": "media:%s cubic@10",
          "a Reno that was there": "media:%s@20 reno",
          "a Reno that comes": "media:%s reno@10"}


def run(lab, seeds, controller, cases, source=None):
    """{case: {figure: (mean, least, largest)}}"""
    command = [lab, "-r", "-s", seeds, "-c", controller]
    command += ["-m", source] if source else []
    found = {}
    for line in subprocess.run(command + cases, check=True, text=True,
                               stdout=subprocess.PIPE).stdout.splitlines():
        case, _, figure, *values = line.split(",")
        found.setdefault(case, {})[figure] = tuple(map(float, values))
    return found


def constants(lab):
    """Each parameter of poise halved and doubled, as far as its range goes."""
    for line in subprocess.run([lab, "-p", "poise"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.splitlines():
        name, *numbers = line.split(",")
        least, most, default = map(float, numbers)
        for value in (max(default / 2, least), min(default * 2, most)):
            yield "%s=%g" % (name, value)


def share(value):
    return ("%.3f" % value).replace("0.", ".", 1) if value < 1 else \
        "%.3f" % value


def spread(values):
    return "%s (%s–%s)" % tuple(map(share, values))


def seconds(values):
    if any(v == float("inf") for v in values):
        return "never in some"
    return "%.1f (%.1f–%.1f)" % values


def whole(figures, name):
    value = figures.get(name, (float("inf"),))[0]
    return "–" if value == float("inf") else "%.0f" % value


def cell(f):
    text = "%s / %s / %s / %.2f" % (
        spread(f["use"]), whole(f, "wait95"), whole(f, "delay95"),
        f.get("loss%", (0,))[0])
    if "share" in f and f["share"][0] < 1:
        text += "; share **%s**, worst %s" % (spread(f["share"]),
                                              share(f["worst"][0]))
    if "Jain" in f:
        text += "; Jain " + spread(f["Jain"])
    if "peak" in f:
        text += "; peak %s, down %.1f" % (whole(f, "peak"), f["down"][0])
    if "up" in f:
        text += ", up " + seconds(f["up"])
    return text


def short(case, f):
    if case.startswith("cubic"):
        return "%s; %s" % (share(f["share"][0]), share(f["worst"][0]))
    if case == "police":
        return "%s / %.2f" % (share(f["use"][0]), f["loss%"][0])
    text = "%s / %s / %s" % (share(f["use"][0]), whole(f, "wait95"),
                             whole(f, "delay95"))
    if case == "step":
        text += "; " + whole(f, "peak")
    if case in ("cross", "stop20"):
        text += "; " + ("never in some" if f["up"][2] == float("inf")
                        else "%.1f" % f["up"][0])
    if case == "self4":
        text += "; " + share(f["Jain"][0])
    return text


def table(head, rows):
    yield "| %s |" % " | ".join(head)
    yield "|---" * len(head) + "|"
    for row in rows:
        yield "| %s |" % " | ".join(row)


def beside(lab, seeds, controller, flows):
    """The share of each link's mean, and the least of all runs."""
    means, least = [], 1
    for rate, delay, queue in LINKS:
        way = "rate=%dM,delay=%dms,queue=%dp" % (rate, delay, queue)
        lines = subprocess.run(
            [lab, "-r", "-s", seeds, "-c", controller, "-L", way, "-B",
             "delay=%dms" % delay, "-F", flows, "-T", "140"],
            check=True, text=True, stdout=subprocess.PIPE).stdout
        found = re.search(r",share,([\d.]+),([\d.]+)", lines)
        means.append(float(found[1]))
        least = min(least, float(found[2]))
    return sorted(means), least


def link_row(source, order, found):
    means, least = found
    tenths = statistics.quantiles(means, n=10)
    return [source, order, share(statistics.mean(means)),
            "%s–%s" % (share(tenths[0]), share(tenths[-1])),
            "%d of %d" % (sum(m < .25 for m in means), len(means)), share(least)]


def blurbs(lab):
    lines = subprocess.run([lab, "-l"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return dict(line.split(None, 1) for line in lines
                if not line.startswith("source"))


def make_tables(lab, seeds, pool):
    said = blurbs(lab)
    jobs = {c: pool.submit(run, lab, seeds, c, []) for c in CONTROLLERS}
    recorded = {e: {c: pool.submit(run, lab, seeds, c, ENCODER_CASES, e)
                    for c in CONTROLLERS} for e in ENCODERS}
    links = {(s, o): pool.submit(beside, lab, "1-4", "poise", ORDERS[o] % s)
             for s in LINK_SOURCES for o in ORDERS}
    ablation = {a: pool.submit(run, lab, seeds, "poise" + ":" * bool(a) + a,
                               ABLATION_CASES)
                for a in [*ABLATION, *constants(lab)]}
    found = {c: job.result() for c, job in jobs.items()}
    yield "cases", table(
        ["case", ""] + ["`%s`" % c for c in CONTROLLERS],
        ([case, said[case]] + [cell(found[c][case]) for c in CONTROLLERS]
         for case in said))
    yield "encoders", table(
        ["encoder", "case"] + ["`%s`" % c for c in CONTROLLERS],
        ([e, case] + [cell(recorded[e][c].result()[case])
                      for c in CONTROLLERS]
         for e in ENCODERS for case in ENCODER_CASES))
    yield "links", table(
        ["encoder", "", "share", "of eight links in ten", "links below .25",
         "least run"],
        (link_row(s, o, job.result()) for (s, o), job in links.items()))
    yield "ablation", table(
        [""] + ABLATION_CASES,
        (["`%s`%s" % (a, ": " * bool(what) + what) if a else what] +
         [short(case, ablation[a].result()[case]) for case in ABLATION_CASES]
         for a, what in ABLATION.items()))
    yield "constants", table(
        [""] + ABLATION_CASES,
        ([a and "`%s`" % a or "as it is"] +
         [short(case, ablation[a].result()[case]) for case in ABLATION_CASES]
         for a in ["", *constants(lab)]))


def put(name, text):
    """Writes a table between its marks."""
    with open(PAGE) as f:
        page = f.read()
    page, n = re.subn(r"(<!-- %s -->\n).*?(<!-- end -->)" % name,
                      lambda m: m[1] + "\n" + text + "\n\n" + m[2], page,
                      flags=re.DOTALL)
    if n != 1:
        raise SystemExit("%s has no place for the table %s" % (PAGE, name))
    with open(PAGE, "w") as f:
        f.write(page)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seeds", default="1-10")
    args = parser.parse_args()
    lab = os.path.join(args.build, "tests", "lab", "psp-lab")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, lines in make_tables(lab, args.seeds, pool):
            put(name, "\n".join(lines))


if __name__ == "__main__":
    main()
