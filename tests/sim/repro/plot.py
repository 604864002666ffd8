# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Figures as SVG, in one plain style and the same to the byte for the same
rows."""

import os

from . import figures
from .problem import Problem

STYLE = {"svg.fonttype": "none", "svg.hashsalt": "reproduction",
         "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
         "axes.grid": True, "grid.linewidth": .4, "grid.alpha": .5,
         "legend.frameon": False, "legend.fontsize": 8, "lines.linewidth": 1.2,
         "lines.markersize": 4, "savefig.dpi": 110}
WIDTH, HEIGHT = 6.4, 2.9        # inches; the height of one panel
MARKS = "osD^vPX<>*"
DENSE = 4000                    # points, above which curves are pixels
DENSE_MARKS = 1000              # the same, of marks: each takes more room
TICKS = 10                      # values, up to which a log axis names each
LEGEND = 6                      # entries, above which it stands outside


def load():
    try:
        import matplotlib
    except ImportError:
        raise Problem("matplotlib is missing (Debian: python3-matplotlib): "
                      "there are no figures without it") from None
    matplotlib.use("svg")
    matplotlib.rcParams.update(STYLE)
    from matplotlib import pyplot
    return pyplot


def draw(pyplot, figure, results, path):
    table, n = figure.table, len(figure.panels)
    drawn, all_axes = pyplot.subplots(
        n, 1, sharex=True, squeeze=False, layout="constrained",
        figsize=(WIDTH, HEIGHT if n == 1 else .75 * n * HEIGHT))
    places = set()
    try:
        for axes, panel in zip(all_axes[:, 0], figure.panels):
            curves = figures.curves(panel, results)
            draw_panel(axes, panel, curves)
            places.update(x for curve in curves for x in curve.x)
    except Problem as problem:
        raise figure.place.problem(problem) from None
    finish_x(all_axes[-1, 0], table, sorted(places))
    drawn.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(drawn)
    return os.path.getsize(path)


def finish_x(axes, table, places):
    axes.set_xlabel(table["x-label"])
    if table.get("log-x"):
        axes.set_xscale("log")
        if len(places) <= TICKS:
            axes.set_xticks(places, ["%g" % x for x in places])
            axes.set_xticks([], minor=True)
    if "x-range" in table:
        axes.set_xlim(table["x-range"])


def draw_panel(axes, panel, found):
    dense = sum(len(c.x) for c in found) > (
        DENSE_MARKS if panel.get("style") == "points" else DENSE)
    for n, curve in enumerate(found):
        color = "C%d" % (n % 10)
        if panel.get("style") == "bars":
            draw_bars(axes, curve, n, len(found), color)
        elif panel["x"] == "time":
            draw_over_time(axes, panel, curve, color, dense)
        else:
            draw_points(axes, panel, curve, n, color)
    draw_paper(axes, panel)
    axes.set_ylabel(panel["y-label"])
    if panel.get("log-y"):
        axes.set_yscale("log")
    if "y-range" in panel:
        axes.set_ylim(panel["y-range"])
    entries = len(axes.get_legend_handles_labels()[0])
    if entries > LEGEND:
        axes.legend(loc="center left", bbox_to_anchor=(1, .5))
    elif entries:
        axes.legend(loc="best")


def values(curve):
    """Means, and how far the range goes below and above."""
    means = [y.mean for y in curve.y]
    return means, [[y.mean - y.low for y in curve.y],
                   [y.high - y.mean for y in curve.y]]


def ranged(curve):
    return any(y.high > y.low for y in curve.y)


def draw_points(axes, panel, curve, n, color):
    means, bars = values(curve)
    line = "none" if panel.get("style") == "points" else "-"
    axes.errorbar(curve.x, means, yerr=bars if ranged(curve) else None,
                  linestyle=line, marker=MARKS[n % len(MARKS)], color=color,
                  capsize=2, elinewidth=.8, label=curve.label or None)


def draw_bars(axes, curve, n, of, color):
    means, bars = values(curve)
    width = .8 / of
    at = range(len(curve.x))
    axes.bar([a + (n - (of - 1) / 2) * width for a in at], means, width,
             yerr=bars if ranged(curve) else None, color=color,
             label=curve.label or None, error_kw={"elinewidth": .8,
                                                  "capsize": 2})
    axes.set_xticks(list(at), ["%s" % x if curve.text else "%g" % x
                               for x in curve.x])


def draw_over_time(axes, panel, curve, color, dense):
    means, style = [y.mean for y in curve.y], panel.get("style", "line")
    common = {"color": color, "label": curve.label or None,
              "rasterized": dense}
    if style == "points":
        axes.plot(curve.x, means, linestyle="none", marker=".", markersize=2,
                  **common)
        return
    axes.plot(curve.x, means, drawstyle="steps-pre" if style == "steps"
              else "default", **common)
    if ranged(curve):
        axes.fill_between(curve.x, [y.low for y in curve.y],
                          [y.high for y in curve.y], color=color, alpha=.18,
                          linewidth=0, rasterized=dense,
                          step="pre" if style == "steps" else None)


def draw_paper(axes, panel):
    """What the paper printed: black, hollow, behind nothing."""
    for n, points in enumerate(panel.get("paper-points", [])):
        axes.plot(points["x"], points["y"], linestyle="none", color="black",
                  marker=MARKS[n % len(MARKS)], markerfacecolor="none",
                  markersize=7, label=points["label"], zorder=5)
    for n, line in enumerate(panel.get("paper-lines", [])):
        style = {"color": "black", "linewidth": .9, "label": line["label"],
                 "linestyle": ["--", ":", "-."][n % 3]}
        if "y" in line:
            axes.axhline(line["y"], **style)
        else:
            axes.axvline(line["x"], **style)
