#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Two builds take turns in the benchmarks: what the new one costs more.

    tests/benchmarks/compare.py OLD NEW [--turns 40] [--only NAME,…]
        [--results FILE] [--output FILE]

OLD and NEW are build directories. Each loads its own plugins and programs; the
scripts are those of this tree. Within a turn each benchmark runs with one
build, then at once with the other, and who begins changes from turn to turn.

Each turn gives a ratio NEW / OLD of each figure. The table has the geometric
mean of these and its 95 %% interval, Student's t of the logarithms. A figure is
`worse` only where the whole interval is beyond 1.03 on the bad side, `not
worse` where it all is on this side of 1.03, and `open` where it holds 1.03.
Where higher is better, beyond means below 1 / 1.03. Of 100 figures of equal
builds, up to two or three may be `worse` by chance: look at them again.

What was measured is appended to --results at once. The same command goes on
where the last one was cut, and without anything left only writes the table.

One run of one build takes, on two cores, so many seconds:
%s
A turn of all takes %d s, and 40 of them %d minutes."""

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from pspbench import paired
from pspbench.figures import HIGHER, LOWER, Figures

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
MOST_SECONDS = 600              # of a run
# Both may miss their bars; what they measured counts all the same.
TOLERATED = {"itcp-detection": 1}


def script(name, *options):
    def command(build, path, work):
        return [sys.executable, os.path.join(HERE, name + ".py"), build,
                *(o.replace("WORK", work) for o in options), "--json", path]
    return command


def program(build, name):
    """Where a build has a program: that may change from build to build."""
    for directory, _, files in os.walk(os.path.join(build, "tests")):
        if name in files:
            return os.path.join(directory, name)
    raise SystemExit("there is no %s in %s" % (name, build))


def rows_of_figures(path, out):
    with open(path) as f:
        return json.load(f)


def rows_of_detection(path, out):
    with open(path) as f:
        found, told = json.load(f), Figures()
    for row in found:
        where = "%s, %s, %s: " % (row["algorithm"], row["source"],
                                  row["scenario"])
        told.add(where + "CPU", 100 * row["cpu"], "%")
        told.add(where + "rate", row["rate"] / 1e6, "Mb/s", HIGHER)
        for kind, name in (("rexmt", "timeouts"), ("dupack", "recoveries")):
            if row[kind]["delays"]:
                told.add(where + name + ", median delay",
                         statistics.median(row[kind]["delays"]), "µs")
            if row[kind]["truth"]:
                told.add(where + name + " found",
                         row[kind]["found"] / row[kind]["truth"], "", HIGHER)
    return told.rows


def rows_of_controllers(path, out):
    """The program's table, as builds of any age print it. What is next to
    nothing is only the clock's resolution."""
    told = Figures()
    for line in out.splitlines()[1:]:
        name, report, limited, sent = line.split()
        if name in ("none", "fixed"):
            continue
        told.add(name + ": a report", float(report), "ns")
        told.add(name + ": one that was application-limited", float(limited),
                 "ns")
        told.add(name + ": a packet sent", float(sent), "ns")
    return told.rows


def controllers(build, path, work):
    return [program(build, "psp-controllers"), "100", "20000"]


# Name: seconds of a run as measured, the command, what reads its figures.
BENCHMARKS = {
    "cost": (11, script("cost", "--runs", "1", "--packets", "20000", "--turns",
                        "4", "--seconds", ".5"), rows_of_figures),
    "pacing": (2, script("pacing", "--runs", "1", "--seconds", ".3",
                         "--spacings", "100", "1000", "--ways", "auto",
                         "realtime", "sleep"), rows_of_figures),
    # What does not depend on time is kept in WORK: 17 s the first time.
    "recoding": (5, script("recoding", "--quick", "--rounds", "1", "--parts",
                           "quality,cost", "--coders", "open,closed,closed-rd",
                           "--work", "WORK"), rows_of_figures),
    "loss": (11, script("loss", "--seconds", "9"), rows_of_figures),
    "mpegcost": (3, script("mpegcost", "--runs", "1", "--loops", "16"),
                 rows_of_figures),
    "itcp-detection": (13, script("itcp-detection", "--seconds", "6",
                                  "--algorithms", "cubic", "--scenarios",
                                  "holes,fast"), rows_of_detection),
    "memory": (10, script("memory", "--packets", "200000", "--sessions",
                          "none", "fixed", "scp"), rows_of_figures),
    "psp-controllers": (1, controllers, rows_of_controllers),
}


