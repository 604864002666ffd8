# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A recording as a picture: PNG, SVG, or what else matplotlib writes."""

from . import figures
from .terminal import plain

COLOURS = ["#1f6fd1", "#e0691b", "#14967a", "#8a5bd6", "#7a7a7a"]
SCALES = {"bit/s": (1e6, "Mb/s"), "s": (1e-3, "ms")}
WIDTH, HEIGHT = 7.5, 1.9        # inches of a chart


class NoMatplotlib(Exception):
    """What to install."""


def draw(axes, element, start, chart, names):
    factor, shown = SCALES.get(chart.unit, (1, chart.unit))
    times = [point.time - start for point in element.points]
    for name in names:
        values = [point.figures.get(name) for point in element.points]
        axes.plot(times, [float("nan") if value is None else value / factor
                          for value in values],
                  color=COLOURS[chart.figures.index(name)], linewidth=1.2,
                  linestyle="--" if name == "target" else "-",
                  label=figures.LABELS[name])
    for event in element.events:
        if event.weight > 0:
            # The same as on the page: a tick, or a line.
            axes.axvline(event.time - start, 0, 1 if event.weight > 1 else .07,
                         color="#c0392b", linewidth=.6)
    axes.set_ylabel(("%s %s" % (chart.title, shown)).strip(), fontsize=8)
    axes.set_ylim(0, max(axes.get_ylim()[1], chart.least / factor))
    axes.tick_params(labelsize=8)
    axes.grid(alpha=.25)
    axes.legend(fontsize=7, loc="upper left", ncol=len(names), frameon=False)


def heading(element):
    return plain("%s  %s  (%s)" % (element.name, element.pipeline,
                                   element.process.program))


def plot(model, path):
    """Raises NoMatplotlib, ValueError (nothing to draw, or no such format) and
    OSError."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise NoMatplotlib("--plot needs matplotlib; on Debian: apt install "
                           "python3-matplotlib") from None
    drawn = [(element, chart, names) for element in model.elements
             for chart, names in figures.charts_of(element.points)]
    if not drawn:
        raise ValueError("the recording has nothing to draw")
    start = min(element.points[0].time for element, _, _ in drawn)
    figure, rows = pyplot.subplots(
        len(drawn), 1, sharex=True, squeeze=False, layout="constrained",
        figsize=(WIDTH, HEIGHT * len(drawn) + .4))
    last = None
    for (element, chart, names), axes in zip(drawn, rows[:, 0]):
        draw(axes, element, start, chart, names)
        if element is not last:
            # A dollar sign in a name must not begin a formula.
            axes.set_title(heading(element), fontsize=9, loc="left",
                           parse_math=False)
        last = element
    rows[-1, 0].set_xlabel("s", fontsize=8)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
