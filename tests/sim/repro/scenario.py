# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The scenario files, scenarios/*.toml: one for each paper.

    paper = "psp"               # short name: a-z, 0-9, -; for --only
    title = "Packet spacing …"  # the heading in docs/evidence/reproduction.md
    order = 1                   # place in the document (default 99)
    text = '''…'''              # Markdown: the paper's full reference,
                                # and what of it is reproduced

    [[reading]]                 # a row of "What was read how"
    open = "…"                  # what the paper leaves open or misprints
    taken = "…"                 # what is taken here
    why = "…"                   # optional

    [[scenario]]
    name = "spacing"            # a-z, 0-9, -; unique in the file
    program = "sim-psp"         # BUILD/tests/sim/sim-psp
    args = { duration = 20, warmup = 5 }        # --duration=20 --warmup=5
    sweep = { flows = [1, 16], spacing-us = [0, 50] }   # all combinations
    points = [ { tcp = 0 }, { tcp = 16, window = 20 } ] # instead of sweep, or
                                # combined with it: things that go together;
                                # each point names the same parameters
    seeds = 10                  # --seed=1 … --seed=10 (default 1)
    timeout = 300               # s for one process (default 600)
    quick = { seeds = 2, args = { duration = 5 }, sweep = { flows = [16] } }
                                # --quick: single args and sweeps replace
                                # those above; points replace all points;
                                # `quick = false` leaves the scenario out

A program prints `quantity,flow,kind,time,value` and such rows, and nothing
else, on its standard output: flow a number or `all`; kind psp, tcp, scp, …,
free, may be empty; time in seconds, the end of an interval, or empty for the
whole measured part. A scenario may instead come from a table that another
command has made, with further columns for `seed` and the parameters:

    [[scenario]]
    name = "itcp"
    source = "csv"
    file = "itcp.csv"           # in --csv DIR (default BUILD/reproduction),
                                # else beside the scenario file, where the
                                # table of an earlier run may be; which one it
                                # was is said. It is only read: what is in
                                # --csv DIR is what the command put there
    command = "tests/…"         # how to make it; said where it is missing

A *selection* gives one number for each seed:

    scenario = "spacing"
    where = { flows = 16, spacing-us = 0 }  # one value of every swept parameter
                                # (also of points); those with a single
                                # value may be left out
    quantity = "throughput_mbps"
    flow = "all"                # "all" (default): the row `all`; "each":
                                # the rows with numbers; 3; or [1, 2, 3]
    kind = "psp"                # default: any
    time = "whole"              # default: the rows without a time; "each":
                                # those with; [5, 15]: 5 < time <= 15
    reduce = "mean"             # of the rows taken, within a seed: mean, min,
                                # max, sum, median, sd, jain, cv, first, last,
                                # count; needed where rows are more than one
    across = { parameter = "spacing-us", take = "argmax" }
                                # optional: over the values of a parameter
                                # that `where` does not name; max, min, mean,
                                # sum; argmax, argmin: the parameter's value
                                # there; from: its least value from which on
                                # all keep `at-most = …` or `at-least = …`

    [[claim]]                   # a row of the table
    id = "psp-0"                # unique in the file
    figure = "Table 2"          # where in the paper
    text = "16 PSA without spacing: a receiver gets"
    unit = "Mb/s"               # optional
    paper = 10.0                # a number; [low, high]; or text ("falls")
    value = { …selection… }     # or an expression of selections:
    value = { expr = "100 * (1 - a / b)", a = {…}, b = {…} }
                                # numbers, names, + - * / **, comparisons and
                                # and, or, not (1 or 0), abs min max sqrt log
    within = 0.05               # one rule: relative to `paper` (for a range:
                                # beyond its ends), or
    tolerance = 0.5             # absolute, or
    at-least = …                # and / or
    at-most = …                 # no rule: shown only
    every = true                # each seed must keep it (default: the mean)
    shape = { at-least = 1 }    # where the rule is not kept but this is (same
                                # rules; `value`, where it is of something
                                # else), the verdict is "shape only"
    why = "…"                   # why ours differs: printed unless reproduced
    always = true               # … or always
    ci = true                   # must be reproduced in --quick too; "shape":
                                # must be at least "shape only" there
    digits = 2                  # decimals shown (default: 3 significant)

