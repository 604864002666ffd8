# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""From a run's logs to what the paper's Table 3 has. ../README.md has the
definitions."""

import bisect
import csv
import glob
import json
import os
import statistics

from . import setting

PERIOD = .1                     # s from picture to picture
SECOND = 1e9
EVENTS = ["rexmt", "dupack"]
STEP = 5.0                      # s without an event that end a step
RISE, OVER, MEAN = .5, 100, 10  # s; pictures; pictures
KEPT = 40                       # each how many pictures a row for the figures
OUTAGE = ["first_rexmt", "first_dupack", "first_backlog", "bound", "before"]
FRAME = ["frame", "type", "coded", "release", "departure", "arrival",
         "decoded", "target_bits", "actual_bits", "unsent_bytes",
         "unacked_bytes", "srtt"]
TABLE = [("events", "events"), ("lateness", "referential jitter, s"),
         ("iat", "inter-arrival, s"), ("flight", "flight, s"),
         ("time", "time per video, s"), ("fps", "frames/s")]


class Invalid(Exception):
    pass


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def read_run(folder):
    """Rows of the pictures in display order, times in s; events; link."""
    sent = read_csv(folder + "/sent.csv")
    with open(folder + "/received.json") as file:
        received = json.load(file)
    with open(folder + "/link.json") as file:
        link = json.load(file)
    n = len(sent)
    if len(received["arrival"]) != n or len(received["decoded"]) != n:
        raise Invalid("%d pictures sent, %d arrived, %d decoded" % (
            n, len(received["arrival"]), len(received["decoded"])))
    if received["gaps"] or link["kernel-drops-a"] or link["kernel-drops-b"]:
        raise Invalid("gaps or drops outside of the model")
    frames = [None] * n
    for row in sent:
        number, coded = int(row["frame"]), int(row["coded"])
        frames[number] = {
            "frame": number, "type": row["type"], "coded": coded,
            "release": int(row["release"]) / SECOND,
            "departure": int(row["departure"]) / SECOND,
            "arrival": received["arrival"][coded] / SECOND,
            "decoded": received["decoded"][number] / SECOND,
            "target_bits": int(row["target_bits"]),
            "actual_bits": int(row["actual_bits"]),
            "unsent_bytes": int(row["unsent-bytes"]),
            "unacked_bytes": int(row["unacked-bytes"]),
            "srtt": int(row["rtt"]) / SECOND}
    return frames, read_events(folder, frames), link


def read_events(folder, frames):
    """What itcpsink told; `at`: the last picture decoded by then."""
    decoded = [f["decoded"] for f in frames]
    events = []
    for row in read_csv(folder + "/events.csv"):
        at = int(row["time"]) / SECOND
        events.append({"time": at, "kind": row["kind"],
                       "target": int(row["target"]),
                       "at": bisect.bisect(decoded, at) - 1})
    return events


def lateness(frames):
    first = frames[0]["decoded"]
    return [f["decoded"] - first - n * PERIOD for n, f in enumerate(frames)]


def steps(events):
    """[(begin, end)] in s."""
    found = []
    for t in sorted(e["time"] for e in events if e["kind"] in EVENTS):
        if found and t - found[-1][1] < STEP:
            found[-1][1] = t
        else:
            found.append([t, t])
    return [(begin, end + STEP) for begin, end in found]


def rises(frames, events, waves=False):
    """Ends of the steps behind which lateness rises by more than RISE over
    OVER pictures, and has not come back within OVER more. `waves`: also those
    behind which it comes back."""
    late, found = lateness(frames), []
    decoded = [f["decoded"] for f in frames]
    begins = [begin for begin, _ in steps(events)] + [float("inf")]
    for (_, end), until in zip(steps(events), begins[1:]):
        window = late[bisect.bisect(decoded, end):
                      bisect.bisect(decoded, until)]
        smooth = [statistics.fmean(window[n:n + MEAN])
                  for n in range(len(window) - MEAN + 1)]
        if any(b - a > RISE and
               (waves or min(smooth[n + OVER:n + 2 * OVER]) - a > RISE)
               for n, (a, b) in enumerate(zip(smooth, smooth[OVER:]))):
            found.append(end)
    return found


def measure(frames, events):
    n, late = len(frames), lateness(frames)
    time = frames[-1]["decoded"] - frames[0]["release"]
    return {
        "events": sum(e["kind"] in EVENTS for e in events),
        "backlog": sum(e["kind"] == "backlog" for e in events),
        "lateness": statistics.fmean(late),
        "lateness_max": max(late), "lateness_last": late[-1],
        "iat": (frames[-1]["decoded"] - frames[0]["decoded"]) / (n - 1),
        "flight": statistics.fmean(f["arrival"] - f["departure"]
                                   for f in frames),
        "time": time, "fps": n / time,
        "rate": sum(f["actual_bits"] for f in frames) / n / PERIOD / 1e6,
        "rises": len(rises(frames, events)),
        "waves": len(rises(frames, events, waves=True))}


def folders(out, arms):
    """(folder, arm, rtt, run) of each of these arms in DIR, where those of the
    other experiment may be too."""
    found = []
    for folder in sorted(glob.glob(out + "/*-*-*/")):
        arm, rtt, run = os.path.basename(folder.rstrip("/")).rsplit("-", 2)
        if arm in arms:
            found.append((folder, arm, int(rtt), int(run)))
    if not found:
        raise Invalid("%s has no runs of %s" % (out, ", ".join(arms)))
    return found


def runs(found):
    """(arm, rtt, run, frames, events, link, counters) of each of the folders."""
    for folder, arm, rtt, run in found:
        with open(folder + "counters.json") as file:
            counters = json.load(file)
        try:
            yield (arm, rtt, run, *read_run(folder), counters)
        except Invalid as reason:
            raise Invalid("%s: %s" % (folder, reason)) from None


class Sheet:
    """Rows as tests/sim/reproduce.py reads them."""

    def __init__(self, path):
        self.file = open(path, "w", newline="")
        self.out = csv.writer(self.file, lineterminator="\n")
        self.out.writerow(["arm", "rtt", "seed", "quantity", "flow", "kind",
                           "time", "value"])

    def add(self, key, quantity, value, time=""):
        self.out.writerow([*key, quantity, "all", "", time,
                           "%.5g" % value])


def report(out):
    """Writes DIR's tables and prints the paper's; status."""
    measured = runs(folders(out, setting.ARMS))     # none: no table either
    sheet, found = Sheet(out + "/itcp.csv"), {}
    columns = ["arm", "rtt", "run"]
    with open(out + "/frames.csv", "w", newline="") as all_frames, \
            open(out + "/events.csv", "w", newline="") as all_events:
        frame_out = csv.DictWriter(all_frames, columns + FRAME)
        event_out = csv.DictWriter(all_events, columns + [
            "time", "kind", "target", "at"])
        frame_out.writeheader()
        event_out.writeheader()
        for arm, rtt, run, frames, events, link, counters in measured:
            key = {"arm": arm, "rtt": rtt, "run": run}
            frame_out.writerows({**key, **{
                name: "%.6f" % v if isinstance(v, float) else v
                for name, v in f.items()}} for f in frames)
            event_out.writerows({**key, **e} for e in events)
            m = measure(frames, events)
            m["counted"] = sum(counters[c] for c in (
                "TCPTimeouts", "TCPRenoRecovery", "TCPSackRecovery"))
            m["late_us"] = link["forward"].get("send-late-mean-us", 0)
            found.setdefault(arm, {}).setdefault(rtt, {})[run] = m
            write_sheet(sheet, (arm, rtt, run), m, frames)
    sheet.file.close()
    for arm, by_rtt in sorted(found.items()):
        print_arm(arm, by_rtt)
    return 0


def write_sheet(sheet, key, m, frames):
    for name, value in m.items():
        sheet.add(key, name, value)
    for f, late in list(zip(frames, lateness(frames)))[::KEPT]:
        sheet.add(key, "frame_arrival", f["decoded"], f["frame"])
        sheet.add(key, "frame_lateness", late, f["frame"])


def mean(runs_of, name):
    return statistics.fmean(m[name] for m in runs_of.values())


def print_arm(arm, by_rtt):
    names = [name for name, _ in TABLE] + [
        "counted", "backlog", "lateness_max", "rate", "rises", "waves",
        "late_us"]
    print("\n%s\n%6s" % (arm, "rtt") + "".join("%13s" % n for n in names))
    for rtt, runs_of in sorted(by_rtt.items()):
        print("%6d" % rtt + "".join(
            "%13.4f" % mean(runs_of, n) for n in names))
    everything = {(rtt, run): m for rtt, runs_of in by_rtt.items()
                  for run, m in runs_of.items()}
    print("  mean" + "".join("%13.4f" % mean(everything, n) for n in names))


def check_log(frames, events, counters):
    """What is wrong with a run's log, or None."""
    for n, f in enumerate(frames):
        if f["frame"] != n or not (
                0 <= f["release"] <= f["departure"] < f["arrival"] and
                f["actual_bits"] > 0 and f["target_bits"] > 0):
            return "this is no picture's log: %s" % f
    if any(b["decoded"] < a["decoded"] for a, b in zip(frames, frames[1:])):
        return "pictures were decoded out of order"
    told = [e for e in events if e["kind"] in EVENTS]
    if not told:
        return "the burst made no event"
    counted = counters["TCPTimeouts"] + counters["TCPRenoRecovery"]
    if len(told) != counted:
        return "%d events were told, %d counted" % (len(told), counted)
    return None


