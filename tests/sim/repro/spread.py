# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Numbers to one number, and to a mean with what is known about it."""

import math
import statistics
from dataclasses import dataclass

# Student's t, two-sided 95 %, for 1, 2, … degrees of freedom
T_95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


def jain(numbers):
    """Jain's index: 1 where all are equal, 1/n where one has everything."""
    squares = sum(n * n for n in numbers)
    return sum(numbers) ** 2 / (len(numbers) * squares) if squares else 1.0


def sd(numbers):
    return statistics.stdev(numbers) if len(numbers) > 1 else 0.0


def variation(numbers):
    mean = statistics.fmean(numbers)
    return sd(numbers) / mean if mean else 0.0


REDUCE = {"mean": statistics.fmean, "min": min, "max": max, "sum": math.fsum,
          "median": statistics.median, "sd": sd, "jain": jain,
          "cv": variation, "first": lambda n: n[0], "last": lambda n: n[-1],
          "count": len}


@dataclass
class Spread:
    """Of one quantity over the seeds."""
    mean: float
    low: float
    high: float
    half: float         # of the 95 % interval of the mean; 0 for one seed
    n: int


def t_95(n):
    """Student's factor for the mean of n numbers."""
    return T_95[n - 2] if n - 2 < len(T_95) else 1.96 + 2.4 / (n - 1)


def spread(numbers):
    n = len(numbers)
    half = t_95(n) * sd(numbers) / math.sqrt(n) if n > 1 else 0.0
    low, high = min(numbers), max(numbers)
    # Rounded, the mean of equal numbers may be beside them.
    mean = min(max(statistics.fmean(numbers), low), high)
    return Spread(mean, low, high, half, n)
