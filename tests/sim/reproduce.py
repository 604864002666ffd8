#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Reproduces what the papers measured: runs the scenarios in
tests/sim/scenarios, judges the papers' claims by what comes out, and draws
their figures.

    tests/sim/reproduce.py BUILD [--only PAPER,…] [--out DIR] [--jobs 2]
    tests/sim/reproduce.py BUILD --docs     writes docs/evidence/reproduction.md
    tests/sim/reproduce.py BUILD --quick    the reduced form, without figures
    tests/sim/reproduce.py --check          reads the scenarios, runs nothing

DIR (default BUILD/reproduction) gets a table of rows for each scenario that
is run here, PAPER-SCENARIO.csv, and, but for --quick, the page and its figures.
Tables of other commands are read, and never written: from --csv DIR (default
BUILD/reproduction), or else those that are kept beside the scenarios. The status
is 0 unless something went wrong or a claim that is marked `ci` did not hold:
that another claim differs is a result."""

import argparse
import functools
import glob
import os
import shutil
import signal
import sys

sys.dont_write_bytecode = True

from repro import plot, report                          # noqa: E402
from repro.claims import judge_all                      # noqa: E402
from repro.problem import Missing, Problem, every       # noqa: E402
from repro.progress import Progress                     # noqa: E402
from repro.runs import execute                          # noqa: E402
from repro.scenario import read_papers                  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(HERE, "..", "..", "docs", "evidence")
SKIPPED = 77                # what meson takes for "skipped"
LARGE = 150000              # bytes of a figure


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", nargs="?", help="Meson's build directory")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", help="these papers, by their short names")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--out", help="for what is made")
    parser.add_argument("--csv", help="where tables of other commands are")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true",
                        help="keep each run's output, and use what was kept\n"
                        "of the same program and arguments")
    parser.add_argument("--skip-missing", action="store_true",
                        help="where programs are missing: say so, status 77")
    parser.add_argument("--scenarios", default=os.path.join(HERE, "scenarios"),
                        help=argparse.SUPPRESS)
    args = parser.parse_args()
    if not (args.build or args.check):
        parser.error("which build directory?")
    if args.docs and (args.only or args.quick):
        parser.error("--docs takes all papers, in full")
    if args.jobs < 1:
        parser.error("--jobs is to be at least 1")
    if args.build:
        args.out = args.out or os.path.join(args.build, "reproduction")
        args.csv = args.csv or os.path.join(args.build, "reproduction")
    return args


def quick_forms(papers):
    for paper in papers:
        forms = {name: scenario.quickly()
                 for name, scenario in paper.scenarios.items()}
        paper.scenarios = {name: s for name, s in forms.items() if s}


def write_tables(papers, results, folder):
    for paper in papers:
        for name, table in results[paper.name].items():
            if paper.scenarios[name].program:
                table.write(os.path.join(folder, "%s-%s.csv" % (
                    paper.name, name)), name)


def print_verdicts(papers, verdicts):
    for paper in papers:
        print("\n" + paper.title)
        for v in verdicts[paper.name]:
            print("  %-10s %s: %s: %s; paper %s" % (
                v.verdict, v.claim.figure, v.claim.text,
                report.ours_value(v), report.papers_value(v.claim)))


def draw(pyplot, paper, figure, results, folder):
    name = report.figure_file(paper, figure)
    size = plot.draw(pyplot, figure, results[paper.name],
                     os.path.join(folder, name))
    if size > LARGE:
        print("%s is large: %d kB" % (name, size / 1000))
    return name


def draw_all(papers, results, folder):
    pyplot = plot.load()
    return every(functools.partial(draw, pyplot, paper, figure, results,
                                   folder)
                 for paper in papers for figure in paper.figures)


def write_page(args, papers, results, verdicts, cpu):
    folder = DOCS if args.docs else args.out
    made = draw_all(papers, results, folder) + ["reproduction.md"]
    runs = sum(len(s.combinations()) * s.seeds for p in papers
               for s in p.scenarios.values() if s.program)
    with open(os.path.join(folder, "reproduction.md"), "w") as file:
        file.write(report.page(papers, verdicts, results, runs, cpu))
    print("\nwritten: " + os.path.normpath(
        os.path.join(folder, "reproduction.md")))
    if args.docs:
        tidy_docs(made)


def tidy_docs(made):
    """Removes figures of earlier runs."""
    for path in glob.glob(os.path.join(DOCS, "reproduction-*.svg")):
        if os.path.basename(path) not in made:
            os.remove(path)


def reproduce(args, papers):
    os.makedirs(args.out, exist_ok=True)
    if args.quick:
        quick_forms(papers)
    work = os.path.join(args.out, "runs")
    results, cpu = execute(papers, args.build, work, args.csv, args.jobs,
                           Progress(), args.keep)
    print("%.0f s of processor time" % cpu)
    write_tables(papers, results, args.out)
    verdicts = dict(zip(results, every(
        functools.partial(judge_all, p, results[p.name], args.quick)
        for p in papers)))
    print_verdicts(papers, verdicts)
    if not args.quick:
        write_page(args, papers, results, verdicts, cpu)
    if not args.keep:
        shutil.rmtree(work)
    failed = [v for found in verdicts.values() for v in found if v.fails]
    for v in failed:
        print("does not hold: %s, but: %s" % (v.claim.place,
                                              report.ours_value(v)))
    return 1 if failed else 0


def main():
    args = parse()
    # as Ctrl-C: no simulation goes on without us
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        papers = read_papers(
            glob.glob(os.path.join(args.scenarios, "*.toml")),
            args.only and args.only.split(","))
        if not papers:
            raise Problem("there are no scenarios in " + args.scenarios)
        if args.check:
            for paper in papers:
                print("%s: %d scenarios, %d claims, %d figures" % (
                    paper.name, len(paper.scenarios), len(paper.claims),
                    len(paper.figures)))
            return 0
        return reproduce(args, papers)
    except Missing as problem:
        print(problem, file=sys.stderr)
        return SKIPPED if args.skip_missing else 1
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