def lowered(without, frames, events):
    """The run's bits of those without symbiosis: before its first event, and of
    the first 15 pictures that are handed over a second or more behind it."""
    at = [e["time"] for e in events if e["kind"] in EVENTS][0]

    def share(found):
        return sum(frames[n]["actual_bits"] for n in found) / sum(
            without[n]["actual_bits"] for n in found)
    order = sorted(range(len(frames)), key=lambda n: frames[n]["departure"])
    return (share([n for n in order if frames[n]["departure"] < at]),
            share([n for n in order if frames[n]["departure"] > at + 1][:15]))


def check_quick(out):
    """The machinery alone: every picture, a whole log, events as the kernel
    counts them, and that the first lowers the bits. Status."""
    logs = {}
    for arm, _, _, frames, events, _, counters in runs(
            folders(out, setting.ARMS)):
        print("%s: %d pictures, events: %s" % (arm, len(frames), [
            (e["kind"], round(e["time"], 3), e["target"]) for e in events
            if e["kind"] in EVENTS]))
        wrong = check_log(frames, events, counters)
        if wrong:
            print(wrong)
            return 1
        logs[arm] = frames, events
    before, after = lowered(logs["tcp"][0], *logs["itcp"])
    print("bits with symbiosis, of those without: %.2f before its first event,"
          " %.2f after" % (before, after))
    if before < .99 or after > .75:
        print("symbiosis did not lower the bits, or not at the event")
        return 1
    return 0