Verdicts are computed: reproduced, shape only, differs, or shown.

    [[figure]]
    name = "spacing"            # docs/evidence/reproduction-PAPER-NAME.svg
    id = "Fig. 7"               # in the paper
    caption = "…"
    x = "spacing-us"            # a swept parameter, "time" or "flow"
    series = "flows"            # one curve for each value: a swept parameter,
                                # "flow", "kind" or "quantity"; optional
    quantity = "throughput_mbps"    # or a list, with series = "quantity"
    scenario, where, flow, kind, time, reduce       # as in a selection
    seed = 1                    # only this one (default: mean of all, with
                                # the range as bars, or a band over time)
    x-label = "spacing (µs)"    # with its unit
    y-label = "throughput (Mb/s)"
    labels = { 1 = "one flow" } # of series, by value; optional
    log-x, log-y = true; x-range, y-range = [low, high]
    x-factor, y-factor = 1e-3
    numbers = true              # beneath it a table of all that it shows
    style = "line"              # or "points", "bars", "steps"
    paper-points = [ { label = "paper", x = [0, 1000], y = [10, 11] } ]
    paper-lines = [ { label = "fair share", y = 0.857 } ]   # or x = …
    curves = [ { label = "SCP", scenario = "a", kind = "scp" }, … ]
                                # instead of series: each with its own
                                # selection; what it lacks is the figure's
    panels = [ { y-label = "…", quantity = "…" }, … ]
                                # optional: stacked plots with one x axis;
                                # what a panel lacks is the figure's

