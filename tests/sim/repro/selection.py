# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Selections: from the rows of a scenario to one number for each seed.
scenario.py has the format."""

import math

from .keys import NUMBER, SCALAR, Key, check
from .problem import Problem
from .spread import REDUCE

TAKE = ["max", "min", "mean", "sum", "argmax", "argmin", "from"]
KEYS = {"scenario": Key(str, needed=True), "where": Key(dict, of=SCALAR),
        "quantity": Key(str, needed=True),
        "flow": Key((str, int, list), choices=["all", "each"], of=(int,)),
        "kind": Key(str),
        "time": Key((str, list), choices=["whole", "each"], of=NUMBER),
        "reduce": Key(str, choices=list(REDUCE)),
        "across": Key(dict)}
ACROSS = {"parameter": Key(str, needed=True),
          "take": Key(str, needed=True, choices=TAKE),
          "at-least": Key(NUMBER), "at-most": Key(NUMBER)}


def check_selection(place, table, scenarios, free=()):
    """`free`: parameters that a figure goes through by itself."""
    check(place, table, KEYS)
    if isinstance(table.get("time"), list) and len(table["time"]) != 2:
        raise place.problem("time is to be [from, to]")
    across = table.get("across", {})
    if across:
        check(place / "across", across, ACROSS)
        bounds = "at-least" in across or "at-most" in across
        if bounds != (across["take"] == "from"):
            raise place.problem("across: at-least and at-most go with "
                                "take = \"from\"")
    scenario = scenarios.get(table["scenario"])
    if scenario is None:
        raise place.problem("there is no scenario %r" % table["scenario"])
    if scenario.program:
        check_where(place, table, scenario,
                    list(free) + [across.get("parameter")])


def check_where(place, table, scenario, free):
    """`where` must leave one point, for each value of the `free` ones."""
    values, where = scenario.values(), table.get("where", {})
    for name, value in where.items():
        if value not in values.get(name, []):
            raise place.problem("where: %s = %r is not among what %r runs" % (
                name, value, scenario.name))
    if not scenario.has(where):
        raise place.problem("where: %r runs no such combination" %
                            scenario.name)
    for name in free:
        if name and name not in values and name not in (
                "time", "flow", "kind", "quantity"):
            raise place.problem("%r sweeps no %r" % (scenario.name, name))
    for name in scenario.varying(where):
        if name not in free:
            raise place.problem("where leaves %s open" % name)


def takes_flow(wanted, flow):
    if wanted == "each":
        return flow != "all"
    return flow in wanted if isinstance(wanted, list) else flow == wanted


def takes_time(wanted, time):
    if wanted == "whole" or time is None:
        return time is None and wanted == "whole"
    return wanted == "each" or wanted[0] < time <= wanted[1]


def rows(quantities, table):
    """Of one run, those that the selection takes."""
    if table["quantity"] not in quantities:
        raise Problem("there is no quantity %r; there are: %s" % (
            table["quantity"], ", ".join(sorted(quantities)) or "none"))
    flow, time = table.get("flow", "all"), table.get("time", "whole")
    kind = table.get("kind")
    return [r for r in quantities[table["quantity"]]
            if takes_flow(flow, r.flow) and takes_time(time, r.time) and
            kind in (None, r.kind)]


def reduced(found, table):
    if not found:
        raise Problem("no row of %r has %s" % (table["quantity"], ", ".join(
            "%s %s" % (n, table.get(n, default)) for n, default in
            (("flow", "all"), ("kind", "any"), ("time", "whole")))))
    if "reduce" in table:
        return REDUCE[table["reduce"]]([r.value for r in found])
    if len(found) > 1:
        raise Problem("%d rows of %r are taken, and no reduce is given" % (
            len(found), table["quantity"]))
    return found[0].value


def by_seed(data, point, table):
    return {seed: reduced(rows(quantities, table), table)
            for seed, quantities in data.points[point].items()}


def numbers(table, results):
    """{seed: number}; {} where the (quick) run has no such point."""
    data, across = results[table["scenario"]], table.get("across")
    points = data.matching(table.get("where", {}))
    if not points:
        return {}
    if across:
        return through(data, points, table, across)
    if len(points) > 1:
        raise Problem("where leaves %d points" % len(points))
    return by_seed(data, points[0], table)


def through(data, points, table, across):
    """The selection's `across`, for each seed that all points have."""
    name = across["parameter"]
    curves = sorted(((dict(p)[name], by_seed(data, p, table))
                     for p in points), key=lambda curve: curve[0])
    if len({x for x, _ in curves}) < len(curves):
        raise Problem("where leaves more open than %s" % name)
    seeds = set.intersection(*(set(c) for _, c in curves))
    return {seed: taken(across, [(x, c[seed]) for x, c in curves])
            for seed in sorted(seeds)}


def taken(across, curve):
    take, values = across["take"], [y for _, y in curve]
    if take in ("argmax", "argmin"):
        pick = max if take == "argmax" else min
        return pick(curve, key=lambda point: point[1])[0]
    if take != "from":
        return REDUCE[take](values)
    low = across.get("at-least", float("-inf"))
    high = across.get("at-most", float("inf"))
    found = math.inf            # not even at the last one is it kept
    for x, y in reversed(curve):
        if not low <= y <= high:
            break
        found = x
    return found