def environment(build, directory):
    """What a program needs to find this build's plugins and no other's."""
    registry = os.path.join(directory, hashlib.sha256(
        build.encode()).hexdigest()[:16] + ".registry")
    return dict(
        os.environ, PYTHONDONTWRITEBYTECODE="1",
        GST_REGISTRY_1_0=registry, GST_REGISTRY=registry,
        GST_PLUGIN_PATH_1_0=":".join(
            os.path.join(build, part) for part in ("gst", "ext")),
        LD_LIBRARY_PATH=os.path.join(build, "gst-libs"))


def plugin_of(build, directory):
    """The file that pspsink comes from, which must be of the build."""
    text = subprocess.run(
        ["gst-inspect-1.0", "pspsink"], stdout=subprocess.PIPE, text=True,
        env=environment(build, directory)).stdout
    found = [line.split(None, 1)[1] for line in text.splitlines()
             if line.split()[:1] == ["Filename"]]
    if not found or not os.path.realpath(found[0]).startswith(
            os.path.realpath(build) + os.sep):
        raise SystemExit("%s does not load its own pspsink, but %s" % (
            build, found))
    return found[0]


def identity(build, directory):
    with open(plugin_of(build, directory), "rb") as f:
        return "%s %s" % (build, hashlib.sha256(f.read()).hexdigest())


class Results:
    """A line of JSON each run; the first says of which builds."""

    def __init__(self, path, builds):
        self.path, self.runs = path, {}
        lines = []
        if os.path.exists(path):
            with open(path, "rb") as f:
                # A cut may have left half of the last line.
                whole = [line for line in f if line.endswith(b"\n")]
            os.truncate(path, sum(map(len, whole)))
            lines = [json.loads(line) for line in whole]
        if lines and lines[0] != builds:
            raise SystemExit("%s is of other builds; name another file"
                             % path)
        for row in lines[1:]:
            self._keep(row)
        if not lines:
            self._write(builds)

    def _write(self, row):
        with open(self.path, "a") as f:
            f.write(json.dumps(row) + "\n")
            f.flush()
            os.fsync(f.fileno())

    def _keep(self, row):
        self.runs[row["benchmark"], row["turn"], row["build"]] = row

    def add(self, row):
        self._write(row)
        self._keep(row)

    def seconds(self, benchmark):
        """Of a run, as it was so far."""
        took = [row["seconds"] for key, row in self.runs.items()
                if key[0] == benchmark and "figures" in row]
        return statistics.mean(took) if took else BENCHMARKS[benchmark][0]


def run(name, build, directory):
    """The figures of one run, or why there are none."""
    _, command, read = BENCHMARKS[name]
    work = os.path.join(directory, "work")
    os.makedirs(work, exist_ok=True)
    with tempfile.TemporaryDirectory() as own:
        path = os.path.join(own, "figures.json")
        try:
            done = subprocess.run(
                command(build, path, work), stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=MOST_SECONDS,
                env=environment(build, directory))
        except subprocess.TimeoutExpired:
            return {"failed": "took more than %d s" % MOST_SECONDS}
        last = (done.stdout.strip().splitlines() or ["no reason given"])[-1]
        if done.returncode == SKIPPED or last.startswith("skipped"):
            return {"skipped": last}
        if done.returncode not in (0, TOLERATED.get(name, 0)):
            return {"failed": last}
        return {"figures": read(path, done.stdout)}


def schedule(names, turns):
    """(benchmark, turn, build), in the order in which they run."""
    for turn in range(turns):
        for name in names:
            for build in ("old", "new") if turn % 2 == 0 else ("new", "old"):
                yield name, turn, build


