# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Rows of a scenario, by point, seed and quantity; to and from CSV."""

import csv
import math
from collections import namedtuple

from .problem import Problem

FIELDS = ["quantity", "flow", "kind", "time", "value"]
Row = namedtuple("Row", "flow kind time value")


def number(text):
    """What a parameter's text in a CSV stands for, as TOML would have it."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def written(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def row(record, place):
    """(quantity, Row) of the texts of a row."""
    try:
        flow = record["flow"]
        flow = flow if flow == "all" else int(flow)
        time = float(record["time"]) if record["time"] else None
        value = float(record["value"])
    except (ValueError, TypeError):
        raise Problem("%s: not a row: %s" % (
            place, ",".join(str(v) for v in record.values()))) from None
    if not math.isfinite(value) or not math.isfinite(time or 0):
        raise Problem("%s: %s is not finite" % (place, record["quantity"]))
    return record["quantity"], Row(flow, record["kind"], time, value)


class Table:
    """points: {point: {seed: {quantity: [Row]}}}; a point is a tuple of
    (parameter, value) in the order of `parameters`."""

    def __init__(self, parameters=()):
        self.parameters, self.points = list(parameters), {}

    def add(self, point, seed, quantity, item):
        self.points.setdefault(point, {}).setdefault(seed, {}).setdefault(
            quantity, []).append(item)

    def matching(self, where):
        """Points of the parameters in `where`."""
        for name in where:
            if name not in self.parameters:
                raise Problem("there is no parameter %r; there are: %s" % (
                    name, ", ".join(self.parameters) or "none"))
        return [p for p in self.points
                if all(dict(p)[name] == v for name, v in where.items())]

    def quantities(self):
        return sorted({q for seeds in self.points.values()
                       for rows in seeds.values() for q in rows})

    def write(self, path, scenario):
        with open(path, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["scenario"] + self.parameters + ["seed"] + FIELDS)
            for point, seeds in self.points.items():
                first = [scenario] + [written(v) for _, v in point]
                for seed, quantities in sorted(seeds.items()):
                    for quantity, rows in quantities.items():
                        for r in rows:
                            out.writerow(first + [
                                seed, quantity, r.flow, r.kind,
                                "" if r.time is None else "%.10g" % r.time,
                                "%.10g" % r.value])


def read_output(lines, place):
    """[(quantity, Row)] of what a program printed."""
    reader = csv.DictReader(lines)
    if reader.fieldnames != FIELDS:
        raise Problem("%s: the first line is %s, not %s" % (
            place, ",".join(reader.fieldnames or ["missing"]),
            ",".join(FIELDS)))
    return [row(record, "%s, line %d" % (place, reader.line_num))
            for record in reader]


def read_table(path):
    """The Table of a CSV that has columns for seed and parameters too."""
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        names = reader.fieldnames or []
        lacking = [f for f in FIELDS if f not in names]
        if lacking:
            raise Problem("%s: no column %s" % (path, ", ".join(lacking)))
        table = Table([n for n in names
                       if n not in FIELDS + ["seed", "scenario"]])
        for record in reader:
            place = "%s, line %d" % (path, reader.line_num)
            quantity, item = row(record, place)
            point = tuple((n, number(record[n])) for n in table.parameters)
            table.add(point, int(record.get("seed") or 1), quantity, item)
    return table
