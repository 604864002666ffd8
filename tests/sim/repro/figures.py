# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Figures: what is asked for, and the curves that the rows give. scenario.py
has the format; plot.py draws them."""

from dataclasses import dataclass

from .keys import NUMBER, Key, check
from .problem import Problem
from .selection import KEYS as SELECTION
from .selection import check_selection, numbers, reduced, rows
from .spread import spread
from .table import written

POINTS = {"label": Key(str, needed=True),
          "x": Key(list, needed=True, of=NUMBER),
          "y": Key(list, needed=True, of=NUMBER)}
LINES = {"label": Key(str, needed=True), "x": Key(NUMBER), "y": Key(NUMBER)}
SELECTED = {**{name: key for name, key in SELECTION.items()
               if name not in ("across", "quantity", "scenario")},
            "scenario": Key(str), "quantity": Key((str, list), of=(str,)),
            "seed": Key(int, low=1)}
PANEL = {**SELECTED, "series": Key(str), "labels": Key(dict, of=(str,)),
         "curves": Key(list, of=(dict,)), "x": Key(str),
         "y-label": Key(str), "log-y": Key(bool),
         "y-range": Key(list, of=NUMBER),
         "x-factor": Key(NUMBER), "y-factor": Key(NUMBER),
         "style": Key(str, choices=["line", "points", "bars", "steps"]),
         "paper-points": Key(list, of=(dict,)),
         "paper-lines": Key(list, of=(dict,))}
CURVE = {**SELECTED, "label": Key(str, needed=True),
         "x-factor": Key(NUMBER), "y-factor": Key(NUMBER)}
FIGURE = {**PANEL, "name": Key(str, needed=True), "id": Key(str, needed=True),
          "caption": Key(str, needed=True), "x-label": Key(str, needed=True),
          "log-x": Key(bool), "x-range": Key(list, of=NUMBER),
          "numbers": Key(bool), "panels": Key(list, of=(dict,))}


@dataclass
class Curve:
    label: str
    x: list
    y: list         # of Spread
    text: bool = False


@dataclass
class Figure:
    table: dict
    panels: list    # of tables, complete
    place: object

    @property
    def name(self):
        return self.table["name"]


def read(place, table, scenarios):
    check(place, table, FIGURE)
    inherited = {n: v for n, v in table.items() if n in PANEL}
    panels = [{**inherited, **panel} for panel in table.get("panels", [{}])]
    for n, panel in enumerate(table.get("panels", []), 1):
        check(place / ("panel %d" % n), panel, PANEL)
    for n, panel in enumerate(panels, 1):
        here = place / ("panel %d" % n) if "panels" in table else place
        check_panel(here, panel, scenarios)
    return Figure(table, panels, place)


def check_panel(place, panel, scenarios):
    for name in ("x", "y-label"):
        if name not in panel:
            raise place.problem("%s is missing" % name)
    for points in panel.get("paper-points", []):
        check(place / "paper-points", points, POINTS)
        if len(points["x"]) != len(points["y"]):
            raise place.problem("paper-points: x and y differ in length")
    for line in panel.get("paper-lines", []):
        check(place / "paper-lines", line, LINES)
        if ("x" in line) == ("y" in line):
            raise place.problem("paper-lines: either x or y")
    if "curves" in panel and "series" in panel:
        raise place.problem("curves and series exclude each other")
    for curve in panel.get("curves", []):
        check(place / "curves", curve, CURVE)
    for curve in panel.get("curves") or [{}]:
        here = place / ('curve "%s"' % curve["label"]) if curve else place
        check_curve(here, {**panel, **curve}, scenarios)


def selection(table):
    """The keys of a selection in a panel's or curve's table."""
    found = {n: v for n, v in table.items() if n in SELECTION}
    if table["x"] == "time":
        found.setdefault("time", "each")
    if "flow" in (table["x"], table.get("series")):
        found.setdefault("flow", "each")
    return found


def check_curve(place, table, scenarios):
    many = isinstance(table.get("quantity"), list)
    if many != (table.get("series") == "quantity"):
        raise place.problem('a list of quantities goes with series = '
                            '"quantity"')
    quantities = table["quantity"] if many else [table.get("quantity")]
    for quantity in quantities:
        one = selection(table)
        if quantity is not None:
            one["quantity"] = quantity
        check_selection(place, one, scenarios,
                        (table["x"], table.get("series")))


def curves(panel, results):
    """[Curve] of a panel."""
    if "curves" in panel:
        return [curve(one["label"], {**panel, **one}, selection(
            {**panel, **one}), results) for one in panel["curves"]]
    series, base = panel.get("series"), selection(panel)
    if not series:
        return [curve("", panel, base, results)]
    labels = panel.get("labels", {})
    return [curve(labels.get(written(value), said(series, value)), panel, one,
                  results)
            for value, one in split(series, base, results)]


def said(series, value):
    return value if series in ("kind", "quantity") else \
        "%s %s" % (series, written(value))


def split(series, base, results):
    """[(value, selection)] of each curve of a series."""
    if series == "quantity":
        return [(q, {**base, "quantity": q}) for q in base["quantity"]]
    data = results[base["scenario"]]
    points = data.matching(base.get("where", {}))
    if series in ("flow", "kind"):
        values = sorted({getattr(r, series) for p in points
                         for quantities in data.points[p].values()
                         for r in rows(quantities, base)})
        return [(v, {**base, series: v}) for v in values]
    values = dict.fromkeys(dict(p)[series] for p in points)
    return [(v, {**base, "where": {**base.get("where", {}), series: v}})
            for v in values]


def curve(label, table, one, results):
    x = table["x"]
    if x in ("time", "flow"):
        found = along_rows(x, one, results)
    else:
        found = along_parameter(x, one, results)
    if "seed" in table:
        found = {at: {s: y for s, y in ys.items() if s == table["seed"]}
                 for at, ys in found.items()}
    found = {at: ys for at, ys in found.items() if ys}
    if not found:
        raise Problem("no rows for the curve %r" % (label or one["quantity"]))
    fx, fy = table.get("x-factor", 1), table.get("y-factor", 1)
    text = any(isinstance(at, (str, bool)) for at in found)
    at = list(found) if text else sorted(found)
    return Curve(label, [written(a) if text else a * fx for a in at],
                 [spread([y * fy for y in found[a].values()]) for a in at],
                 text)


def along_parameter(x, one, results):
    """{value of the parameter: {seed: number}}"""
    data, where = results[one["scenario"]], one.get("where", {})
    values = dict.fromkeys(dict(p)[x] for p in data.matching(where))
    return {v: numbers({**one, "where": {**where, x: v}}, results)
            for v in values}


def along_rows(x, one, results):
    """{time or flow: {seed: number}}"""
    data, found = results[one["scenario"]], {}
    points = data.matching(one.get("where", {}))
    if len(points) != 1:
        raise Problem("where leaves %d points" % len(points))
    for seed, quantities in data.points[points[0]].items():
        at = {}
        for r in rows(quantities, one):
            at.setdefault(getattr(r, x), []).append(r)
        for place, taken in at.items():
            found.setdefault(place, {})[seed] = reduced(taken, one)
    return found
