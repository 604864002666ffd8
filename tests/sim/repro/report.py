# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""docs/evidence/reproduction.md, all of it."""

import math

from . import figures
from .claims import DIFFERS, REPRODUCED, SHAPE, SHOWN
from .table import written

INTRO = """\
# The papers, reproduced

*Written by `tests/sim/reproduce.py BUILD --docs`; changes by hand are lost.*

The papers behind this project published measurements. This page repeats them
with the project's own code and compares the two, claim by claim. It covers:
%s.

The simulations run in [ns-3](https://www.nsnam.org) (3.37, as Debian 12 has
it). Its nodes carry the very code of `pspsink` and `pspsrc`
(`gst-libs/control`, `gst-libs/rtpfeedback`), byte for byte as on the network:
RTP and RTCP over ns-3's UDP, beside ns-3's TCP.

```sh
apt-get install libns3-dev python3-matplotlib
meson setup build && meson compile -C build
tests/sim/reproduce.py build            # all of it, into build/reproduction
tests/sim/reproduce.py build --docs     # this page
tests/sim/reproduce.py build --quick    # the reduced form that the tests run
```

A full run is %d simulations, some %d minutes on one core; `--only PAPER`
does those of one paper, `--jobs` says how many at a time. What is run is data:
`tests/sim/scenarios/*.toml` hold every parameter, the papers' numbers and the
rule by which each is judged; `tests/sim/repro/scenario.py` explains them.

Each number of ours is the mean over the seeds, with the 95 %% interval of that
mean (Student's t) and the range from the least to the greatest seed. A seed
decides when each flow starts and how its packets jitter. The verdicts are
computed:

- **reproduced**: the mean keeps the rule in the column *held to*;
- **shape only**: it does not, but what the paper concludes from it holds (a
  looser rule, given in the scenario file);
- **differs**: neither; why, as far as we know, is said below the table;
- *shown*: the paper gives nothing to judge it by.

"""


def plain(value, digits=None):
    """A number with `digits` decimals, or to three digits that count."""
    if math.isinf(value):
        return "never"
    if digits is None:
        size = math.floor(math.log10(abs(value))) if value else 0
        digits = min(max(0, 2 - size), 6)
    return "%.*f" % (digits, value)


def digits_of(claim, ours):
    if claim.digits is not None or not math.isfinite(ours.mean):
        return claim.digits
    size = math.floor(math.log10(abs(ours.mean))) if ours.mean else 0
    return min(max(0, 2 - size), 6)


def unit(claim):
    return " " + claim.unit if claim.unit else ""


def papers_value(claim):
    paper = claim.paper
    if isinstance(paper, str):
        return paper
    values = paper if isinstance(paper, list) else [paper]
    return "…".join("%.12g" % v for v in values) + unit(claim)


def held_to(rule, unit=""):
    """The rule in a few signs."""
    if rule.get("within") is not None:
        text = "± %g %%" % (100 * rule["within"])
    elif rule.get("tolerance") is not None:
        text = "± %g%s" % (rule["tolerance"],
                           " points" if unit == " %" else unit)
    else:
        text = ", ".join("%s %g" % (sign, rule[name]) for name, sign in
                         (("at-least", "≥"), ("at-most", "≤"))
                         if rule.get(name) is not None)
    return text + (", every seed" if text and rule.get("every") else "")


def ours_value(found):
    claim, ours = found.claim, found.ours
    digits = digits_of(claim, ours)
    text = plain(ours.mean, digits) + unit(claim)
    if ours.high == ours.low or not math.isfinite(ours.high):
        return text
    return "%s ± %s [%s…%s]" % (
        text, plain(ours.half, digits), plain(ours.low, digits),
        plain(ours.high, digits))


def cells(*texts):
    return "| %s |\n" % " | ".join(
        t.replace("\n", " ").replace("|", "\\|") for t in texts)


def verdict_text(verdict):
    return "*shown*" if verdict == SHOWN else "**%s**" % verdict \
        if verdict == DIFFERS else verdict


def claims_table(verdicts):
    text = cells("paper's", "what", "paper", "held to",
                 "ours ± 95 % [range]", "seeds", "verdict")
    text += "|---|---|---|---|---|---|---|\n"
    for v in verdicts:
        text += cells(v.claim.figure, v.claim.text, papers_value(v.claim),
                      held_to(v.claim.table, unit(v.claim)), ours_value(v), str(v.ours.n),
                      verdict_text(v.verdict))
    return text + "\n"


