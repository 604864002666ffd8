# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Two builds that took turns: how their figures relate.

Each turn gives a ratio NEW / OLD. Their mean is the geometric one, and the
interval is Student's t interval of their logarithms: a ratio of 2 and one of
1/2 then weigh the same."""

import collections
import math

import numpy as np

from .figures import HIGHER

LEVEL = .95
MARGIN = 1.03

# ratio, low, high: None where there is no such number.
Comparison = collections.namedtuple("Comparison", "pairs ratio low high")


def t_cumulated(x, df):
    """Student's t distribution up to x ≥ 0, by Simpson's rule."""
    at = np.linspace(0, x, 2001)
    density = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / \
        math.sqrt(df * math.pi) * (1 + at * at / df) ** (-(df + 1) / 2)
    weights = np.ones(at.size)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    return .5 + float(weights @ density) * (at[1] - at[0]) / 3


def t_quantile(p, df):
    """For p > 1/2."""
    low, high = 0.0, 1.0
    while t_cumulated(high, df) < p:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if t_cumulated(middle, df) < p:
            low = middle
        else:
            high = middle
    return high


def compare(old, new):
    """Figures of each turn, in order. Only what is above 0 has a ratio: other
    pairs are left out."""
    logs = np.array([math.log(b / a) for a, b in zip(old, new)
                     if a > 0 and b > 0])
    if logs.size == 0:
        return Comparison(0, None, None, None)
    mean = float(logs.mean())
    if logs.size == 1:
        return Comparison(1, math.exp(mean), None, None)
    half = t_quantile((1 + LEVEL) / 2, logs.size - 1) * \
        float(logs.std(ddof=1)) / math.sqrt(logs.size)
    return Comparison(logs.size, math.exp(mean), math.exp(mean - half),
                      math.exp(mean + half))


def verdict(comparison, better):
    """`worse` only where the whole interval is beyond the margin on the bad
    side, `not worse` where all of it is on this side of that, `open` where it
    holds the margin."""
    low, high = comparison.low, comparison.high
    if low is None:
        return "open"
    if better == HIGHER:
        low, high = 1 / high, 1 / low
    if low > MARGIN:
        return "worse"
    return "not worse" if high < MARGIN else "open"