def first_events(folder, rtt):
    """s from the cut to the first event of each kind; the timer in round trips,
    before one of which nobody can know; and backlogs before the cut."""
    with open(folder + "options.json") as file:
        options = json.load(file)["options"]
    cut = options["outage"] - options["offset"]
    first = {"before": 0}
    for row in read_csv(folder + "events.csv"):
        after = int(row["time"]) / SECOND - cut
        if after > 0:
            first.setdefault("first_" + row["kind"], after)
        elif row["kind"] == "backlog":
            first["before"] += 1
    if "first_rexmt" not in first:
        raise Invalid(folder + ": no timeout")
    first["bound"] = first["first_rexmt"] / rtt * 1000
    return first


def report_outage(out):
    """How long each kind of event takes; status."""
    found = {}
    for folder, arm, rtt, run in folders(out, setting.OUTAGES):
        found.setdefault((arm, rtt), {})[run] = first_events(folder, rtt)
    sheet = Sheet(out + "/itcp-outage.csv")
    for (arm, rtt), runs_of in found.items():
        for run, first in runs_of.items():
            for name in OUTAGE:
                if name in first:
                    sheet.add((arm, rtt, run), name, first[name])
    sheet.file.close()
    print("%-10s %5s %8s %8s %7s %7s %7s   s, medians; backlogs before the cut" % (
        "tcp", "rtt", "rexmt", "backlog", "ratio", "bound", "before"))
    for (arm, rtt), runs_of in sorted(found.items()):
        rexmt, backlog, bound = (statistics.median(
            first.get(name, float("nan")) for first in runs_of.values())
            for name in ("first_rexmt", "first_backlog", "bound"))
        print("%-10s %5d %8.3f %8.3f %7.1f %7.1f %7d" % (
            arm, rtt, rexmt, backlog, rexmt / backlog, bound,
            sum(first["before"] for first in runs_of.values())))
    return 0