def reasons(verdicts):
    text = ""
    for v in verdicts:
        claim = v.claim
        if claim.always or v.verdict in (DIFFERS, SHAPE):
            shape = ""
            if v.verdict == SHAPE and "value" not in claim.shape_rule:
                shape = " (it keeps %s)" % held_to(
                    claim.shape_rule, unit(claim))
            text += "- %s, %s — *%s*%s: %s\n" % (
                claim.figure, claim.text, v.verdict, shape,
                (claim.why or "no reason is known.").strip())
    return "Remarks:\n\n%s\n" % text if text else ""


def readings(paper):
    if not paper.readings:
        return ""
    text = cells("what the paper leaves open", "taken here", "why") + \
        "|---|---|---|\n"
    for r in paper.readings:
        text += cells(r["open"], r["taken"], r.get("why", ""))
    return "### How it was read\n\n%s\n" % text


def listed(values):
    values = [written(v) for v in values]
    if len(values) > 8:
        values = values[:3] + ["…", values[-1]]
    return values[0] if len(values) == 1 else "{%s}" % ",".join(values)


def simulated(paper):
    text = ""
    for s in paper.scenarios.values():
        if not s.program:
            text += "- %s: `%s`\n" % (s.name, s.command)
            continue
        text += "- %s: `%s`, %d simulations (%d seed%s)\n" % (
            s.name, " ".join([s.program] + [
                "--%s=%s" % (n, listed(v)) for n, v in s.values().items()]),
            len(s.combinations()) * s.seeds, s.seeds,
            "" if s.seeds == 1 else "s")
    return "What was run:\n\n%s\n" % text


def figure_text(paper, figure, results):
    table = figure.table
    text = "![%s](%s)\n\n*%s. %s*\n\n" % (
        table["id"], figure_file(paper, figure), table["id"],
        table["caption"].strip().replace("\n", " "))
    return text + (figure_numbers(figure, results)
                   if table.get("numbers") else "")


def points_of(panel, results):
    """((x, label), number) of all that a panel shows, the paper's last."""
    curves = figures.curves(panel, results)
    for curve in curves:
        for x, y in zip(curve.x, curve.y):
            text = plain(y.mean)
            if y.high > y.low:
                text += " [%s…%s]" % (plain(y.low), plain(y.high))
            yield (x, curve.label), text
    for points in panel.get("paper-points", []):
        for x, y in zip(points["x"], points["y"]):
            if panel.get("style") == "bars":
                x = curves[0].x[x]
            yield (x, points["label"]), "%.12g" % y


def figure_numbers(figure, results):
    """What a figure shows, a column for each panel."""
    rows, labels = {}, {}
    for n, panel in enumerate(figure.panels):
        for at, text in points_of(panel, results):
            rows.setdefault(at, {})[n] = text
            labels.setdefault(at[1], len(labels))
    columns = range(len(figure.panels))
    text = cells(figure.table["x-label"], "",
                 *(panel["y-label"] for panel in figure.panels))
    text += "|---|---|%s\n" % ("---|" * len(columns))
    for x, label in sorted(rows, key=lambda at: (at[0], labels[at[1]])):
        text += cells(x if isinstance(x, str) else "%g" % x, label,
                      *(rows[x, label].get(n, "") for n in columns))
    return text + "\n"


def figure_file(paper, figure):
    return "reproduction-%s-%s.svg" % (paper.name, figure.name)


def summary(papers, verdicts):
    text = cells("paper", REPRODUCED, SHAPE, DIFFERS, SHOWN) + \
        "|---|---|---|---|---|\n"
    for paper in papers:
        found = [v.verdict for v in verdicts[paper.name]]
        text += cells("[%s](#%s)" % (paper.title, anchor(paper.title)),
                      *(str(found.count(v))
                        for v in (REPRODUCED, SHAPE, DIFFERS, SHOWN)))
    return text + "\n"


def anchor(title):
    """As GitHub and GitLab make it of a heading."""
    return "".join(c for c in title.lower().replace(" ", "-")
                   if c.isalnum() or c in "-_")


def section(paper, verdicts, results):
    text = "## %s\n\n%s\n\n" % (paper.title, paper.text)
    text += readings(paper)
    if verdicts:
        text += "### What it claims\n\n" + claims_table(verdicts) + \
            reasons(verdicts)
    for figure in paper.figures:
        text += figure_text(paper, figure, results)
    return text + simulated(paper)


def page(papers, verdicts, results, runs, cpu):
    """The whole document; verdicts: {paper: [Verdict]}; cpu in s."""
    titles = "; ".join(paper.title for paper in papers)
    text = INTRO % (titles, runs, max(1, round(cpu / 60)))
    text += summary(papers, verdicts)
    return text + "\n".join(section(p, verdicts[p.name],
                                    results[p.name]).rstrip() + "\n"
                            for p in papers)
