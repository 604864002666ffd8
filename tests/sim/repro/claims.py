# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Claims of a paper, and the verdicts on them. scenario.py has the format."""

import functools
import math
from dataclasses import dataclass

from .expression import Expression
from .keys import NUMBER, Key, check
from .problem import Problem, every
from .selection import check_selection, numbers
from .spread import Spread, spread

REPRODUCED, SHAPE, DIFFERS, SHOWN = \
    "reproduced", "shape only", "differs", "shown"
RULE = {"within": Key(NUMBER, low=0), "tolerance": Key(NUMBER, low=0),
        "at-least": Key(NUMBER), "at-most": Key(NUMBER), "every": Key(bool)}
CLAIM = {"id": Key(str, needed=True), "figure": Key(str, needed=True),
         "text": Key(str, needed=True), "unit": Key(str),
         "paper": Key((*NUMBER, list, str), needed=True, of=NUMBER),
         "value": Key(dict, needed=True), "shape": Key(dict), "why": Key(str),
         "always": Key(bool), "ci": Key((bool, str), choices=["shape"]),
         "digits": Key(int, low=0), **RULE}


class Value:
    """A selection, or an expression of several."""

    def __init__(self, place, table, scenarios):
        self.place, self.expression = place, None
        self.selections = {"": table}
        if "expr" in table:
            self.read_expression(place, table)
        for name, selection in self.selections.items():
            check_selection(place / name if name else place, selection,
                            scenarios)

    def read_expression(self, place, table):
        try:
            self.expression = Expression(table["expr"])
        except Problem as problem:
            raise place.problem(problem) from None
        self.selections = {n: t for n, t in table.items() if n != "expr"}
        for name in self.expression.names ^ set(self.selections):
            raise place.problem(
                "%s is %s" % (name, "not used in expr"
                              if name in self.selections else "not given"))
        for name, selection in self.selections.items():
            if not isinstance(selection, dict):
                raise place.problem("%s is to be a selection" % name)
        if not self.selections:
            raise place.problem("expr names nothing that is measured")

    def numbers(self, results):
        """[number of each seed]; [] where the run has no such point."""
        try:
            found = {name: numbers(selection, results)
                     for name, selection in self.selections.items()
                     if selection["scenario"] in results}
            if len(found) < len(self.selections) or \
                    not all(found.values()):
                return []
            seeds = set.intersection(*(set(f) for f in found.values()))
            return [self.number({n: f[seed] for n, f in found.items()})
                    for seed in sorted(seeds)]
        except Problem as problem:
            raise self.place.problem(problem) from None

    def number(self, given):
        return self.expression.value(given) if self.expression else \
            float(given[""])


@dataclass
class Claim:
    table: dict
    value: Value
    shape: Value | None
    place: object

    @property
    def shape_rule(self):
        return self.table.get("shape")

    def __getattr__(self, name):
        if name in CLAIM:
            return self.table.get(name)
        raise AttributeError(name)


@dataclass
class Verdict:
    claim: Claim
    verdict: str
    ours: Spread

    @property
    def fails(self):
        """Whether it was to hold in every run, and does not."""
        wanted = {True: [REPRODUCED], "shape": [REPRODUCED, SHAPE]}
        return self.verdict not in wanted.get(self.claim.ci, [self.verdict])


def check_rule(place, table, paper):
    """Whether there is a rule, after having checked it."""
    relative = "within" in table or "tolerance" in table
    absolute = "at-least" in table or "at-most" in table
    if relative and absolute or "within" in table and "tolerance" in table:
        raise place.problem("one rule: within, tolerance, or at-least and "
                            "at-most")
    if relative and isinstance(paper, str):
        raise place.problem("within and tolerance need a number in paper")
    return relative or absolute


def read(place, table, scenarios):
    check(place, table, CLAIM)
    paper, shape = table["paper"], table.get("shape")
    if isinstance(paper, list) and len(paper) != 2:
        raise place.problem("paper is to be [low, high]")
    ruled = check_rule(place, table, paper)
    if not ruled and ("ci" in table or shape is not None):
        raise place.problem("ci and shape need a rule beside them")
    other = None
    if shape is not None:
        check(place / "shape", shape, {**RULE, "value": Key(dict)})
        if not check_rule(place / "shape", shape, paper):
            raise place.problem("shape has no rule")
        if "value" in shape:
            other = Value(place / "shape", shape["value"], scenarios)
    return Claim(table, Value(place / "value", table["value"], scenarios),
                 other, place)


def bounds(rule, paper):
    """(low, high) that the rule allows; None without a rule."""
    if "within" in rule or "tolerance" in rule:
        low, high = paper if isinstance(paper, list) else (paper, paper)
        share, by = rule.get("within", 0), rule.get("tolerance", 0)
        return low - abs(low) * share - by, high + abs(high) * share + by
    if "at-least" in rule or "at-most" in rule:
        return (rule.get("at-least", -math.inf),
                rule.get("at-most", math.inf))
    return None


def keeps(rule, paper, found):
    low, high = bounds(rule, paper)
    judged = found if rule.get("every") else [spread(found).mean]
    return all(low <= n <= high for n in judged)


def judge(claim, results):
    """The Verdict; None where a quick run has nothing about it."""
    found = claim.value.numbers(results)
    if not found:
        return None
    verdict, shape = DIFFERS, claim.table.get("shape")
    if bounds(claim.table, claim.paper) is None:
        verdict = SHOWN
    elif keeps(claim.table, claim.paper, found):
        verdict = REPRODUCED
    elif shape:
        other = claim.shape.numbers(results) if claim.shape else found
        if other and keeps(shape, claim.paper, other):
            verdict = SHAPE
    return Verdict(claim, verdict, spread(found))


def judge_in(claim, results, quick):
    """As judge, but that there is nothing is an error: in the quick form only
    if the claim was to be judged there."""
    try:
        found = judge(claim, results)
    except Problem:
        if claim.ci or not quick:
            raise
        found = None        # such as a time that a shorter run lacks
    if not found and (claim.ci or not quick):
        raise claim.place.problem("there is no data to judge it by%s" % (
            " in the quick form" if quick else ""))
    return found


def judge_all(paper, results, quick=False):
    """Verdicts of a paper's claims."""
    return [found for found in every(
        functools.partial(judge_in, claim, results, quick)
        for claim in paper.claims) if found]
