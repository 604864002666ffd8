#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The same greedy session twice: pspsink to pspsrc in real time over the
emulated link of tests/link, and their cores in ns-3 (sim-agreement). One
sender, packets of one size, each controller on each link.

    tests/sim/agreement.py BUILD_DIR [--repeats 3] [--seconds 25] [--docs]

Real time wants an idle machine, and SCHED_FIFO: what the link's own lateness
says of that is printed. --docs writes docs/agreement.md."""

import argparse
import collections
import csv
import io
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "benchmarks"))
import gi  # noqa: E402
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
from pspbench.relay import Relay  # noqa: E402
from pspbench.stream import free_port  # noqa: E402

PACKET = 1000           # bytes of RTP
IP = 28                 # IPv4 and UDP headers
PPP = 2                 # what ns-3's point-to-point links add
WARMUP = 5              # s
WITHIN = .05            # of the rate
LATE_US = 500           # the link's sends were later than that in the mean

Link = collections.namedtuple("Link", "rate_mbps delay_ms queue")
Figures = collections.namedtuple("Figures", "rate loss wait late drops")

LINKS = [Link(2, 20, 10), Link(6, 20, 20), Link(10, 20, 30)]
CONTROLLERS = ["scp", "psp", "damped-psp", "rap-psp", "fixed"]


def spacing_us(link):
    """Of controller fixed: a tenth more than the link carries."""
    return int(8 * (PACKET + IP + PPP) / link.rate_mbps / 1.1)


def mean(values):
    return statistics.fmean(values) if values else 0.0


class Real:
    """A session over a relay of its own."""

    def __init__(self, build, controller, link, out):
        path = "rate=%gM,delay=%gms,overhead=%d" % (
            link.rate_mbps, link.delay_ms, IP + PPP)
        port = free_port()
        self.relay = Relay(
            os.path.join(build, "tests", "link", "relay", "psp-link-relay"),
            port, path + ",queue=%dp" % link.queue, path,
            os.path.join(out, "%s-%g.csv" % (controller, link.rate_mbps)))
        self.receiver = Gst.parse_launch(
            "pspsrc address=127.0.0.1 port=%d caps=application/x-rtp,"
            "media=video,clock-rate=90000,encoding-name=H264,payload=96 ! "
            "fakesink sync=false" % port)
        self.receiver.set_state(Gst.State.PLAYING)
        self.receiver.get_state(5 * Gst.SECOND)
        self.sender = subprocess.Popen(
            [os.path.join(build, "tests", "benchmarks", "psp-feed"),
             "--packets", str(10 ** 9), "--size", str(PACKET), "--list", "4",
             "--sink", "pspsink host=127.0.0.1 port=%d controller=%s "
             "spacing=%d" % (self.relay.port, controller,
                             1000 * spacing_us(link))])

    def finish(self, seconds):
        self.sender.kill()
        self.sender.wait()
        self.receiver.set_state(Gst.State.NULL)
        self.relay.process.send_signal(signal.SIGTERM)
        sums = json.loads(
            self.relay.process.communicate(timeout=10)[0].splitlines()[-1])
        # stop() finds the process gone, and reads the log.
        rows = [r for r in self.relay.stop() if r.size == PACKET]
        sent = [r for r in rows if WARMUP <= r.arrival < seconds]
        left = [r for r in rows if not r.dropped and r.departure is not None
                and WARMUP <= r.departure < seconds]
        return Figures(
            8e-6 * (PACKET + IP) * len(left) / (seconds - WARMUP),
            mean([r.dropped for r in sent]), 1e3 * mean([r.wait for r in left]),
            sums["forward"]["send-late-mean-us"], sums["kernel-drops"])


def simulate(build, controller, link, seconds, seed):
    text = subprocess.run(
        [os.path.join(build, "tests", "sim", "sim-agreement"),
         "--controller=" + controller, "--rate-mbps=%g" % link.rate_mbps,
         "--delay-ms=%g" % link.delay_ms, "--queue=%d" % link.queue,
         "--packet=%d" % PACKET, "--spacing-us=%d" % spacing_us(link),
         "--warmup=%d" % WARMUP, "--duration=%d" % seconds,
         "--seed=%d" % seed],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = {r["quantity"]: float(r["value"])
            for r in csv.DictReader(io.StringIO(text))}
    return Figures(rows["throughput_mbps"], rows.get("loss", 0),
                   rows.get("queue_ms_mean", 0), 0, 0)


def measure(args, cases, out):
    """Figures of each repeat of each case, args.parallel at a time."""
    found = {case: [] for case in cases}
    turns = [case for _ in range(args.repeats) for case in cases]
    for at in range(0, len(turns), args.parallel):
        group = turns[at:at + args.parallel]
        running = [(case, Real(args.build, *case, tempfile.mkdtemp(dir=out)))
                   for case in group]
        time.sleep(args.seconds + .5)
        for case, real in running:
            found[case].append(real.finish(args.seconds))
            print("%-11s %4g Mb/s: %.3f Mb/s, %.2f %% lost, wait %.1f ms, "
                  "%.0f us late" % (
                      case[0], case[1].rate_mbps, found[case][-1].rate,
                      100 * found[case][-1].loss, found[case][-1].wait,
                      found[case][-1].late), file=sys.stderr)
    return found


def spread(values, form):
    low, high = form % min(values), form % max(values)
    text = form % mean(values)
    return text if low == high else "%s (%s–%s)" % (text, low, high)


def row(case, real, sims):
    rate, expected = mean([r.rate for r in real]), mean([s.rate for s in sims])
    off = rate / expected - 1
    return off, [
        case[0], "%g Mb/s" % case[1].rate_mbps,
        spread([s.rate for s in sims], "%.3f"),
        spread([r.rate for r in real], "%.3f"), "%+.1f %%" % (100 * off),
        "%.2f / %.2f" % (100 * mean([s.loss for s in sims]),
                         100 * mean([r.loss for r in real])),
        "%.1f / %.1f" % (mean([s.wait for s in sims]),
                         mean([r.wait for r in real]))]


HEAD = ["controller", "link", "ns-3, Mb/s", "real, Mb/s", "difference",
        "lost, %: ns-3 / real", "wait, ms: ns-3 / real"]
TEXT = """\
# ns-3 and real time

