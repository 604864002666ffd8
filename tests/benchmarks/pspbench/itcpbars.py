# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What itcp-detection.py's rows have to reach, and where they do not.

Shares are of a source and an algorithm, over all scenarios, for a scenario
alone may have so few events that one of them is ten per cent; all else is of
each row. Other sources than these are measured to be compared with."""

import statistics

SOURCES = ("error-queue", "bpf", "bpf-pinned")
KINDS = {"rexmt": "timeouts", "dupack": "recoveries"}
CPU = .01                       # of a core, at 20 Mb/s
RATE = .95                      # of that is to get through, at least


def share_bar(algorithm, kind):
    if algorithm == "bbr":
        return .9
    return 1 if kind == "rexmt" else .98


def median_bar(algorithm, source):
    """In us. bbr paces what it sends again, which the error queue tells of;
    the program in the kernel need not wait for that."""
    if source.startswith("bpf"):
        return 150
    return 1000 if algorithm == "bbr" else 200


def missed_shares(rows):
    for source, algorithm in dict.fromkeys((r["source"], r["algorithm"])
                                           for r in rows):
        same = [r for r in rows
                if (r["source"], r["algorithm"]) == (source, algorithm)]
        for kind, name in KINDS.items():
            found = sum(r[kind]["found"] for r in same)
            truth = sum(r[kind]["truth"] for r in same)
            bar = share_bar(algorithm, kind)
            if found < bar * truth:
                yield "%s, %s: %d of %d %s, less than %.0f %%" % (
                    algorithm, source, found, truth, name, 100 * bar)
            # Only an outage makes sure of timeouts.
            if truth == 0 and (kind == "dupack"
                               or any(r["scenario"] == "holes" for r in same)):
                yield "%s, %s: there were no %s to find" % (
                    algorithm, source, name)


def missed_cpu(row, rate):
    where = "%s, %s" % (row["algorithm"], row["source"])
    if row["cpu"] >= CPU:
        yield "%s: %.2f %% of a core at %.0f Mb/s, not below %.0f" % (
            where, 100 * row["cpu"], rate / 1e6, 100 * CPU)
    if row["rate"] < RATE * rate:
        yield "%s: %.1f Mb/s got through, not %.0f: the CPU time is not that" \
            " of as much" % (where, row["rate"] / 1e6, rate / 1e6)


def missed_in_row(row, rate):
    where = "%s, %s, %s" % (row["algorithm"], row["source"], row["scenario"])
    bar = median_bar(row["algorithm"], row["source"])
    for kind, name in KINDS.items():
        if row[kind]["false"]:
            yield "%s: %d false %s" % (where, row[kind]["false"], name)
        if row[kind]["delays"]:
            median = statistics.median(row[kind]["delays"])
            if median >= bar:
                yield "%s: %s after %.0f us (median), not below %d" % (
                    where, name, median, bar)
    if row["scenario"] == "fast":
        yield from missed_cpu(row, rate)


def missed(rows, element, rate):
    """A line for each bar that was; rate: that of the scenario fast."""
    rows = [r for r in rows if r["source"] in SOURCES]
    if element:
        return [line for r in rows for line in missed_cpu(r, rate)]
    return [line for r in rows for line in missed_in_row(r, rate)] + \
        list(missed_shares(rows))


def verdict(rows, element, rate):
    """The exit status."""
    lines = missed(rows, element, rate)
    print()
    for line in lines:
        print("missed: " + line)
    if not any(r["source"] in SOURCES for r in rows):
        print("no bars: none of these sources has any")
    elif not lines:
        print("all bars are met")
    return 1 if lines else 0
