# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What live.py found, as a page: who is ahead where, losses included."""

import collections
import math

from .livecases import CASES
from .liveelements import ELEMENTS
from .livefigures import ahead, summary
from .liveresults import LATE_MS, is_late

OTHERS = """\
`poise` and `scp` are `pspsink` to `pspsrc`; `rtpbandwidth`, and `rtpgccbwe` of
gst-plugins-rs, `rtpbin` to `rtpbin` with transport-wide feedback; `screamtx` is
SCReAM's element, to its `screamrx`. All have an x264enc of their own with the same
pictures. Ours are set by `encoderbitrate`, the others' by what their property
notifies. Each begins at the same rate and has its defaults otherwise.

    PEER_PLUGINS=FOLDER tests/benchmarks/live.py BUILD \\
      --controllers {controllers} \\
      --cases {cases}{quick}

"""

HEAD = """\
# {title}

Written by `tests/benchmarks/live.py BUILD --page{page}`; {runs} runs, {encoders},
pictures of the committed clips at 640x360 and 30 frames/s.

The link is `tests/link` between two network namespaces: 2 Mb/s, 20 ms each way, a
queue of 60 packets unless said. TCP is the kernel's. What is compared runs at the
same time, each over a link of its own. Medians [least…most] of the runs.

- *use*: RTP payload of distinct packets of the encoder that were received, and
  40 bytes a packet, over what the link takes; *share*: that over itself and TCP's
  IP packets.
- *use by all*, *Jain's index*: of all sessions, and of what each of them received.
- *wait*: of the media's packets in the link's queue; *lost*: that the queue did not
  take.
- *frame delay*: from the payloader to the frame's last packet at the receiver.
- *back*, *received*: from when the link, or the receiver, returns, until so much was
  received over 300 ms. After an outage only what was made since counts.
- *calm*: until no packet waits over 30 ms for 200 ms.
- *ahead*: every run was better than every run of the others; `–`: nobody.
  *bar*: what is asked for; bold: the median misses it, or a run that of each run.

## At a glance

"""


def number(value, kind):
    if value is None or math.isinf(value):
        return "never"
    if kind == "ms":
        return "%.0f ms" % (1e3 * value)
    if kind == "s":
        return "%.1f s" % value
    return ("%.3f" % value).lstrip("0") if value < 1 and value >= .0005 else \
        "%.3g" % value


def misses(s, figure, scp):
    def beyond(value, limit):
        return limit is not None and (value < limit if figure.higher
                                      else value > limit)

    return beyond(s.median, figure.bar) or \
        beyond(s.least if figure.higher else s.most, figure.each) or \
        bool(scp and figure.beyond
             and beyond(s.median, scp.median + figure.beyond))


def cell(s, figure, scp=None):
    """Median, range, and whether it reaches the bar."""
    if s is None:
        return ""
    middle = number(s.median, figure.kind)
    if misses(s, figure, scp):
        middle = "**%s**" % middle
    return middle if s.runs < 2 else "%s [%s…%s]" % (
        middle, number(s.least, figure.kind), number(s.most, figure.kind))


def bar(figure):
    sign = "≥ " if figure.higher else "≤ "
    text = [] if figure.bar is None else [sign + number(figure.bar,
                                                        figure.kind)]
    if figure.each is not None:
        text.append("each run %s%s" % (sign, number(figure.each, figure.kind)))
    if figure.beyond is not None:
        text.append("%sscp + %s" % (sign, number(figure.beyond, figure.kind)))
    return ", ".join(text)


def summaries(rows, figure):
    """{controller: Summary} in the order in which they came."""
    values = collections.OrderedDict()
    for row in rows:
        values.setdefault(row["controller"], []).append(
            row["figures"].get(figure.name))
    return {name: summary(v, figure.higher) for name, v in values.items()}


def table(head, rows):
    return "\n".join(["| %s |" % " | ".join(head), "|---" * len(head) + "|"] +
                     ["| %s |" % " | ".join(row) for row in rows]) + "\n"


def glance(cases):
    """A row a case: who is ahead in what it is about, and who misses it."""
    rows = []
    for case, found in cases:
        leads, missed = collections.OrderedDict(), []
        for figure in case.shown:
            by_name = summaries(found, figure)
            leader = ahead(by_name, figure.higher)
            if leader:
                leads.setdefault(leader, []).append(figure.title)
            missed += ["%s: %s" % (name, figure.title)
                       for name, s in by_name.items()
                       if misses(s, figure, by_name.get("scp"))]
        rows.append([case.name, case.says, "; ".join(
            "%s in %s" % (name, ", ".join(titles))
            for name, titles in leads.items()) or "–",
            "; ".join(missed) or "–"])
    return table(["case", "", "ahead", "misses its bar"], rows)


def details(case, found):
    names = list(collections.OrderedDict.fromkeys(
        row["controller"] for row in found))
    rows = []
    for figure in case.shown:
        by_name = summaries(found, figure)
        rows.append([figure.title] + [cell(by_name[n], figure, by_name.get("scp"))
                                      for n in names] +
                    [ahead(by_name, figure.higher) or "–", bar(figure)])
    return "## %s: %s\n\n" % (case.name, case.says) + table(
        ["runs: %d" % max(row["run"] for row in found)] + names +
        ["ahead", "bar"], rows)


def machine(rows):
    """What a reader has to know before trusting it."""
    loads = [row["machine"]["load"] for row in rows]
    busy = [row["machine"]["busy"] for row in rows]
    text = "## The machine\n\nLoad average at the begin of a run %.1f to %.1f; " \
        "its processors were busy %.0f to %.0f %% of a run.\n" % (
            min(loads), max(loads), 100 * min(busy), 100 * max(busy))
    drops = [row for row in rows if row["machine"]["kernel_drops"]]
    late = [row for row in rows if row not in drops and is_late(row)]
    if late:
        text += "\nRuns with the link late by over %d ms once or more, to be " \
            "repeated: %s.\n" % (LATE_MS, "all" if len(late) == len(rows)
                                  else names_of(late))
    if drops:
        text += "\nRuns in which the kernel dropped packets outside of the " \
            "link, to be repeated: %s.\n" % names_of(drops)
    return text


def names_of(rows):
    return ", ".join("%s/%s/%d" % (row["case"], row["controller"], row["run"])
                     for row in rows)


def page(rows):
    cases = [(case, [row for row in rows if row["case"] == name])
             for name, case in CASES.items()]
    cases = [(case, found) for case, found in cases if found]
    encoders = ", ".join("`%s`" % e for e in sorted(
        {row["encoder"] for row in rows}))
    others = {row["controller"] for row in rows} & set(ELEMENTS)
    head = HEAD.format(
        runs=len(rows), encoders=encoders, page=" PAGE" if others else "",
        title="Beside other senders, on the emulated link" if others else
        "Live encoders on the emulated link")
    if others:
        head = head.replace("## At a glance", OTHERS.format(
            controllers=",".join(dict.fromkeys(r["controller"] for r in rows)),
            cases=",".join(dict.fromkeys(r["case"] for r in rows)),
            quick=" --quick" * any(r["quick"] for r in rows)) +
            "## At a glance")
    if any(row["quick"] for row in rows):
        head += "Short runs (`--quick`).\n\n"
    return head + glance(cases) + "\n" + "\n".join(
        details(case, found) for case, found in cases) + "\n" + machine(rows)