*Written by `tests/sim/agreement.py BUILD --docs`; changes by hand are lost.*

One greedy session, twice: `pspsink` to `pspsrc` in real time over the emulated
link of `tests/link`, and their cores in ns-3 (`tests/sim/agreement.cc`). Both
have packets of %(packet)d bytes of RTP, the same rate (28 bytes of IPv4 and UDP
and 2 of PPP count), %(links)s, %(delay)s ms each way, and %(seconds)d s, of which
the first %(warmup)d are not counted. Real: mean (least–greatest) of %(repeats)d
runs; ns-3: of %(seeds)d seeds, whose periods jitter by 1 %%. Rates are of IP
packets that came through. `fixed` sends a tenth more than the link carries: it
shows how far the two links themselves agree.

%(table)s

%(verdict)s

That the decisions are the same for the same feedback, to the last bit, is
another matter, which the test `psp_recording` holds: see
[architecture.md](architecture.md).
"""


def markdown(rows):
    lines = ["| %s |" % " | ".join(HEAD), "|---|---|---:|---:|---:|---:|---:|"]
    return "\n".join(lines + ["| %s |" % " | ".join(r) for r in rows])


def verdict(offs, real):
    """What the numbers come to; a sentence or more."""
    agree = sum(abs(off) <= WITHIN for off in offs.values())
    worst = max(offs, key=lambda case: abs(offs[case]))
    late = [r.late for runs in real.values() for r in runs]
    text = ("%d of %d rates are within %g %% of ns-3's; the worst, %s at %g "
            "Mb/s, is %+.1f %% off. The link's sends came %.0f µs late in the "
            "mean (worst run %.0f µs); %d packets were lost outside of it." % (
                agree, len(offs), 100 * WITHIN, worst[0], worst[1].rate_mbps,
                100 * offs[worst], mean(late), max(late),
                sum(r.drops for runs in real.values() for r in runs)))
    if max(late) > LATE_US:
        text += (" The machine was busy with other things: these figures are "
                 "to be measured again.")
    return text


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=int, default=25)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--parallel", type=int, default=3,
                        help="sessions at a time")
    parser.add_argument("--only", action="append", choices=CONTROLLERS,
                        help="this controller")
    parser.add_argument("--docs", action="store_true")
    args = parser.parse_args()
    Gst.init(None)
    cases = [(c, link) for link in LINKS for c in args.only or CONTROLLERS]
    with tempfile.TemporaryDirectory(prefix="psp-agreement-") as out:
        real = measure(args, cases, out)
    sims = {case: [simulate(args.build, *case, args.seconds, seed + 1)
                   for seed in range(args.seeds)] for case in cases}
    offs, rows = {}, []
    for case in cases:
        offs[case], cells = row(case, real[case], sims[case])
        rows.append(cells)
    table = markdown(rows)
    print(table + "\n\n" + verdict(offs, real))
    if args.docs:
        with open(os.path.join(HERE, "..", "..", "docs", "agreement.md"),
                  "w") as f:
            f.write(TEXT % {
                "packet": PACKET, "seconds": args.seconds, "warmup": WARMUP,
                "repeats": args.repeats, "seeds": args.seeds, "table": table,
                "delay": "%g" % LINKS[0].delay_ms,
                "links": ", ".join("%d packets of queue at %g Mb/s" % (
                    link.queue, link.rate_mbps) for link in LINKS),
                "verdict": verdict(offs, real)})
    return any(abs(off) > WITHIN for off in offs.values())


if __name__ == "__main__":
    sys.exit(main())
