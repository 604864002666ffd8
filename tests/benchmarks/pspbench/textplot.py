# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A rate over time in plain text, for a terminal: ASCII alone, no colours."""

import shutil

NARROWEST, WIDEST = 40, 96      # columns; beyond, some would have no sample
ROWS = 9
MARGIN = 6                      # columns of numbers on the left
KEY = "= capacity  + sent  * delivered  ^ beyond"


def terminal_width():
    """Columns of the terminal; 80 where the output is none. COLUMNS rules."""
    return shutil.get_terminal_size((80, 24)).columns


def columns_of(times, values, seconds, columns):
    """The mean of the values that fall in each column; None where none does."""
    sums, counts = [0.0] * columns, [0] * columns
    for t, value in zip(times, values):
        column = int(t / seconds * columns)
        if 0 <= column < columns:
            sums[column] += value
            counts[column] += 1
    return [s / n if n else None for s, n in zip(sums, counts)]


def steps_of(steps, seconds, columns):
    """What steps, [(since, value), …], are in the middle of each column."""
    middles = ((c + .5) * seconds / columns for c in range(columns))
    return [[value for since, value in steps if since <= t][-1]
            for t in middles]


def put(grid, values, mark, top):
    """One mark a column, in the row of its value; rows count from above."""
    rows = len(grid)
    for column, value in enumerate(values):
        if value is None:
            continue
        row = round((1 - value / top) * (rows - 1))
        if row < 0:
            grid[0][column] = "^"
        else:
            grid[min(row, rows - 1)][column] = mark


def ticks(seconds, columns):
    """The row of zero, with a tick at each third, and their numbers below."""
    line, numbers = ["-"] * columns, [" "] * columns
    for third in range(4):
        column = min(round(third * columns / 3), columns - 1)
        line[column] = "|"
        text = "%g s" % round(seconds * third / 3, 1)
        begin = min(column, columns - len(text))
        numbers[begin:begin + len(text)] = text
    return line, "".join(numbers).rstrip()


def panel(title, seconds, capacity, offered, delivered, width, top=3.2):
    """The lines of one plot. capacity: [(since s, bit/s), …]; offered and
    delivered: (times in s, Mb/s); top: Mb/s of the uppermost row."""
    columns = min(max(width, NARROWEST), WIDEST) - MARGIN
    zero, numbers = ticks(seconds, columns)
    grid = [[" "] * columns for _ in range(ROWS - 1)] + [zero]
    put(grid, [c / 1e6 for c in steps_of(capacity, seconds, columns)], "=", top)
    put(grid, columns_of(*offered, seconds, columns), "+", top)
    put(grid, columns_of(*delivered, seconds, columns), "*", top)
    yield "%s, Mb/s" % title
    for row, marks in enumerate(grid):
        label = "" if row % 2 else "%.1f" % (top * (1 - row / (ROWS - 1)))
        yield ("%4s |%s" % (label, "".join(marks))).rstrip()
    yield " " * MARGIN + numbers


def plots(seconds, capacity, series, width=None):
    """All of them as one text; series: {title: (offered, delivered)}."""
    width = width or terminal_width()
    lines = [KEY]
    for title, (offered, delivered) in series.items():
        lines += panel(title, seconds, capacity, offered, delivered, width)
    return "\n".join(lines)