Any key not named here is an error."""

import itertools
import os
import re
import tomllib
from dataclasses import dataclass, field, replace

from . import claims, figures
from .keys import SCALAR, Key, Place, check
from .problem import Problem

PAPER = {"paper": Key(str, needed=True), "title": Key(str, needed=True),
         "order": Key(int), "text": Key(str, needed=True),
         "reading": Key(list, of=(dict,)),
         "scenario": Key(list, needed=True, of=(dict,)),
         "claim": Key(list, of=(dict,)), "figure": Key(list, of=(dict,))}
READING = {"open": Key(str, needed=True), "taken": Key(str, needed=True),
           "why": Key(str)}
VARIED = {"args": Key(dict, of=SCALAR), "sweep": Key(dict, of=(list,)),
          "points": Key(list, of=(dict,)), "seeds": Key(int, low=1)}
SCENARIO = {"name": Key(str, needed=True), "program": Key(str, needed=True),
            "timeout": Key((int, float), low=1), "quick": Key((dict, bool)),
            **VARIED}
CSV = {"name": Key(str, needed=True), "file": Key(str, needed=True),
       "source": Key(str, needed=True, choices=["csv"]),
       "command": Key(str, needed=True)}


@dataclass
class Scenario:
    name: str
    program: str = ""
    file: str = ""          # of source = "csv", and the
    command: str = ""       # command that makes it
    args: dict = field(default_factory=dict)
    sweep: dict = field(default_factory=dict)
    points: list = field(default_factory=lambda: [{}])
    seeds: int = 1
    timeout: float = 600
    quick: dict | bool = True

    def values(self):
        """{parameter: values in order}, fixed arguments included."""
        found = {name: [value] for name, value in self.args.items()}
        for name in self.points[0]:
            found[name] = list(dict.fromkeys(p[name] for p in self.points))
        found.update(self.sweep)
        return found

    def combinations(self):
        """[{parameter: value}] of all that is run."""
        return [{**self.args, **point, **dict(zip(self.sweep, swept))}
                for point in self.points
                for swept in itertools.product(*self.sweep.values())]

    def matching(self, where):
        return [c for c in self.combinations()
                if all(c[name] == value for name, value in where.items())]

    def has(self, where):
        return bool(self.matching(where))

    def varying(self, where):
        """Parameters that have several values with those of `where`."""
        found = self.matching(where)
        return [n for n in self.values() if len({c[n] for c in found}) > 1]

    def quickly(self):
        """The scenario in its quick form; None where it has none."""
        if self.quick is False or not self.program:
            return None
        quick = {} if self.quick is True else self.quick
        return replace(self, args={**self.args, **quick.get("args", {})},
                       sweep={**self.sweep, **quick.get("sweep", {})},
                       points=quick.get("points", self.points),
                       seeds=quick.get("seeds", self.seeds))


@dataclass
class Paper:
    path: str
    name: str
    title: str
    order: int
    text: str
    readings: list
    scenarios: dict
    claims: list
    figures: list


def check_varied(place, table):
    points = table.get("points", [{}])
    if not points or any(set(p) != set(points[0]) for p in points):
        raise place.problem("every point is to name the same parameters")
    for name, values in table.get("sweep", {}).items():
        if not values:
            raise place.problem("sweep: %s has no values" % name)
        Key(list, of=SCALAR).check(place, name, values)
    for point in points:
        Key(dict, of=SCALAR).check(place, "a point", point)
    parts = [table.get("args", {}), table.get("sweep", {}), points[0]]
    names = [name for part in parts for name in part]
    for name in names:
        if names.count(name) > 1 or name == "seed":
            raise place.problem("%s is given twice" % name if name != "seed"
                                else "seed is no parameter: say seeds = N")


def check_quick(place, table):
    quick = table["quick"]
    if quick is True:
        raise place.problem("quick is to be a table or false")
    if not quick:
        return
    check(place, quick, VARIED)
    check_varied(place, quick)
    lists = {"args": table.get("args", {}), "sweep": table.get("sweep", {}),
             "points": table.get("points", [{}])[0]}
    for kind, known in lists.items():
        given = quick.get(kind, {})
        given = given[0] if isinstance(given, list) else given
        for name in given:
            if name not in known:
                raise place.problem("%s: %s is not in the %s of the scenario"
                                    % (kind, name, kind))


def read_scenario(place, table):
    check(place, table, CSV if "source" in table else SCENARIO)
    check_name(place, table["name"])
    if "source" in table:
        return Scenario(table["name"], file=table["file"],
                        command=table["command"])
    check_varied(place, table)
    if "quick" in table:
        check_quick(place / "quick", table)
    return Scenario(**table)


def check_name(place, name):
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise place.problem("a name is of a-z, 0-9 and -, not %r" % name)


def named(place, kind, tables, key):
    """(place, table) of each, whose names must differ."""
    seen = set()
    for n, table in enumerate(tables, 1):
        name = table.get(key)
        here = place / ("%s %s" % (kind, '"%s"' % name if name else n))
        if name in seen:
            raise here.problem("there are two of this name")
        seen.add(name)
        yield here, table


def read_paper(path):
    """The Paper in a file, checked throughout."""
    place = Place(os.path.basename(path))
    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise place.problem(error.strerror) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise place.problem(error) from None
    check(place, table, PAPER)
    check_name(place, table["paper"])
    scenarios = {}
    for here, one in named(place, "scenario", table["scenario"], "name"):
        scenarios[one.get("name")] = read_scenario(here, one)
    for here, one in named(place, "reading", table.get("reading", []), "open"):
        check(here, one, READING)
    return Paper(
        path, table["paper"], table["title"], table.get("order", 99),
        table["text"].strip(), table.get("reading", []), scenarios,
        [claims.read(here, one, scenarios) for here, one in
         named(place, "claim", table.get("claim", []), "id")],
        [figures.read(here, one, scenarios) for here, one in
         named(place, "figure", table.get("figure", []), "name")])


def read_papers(paths, only=None):
    """Those of the files (all, or `only` these) in the document's order."""
    papers = [read_paper(path) for path in sorted(paths)]
    names = [paper.name for paper in papers]
    for name in names:
        if names.count(name) > 1:
            raise Problem("two files are of the paper %r" % name)
    for name in only or []:
        if name not in names:
            raise Problem("there is no paper %r; there are: %s" % (
                name, ", ".join(names) or "none"))
    return sorted((p for p in papers if not only or p.name in only),
                  key=lambda p: (p.order, p.name))