def say_remaining(results, todo, done):
    left = sum(results.seconds(name) for name, _, _ in todo[done:])
    print("%d of %d runs, about %d:%02d h left; next %s, turn %d, %s" % (
        done, len(todo), left // 3600, left // 60 % 60, *todo[done]),
        file=sys.stderr, flush=True)


def measure(args, results, directory):
    todo = [key for key in schedule(args.only, args.turns)
            if key not in results.runs]
    for n, (name, turn, build) in enumerate(todo):
        say_remaining(results, todo, n)
        begin = time.monotonic()
        row = run(name, getattr(args, build), directory)
        if "failed" in row:
            print("%s: %s" % (name, row["failed"]), file=sys.stderr)
        results.add(dict(row, benchmark=name, turn=turn, build=build,
                         seconds=time.monotonic() - begin))


def pairs_of(results, name, turns):
    """{figure: (unit, better, old ones, new ones)}, of turns that have
    both."""
    found = {}
    for turn in range(turns):
        rows = [results.runs.get((name, turn, build), {}).get("figures")
                for build in ("old", "new")]
        if None in rows:
            continue
        old, new = ({row["name"]: row for row in build} for build in rows)
        for figure, row in old.items():
            if figure in new:
                pair = found.setdefault(
                    figure, (row["unit"], row["better"], [], []))
                pair[2].append(row["value"])
                pair[3].append(new[figure]["value"])
    return found


def table_row(name, figure, pair):
    unit, better, old, new = pair
    compared = paired.compare(old, new)
    interval = "–" if compared.low is None else "%.3f … %.3f" % (
        compared.low, compared.high)
    said = paired.verdict(compared, better)
    return "| %s | %s | %s | %.4g | %.4g | %s | %s | %d | %s |" % (
        name, (figure + ", " + unit).rstrip(", "), better,
        statistics.median(old), statistics.median(new),
        "–" if compared.ratio is None else "%.3f" % compared.ratio, interval,
        compared.pairs, "**worse**" if said == "worse" else said)


HEAD = """\
# Old and new build in turn

`tests/benchmarks/compare.py OLD NEW --turns %d --only %s`:
medians of all turns, the geometric mean of the turns' ratios new / old, and its 95 %% interval
(Student's t of the logarithms). **worse**: the whole interval is beyond 1.03 on
the bad side; not worse: all of it is on this side; open: it holds 1.03. The
column *better* names each figure's good direction. The figures of `udpsink` and of the
system calls alone are of the same code in both builds: they show what chance does.

| benchmark | figure | better | old | new | ratio | 95 %% interval | pairs | |
|---|---|---|---|---|---|---|---|---|"""


def excuses(results, names):
    """What did not run, and how often."""
    counts = {}
    for (name, _, build), row in results.runs.items():
        for how in ("failed", "skipped"):
            if name in names and how in row:
                key = "%s, %s: %s: %s" % (name, build, how, row[how])
                counts[key] = counts.get(key, 0) + 1
    return ["- %s (%d times)" % item for item in sorted(counts.items())]


def report(results, names, turns):
    lines, said = [HEAD % (turns, ",".join(names))], []
    for name in names:
        for figure, pair in pairs_of(results, name, turns).items():
            lines.append(table_row(name, figure, pair))
            said.append(lines[-1].split("|")[-2].strip(" *"))
    lines.append("\n%d figures: %s." % (len(said), ", ".join(
        "%d %s" % (said.count(word), word)
        for word in ("worse", "not worse", "open"))))
    left_out = excuses(results, names)
    if left_out:
        lines += ["\nRuns without figures:\n"] + left_out
    return "\n".join(lines) + "\n"


def parse():
    took = "\n".join("    %-16s %3d" % (name, row[0])
                     for name, row in BENCHMARKS.items())
    turn = 2 * sum(row[0] for row in BENCHMARKS.values())
    doc = __doc__ % (took, turn, 40 * turn / 60)
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("old", type=os.path.abspath)
    parser.add_argument("new", type=os.path.abspath)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--only", type=lambda text: text.split(","),
                        default=list(BENCHMARKS), metavar="NAME,…")
    parser.add_argument("--results", default="compare.jsonl")
    parser.add_argument("--output", help="write the table there")
    args = parser.parse_args()
    unknown = [name for name in args.only if name not in BENCHMARKS]
    if unknown:
        parser.error("there is no " + ", ".join(unknown))
    return args


def main():
    args = parse()
    # What is kept between runs, streams and registries, stays beside them.
    directory = os.path.abspath(args.results) + ".work"
    os.makedirs(directory, exist_ok=True)
    results = Results(args.results, {
        build: identity(getattr(args, build), directory)
        for build in ("old", "new")})
    measure(args, results, directory)
    text = report(results, args.only, args.turns)
    print(text, end="")
    if args.output:
        with open(args.output, "w") as f:
            f.write(text)


if __name__ == "__main__":
    main()
