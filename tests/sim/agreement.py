#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The same session twice: pspsink to pspsrc in real time over the
emulated link of tests/link, and their cores in ns-3 (sim-agreement). One
sender, each controller on each link; with a greedy source, and with coded
video, whose packets ns-3 is given as the real sender got them.

    meson devenv -C BUILD_DIR -w "$PWD" \\
        tests/sim/agreement.py BUILD_DIR [--repeats 3] [--seconds 25] [--docs]
    … [--source video] [--only scp]     some of the rows

All of it takes about 12 minutes: each group of --parallel sessions takes its
--seconds, and one more.

Real time wants an idle machine, and SCHED_FIFO: what the link's own lateness
says of that is printed. --docs writes docs/evidence/agreement.md."""

import argparse
import collections
import concurrent.futures
import csv
import io
import json
import os
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "benchmarks"))
import gi  # noqa: E402
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
from pspbench.relay import Relay  # noqa: E402
from pspbench.ports import free_port  # noqa: E402

PACKET = 1000           # bytes of RTP
RTP = 12
SMALL = 150             # bytes; what has no more is RTCP
IP = 28                 # IPv4 and UDP headers
PPP = 2                 # what ns-3's point-to-point links add
WARMUP = 5              # s
WITHIN = .05            # of the rate
LATE_US = 500           # the link's sends were later than that in the mean

Link = collections.namedtuple("Link", "rate_mbps delay_ms queue")
# late: mean and greatest time of the link's sends behind its model, us.
Figures = collections.namedtuple("Figures",
                                 "rate loss wait late late_max drops")

LINKS = [Link(2, 20, 10), Link(6, 20, 20), Link(10, 20, 30)]
CONTROLLERS = ["scp", "psp", "damped-psp", "rap-psp", "media-scaling", "fixed"]
FRAME = .02             # s, of media-scaling
# Half of it is more than the slower link carries, half far less; into the
# faster one, some pictures are. Nothing scales this stream: no media-scaling.
VIDEO = ["walk-720x480p30-4M.m2v", "ocean-176x96p30-500k.m2v",
         "ocean-176x96p30-500k.m2v"]
VIDEO_SECONDS = 14      # of it
FILES = os.path.join(HERE, "..", "files")
Case = collections.namedtuple("Case", "controller link source")
CASES = [Case(c, link, "greedy") for link in LINKS for c in CONTROLLERS] + \
    [Case(c, Link(3, 20, 15), "video")
     for c in CONTROLLERS if c != "media-scaling"] + \
    [Case(c, Link(6, 20, 20), "video")
     for c in ("scp", "damped-psp", "rap-psp")]


def spacing_us(link):
    """Of controller fixed: a tenth more than the link carries."""
    return int(8 * (PACKET + IP + PPP) / link.rate_mbps / 1.1)


def mean(values):
    return statistics.fmean(values) if values else 0.0


def scale_bitrates(link):
    """As sim-agreement has them."""
    return [int(round(1e5 * link.rate_mbps)) * n for n in (3, 5, 7, 9, 11)]


class Greedy:
    """Packets of one size, as fast as the sink takes them."""

    def __init__(self, build, sink):
        self.process = subprocess.Popen(
            [os.path.join(build, "tests", "benchmarks", "psp-feed"),
             "--packets", str(10 ** 9), "--size", str(PACKET), "--list", "4",
             "--sink", sink])

    def stop(self):
        self.process.kill()
        self.process.wait()


class Frames:
    """Frames of as many bytes as the sink's target allows."""

    def __init__(self, sink):
        self.pipeline = Gst.parse_launch(
            "appsrc name=in format=time max-bytes=0 caps=application/x-rtp,"
            "media=video,clock-rate=90000,encoding-name=H264,payload=96 ! %s "
            "name=sink sync=false" % sink)
        self.source = self.pipeline.get_by_name("in")
        self.sink = self.pipeline.get_by_name("sink")
        self.seq, self.ended = 0, threading.Event()
        self.pipeline.set_state(Gst.State.PLAYING)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        begin, n = time.monotonic(), 0
        while not self.ended.wait(max(0, begin + n * FRAME -
                                      time.monotonic())):
            left = int(self.sink.props.estimated_bitrate * FRAME / 8)
            frame = Gst.BufferList.new()
            while left > 0:
                size = min(left, PACKET - RTP)
                left -= size
                frame.insert(-1, self._packet(n, size, left == 0))
            if frame.length() > 0:
                self.source.emit("push-buffer-list", frame)
            n += 1

    def _packet(self, n, size, last):
        header = struct.pack(">BBHII", 0x80, 96 | last << 7, self.seq & 0xffff,
                             int(90000 * FRAME) * n, 1)
        self.seq += 1
        return Gst.Buffer.new_wrapped(header + bytes(size))

    def stop(self):
        self.ended.set()
        self.thread.join()
        self.pipeline.set_state(Gst.State.NULL)


class Video:
    """Coded video, each picture at its time; notes what reaches the sink."""

    def __init__(self, sink, seconds, out):
        clip, self.trace = os.path.join(out, "video.m2v"), []
        with open(clip, "wb") as file:
            for _ in range(seconds // VIDEO_SECONDS + 1):
                for name in VIDEO:
                    with open(os.path.join(FILES, name), "rb") as part:
                        file.write(part.read())
        self.pipeline = Gst.parse_launch(
            "filesrc location=%s ! mpegvideoparse ! clocksync ! "
            "rtpmpegvideopay mtu=%d ! %s name=sink sync=false "
            "max-queue-time=0" % (clip, PACKET, sink))
        self.pipeline.get_by_name("sink").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, self._note)
        self.pipeline.set_state(Gst.State.PLAYING)

    def _note(self, pad, info):
        now, group = time.monotonic(), info.get_buffer_list()
        buffers = [info.get_buffer()] if group is None else \
            [group.get(n) for n in range(group.length())]
        self.trace += [(now, b.get_size()) for b in buffers]
        return Gst.PadProbeReturn.OK

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)

    def write(self, path):
        with open(path, "w") as file:
            for at, size in self.trace:
                file.write("%.6f %d\n" % (at - self.trace[0][0], size))


class Real:
    """A session over a relay of its own."""

    def __init__(self, build, case, seconds, start, out):
        controller, link, source = case
        self.trace = os.path.join(out, "trace")
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
            "fakesink sync=false async=false" % port)
        self.receiver.set_state(Gst.State.PLAYING)
        self.receiver.get_state(5 * Gst.SECOND)
        sink = ("pspsink host=127.0.0.1 port=%d controller=%s spacing=%d "
                "start-target-bitrate=%d scale-bitrates=<%s> "
                "controller-params=params,life=0.0,relative-decrease=0.0 "
                "unproved-target-bitrate=0" % (
                    self.relay.port, controller, 1000 * spacing_us(link),
                    1e6 * start * link.rate_mbps,
                    ",".join("(guint64)%d" % b for b in scale_bitrates(link))))
        self.sender = Video(sink, seconds, out) if source == "video" else \
            Frames(sink) if controller == "media-scaling" else \
            Greedy(build, sink)

    def finish(self, seconds):
        self.sender.stop()
        if isinstance(self.sender, Video):
            self.sender.write(self.trace)
        self.receiver.set_state(Gst.State.NULL)
        self.relay.process.send_signal(signal.SIGTERM)
        sums = json.loads(
            self.relay.process.communicate(timeout=10)[0].splitlines()[-1])
        # stop() finds the process gone, and reads the log.
        rows = [r for r in self.relay.stop() if r.size > SMALL]
        begin = rows[0].arrival
        sent = [r for r in rows if WARMUP <= r.arrival - begin < seconds]
        left = [r for r in rows if not r.dropped and r.departure is not None
                and WARMUP <= r.departure - begin < seconds]
        return Figures(
            8e-6 * sum(r.size + IP for r in left) / (seconds - WARMUP),
            mean([r.dropped for r in sent]), 1e3 * mean([r.wait for r in left]),
            sums["forward"]["send-late-mean-us"],
            sums["forward"]["send-late-max-us"], sums["kernel-drops"])


def simulate(build, case, start, seconds, seed, trace):
    link = case.link
    text = subprocess.run(
        [os.path.join(build, "tests", "sim", "sim-agreement"),
         "--controller=" + case.controller, "--rate-mbps=%g" % link.rate_mbps,
         "--delay-ms=%g" % link.delay_ms, "--buffer=%d" % link.queue,
         "--packet=%d" % (PACKET + IP), "--spacing-us=%d" % spacing_us(link),
         "--start-mbps=%g" % (start * link.rate_mbps),
         "--warmup=%d" % WARMUP, "--duration=%d" % seconds,
         "--frame-ms=%g" % (1e3 * FRAME), "--seed=%d" % seed]
        + (["--trace=" + trace] if trace else []),
        stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = {r["quantity"]: float(r["value"])
            for r in csv.DictReader(io.StringIO(text))}
    return Figures(rows["throughput_mbps"], rows.get("loss", 0),
                   rows.get("queue_ms_mean", 0), 0, 0, 0)


def measure(args, cases, out):
    """({case: [Figures]}, {case: [trace]}) of each repeat of each case,
    args.parallel at a time; a trace is "" where the source needs none."""
    found, traces = ({case: [] for case in cases} for _ in range(2))
    turns = [case for _ in range(args.repeats) for case in cases]
    for at in range(0, len(turns), args.parallel):
        group = turns[at:at + args.parallel]
        running = [(case, Real(args.build, case, args.seconds, args.start,
                               tempfile.mkdtemp(dir=out))) for case in group]
        time.sleep(args.seconds + 1)
        for case, real in running:
            found[case].append(real.finish(args.seconds))
            traces[case].append(real.trace if case.source == "video" else "")
            print("%-6s %-13s %4g Mb/s: %.3f Mb/s, %.2f %% lost, wait %.1f "
                  "ms, %.0f us late (at most %.0f)" % (
                      case.source, case.controller, case.link.rate_mbps,
                      found[case][-1].rate, 100 * found[case][-1].loss,
                      found[case][-1].wait, found[case][-1].late,
                      found[case][-1].late_max), file=sys.stderr)
    return found, traces


def simulate_all(args, traces):
    """{case: [Figures]}: args.seeds of each, in turn with each trace."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {case: [pool.submit(simulate, args.build, case, args.start,
                                      args.seconds, seed + 1,
                                      found[seed % len(found)])
                          for seed in range(args.seeds)]
                   for case, found in traces.items()}
        return {case: [future.result() for future in futures]
                for case, futures in running.items()}


def median(figures, name):
    return statistics.median(getattr(f, name) for f in figures)


def spread(figures):
    rates = [f.rate for f in figures]
    low, high = "%.3f" % min(rates), "%.3f" % max(rates)
    text = "%.3f" % statistics.median(rates)
    return text if low == high else "%s (%s–%s)" % (text, low, high)


def row(case, real, sims):
    off = median(real, "rate") / median(sims, "rate") - 1
    return off, [
        case.source, case.controller, "%g Mb/s" % case.link.rate_mbps,
        spread(sims), spread(real),
        "%+.1f %%" % (100 * off),
        "%.2f / %.2f" % (100 * median(sims, "loss"),
                         100 * median(real, "loss")),
        "%.1f / %.1f" % (median(sims, "wait"), median(real, "wait"))]


HEAD = ["source", "controller", "link", "ns-3, Mb/s", "real, Mb/s",
        "difference", "lost, %: ns-3 / real", "wait, ms: ns-3 / real"]
TEXT = """\
# ns-3 and real time

*Written by `meson devenv -C BUILD -w "$PWD" tests/sim/agreement.py BUILD --docs`;
changes by hand are lost.*

This page shows how far the simulator that [reproduction.md](reproduction.md)
uses can be trusted.

One session, twice: `pspsink` to `pspsrc` in real time over the emulated link of
`tests/link`, and their cores in ns-3 (`tests/sim/agreement.cc`). Both have the
same rate (28 bytes of IPv4 and UDP and 2 of PPP count), %(links)s,
%(delay)s ms each way, and %(seconds)d s, of which the first %(warmup)d are not
counted. The greedy source has packets of %(packet)d bytes of RTP; that of
`media-scaling` sends frames every %(frame)d ms of what its scale allows, 0.3 to
1.1 times the link's rate. Real: median (least to greatest) of %(repeats)d runs;
ns-3: of %(seeds)d seeds, whose periods jitter by 1 %%. Rates are of IP packets
that came through. `fixed` sends full packets a tenth faster than the link
carries them: it shows how far the two links themselves agree.

Video is MPEG-2 of `tests/files` in real time, by way of `mpegvideoparse` and
`rtpmpegvideopay`: in turn 8 s of 4 Mb/s and 7 s of 0.5 Mb/s, so that the
slower link has too much to carry half of the time and too little the other
half. Nothing makes it smaller; what does not fit waits in `pspsink`. Sizes and
times of the packets that reach `pspsink` are recorded, and the source in ns-3
has the very same ones. Where what comes out is what went in, the row shows that
neither sender holds anything back.

`start-target-bitrate` is %(start)g times the link's rate; with 1 that is, headers
added, a little more than fits. Left to themselves (`--start 0`), `psp` and `damped-psp` start
without any spacing, as fast as the machine can send, which is not the same in
both; how often that doubles their spacing decides their rate for the next
minute. And while a busy machine stalls the receiver's process, its packets are
presumed lost: `psp` answers that again and again, and a run in which it happens
is far below the others.

%(table)s

%(verdict)s

That the decisions are the same for the same feedback, to the last bit, is
another matter, which the test `psp_recording` holds: see
[architecture.md](../architecture.md).
"""


def markdown(rows):
    lines = ["| %s |" % " | ".join(HEAD),
             "|---|---|---|---:|---:|---:|---:|---:|"]
    return "\n".join(lines + ["| %s |" % " | ".join(r) for r in rows])


def wrapped(text):
    """Paragraphs in lines of 80 columns; tables stay as they are."""
    return "\n\n".join(part if part.startswith("|") else
                       textwrap.fill(part, 80, break_on_hyphens=False)
                       for part in text.strip().split("\n\n")) + "\n"


def verdict(offs, real):
    """What the numbers come to; a sentence or more."""
    agree = sum(abs(off) <= WITHIN for off in offs.values())
    worst = max(offs, key=lambda case: abs(offs[case]))
    late = [r.late for runs in real.values() for r in runs]
    text = ("%d of %d rates are within %g %% of ns-3's; the worst, %s (%s) at "
            "%g Mb/s, is %+.1f %% off. The link's sends came %.0f µs late in "
            "the mean (worst run %.0f µs, latest send %.1f ms); %d packets were "
            "lost outside of it." % (
                agree, len(offs), 100 * WITHIN, worst.controller, worst.source,
                worst.link.rate_mbps,
                100 * offs[worst], mean(late), max(late),
                1e-3 * max(r.late_max for runs in real.values()
                           for r in runs),
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
    parser.add_argument("--start", type=float, default=1,
                        help="bitrate to start with, as a part of the link's; "
                        "0: the controller's own")
    parser.add_argument("--only", action="append", choices=CONTROLLERS,
                        help="this controller")
    parser.add_argument("--source", choices=["greedy", "video"],
                        help="only this one")
    parser.add_argument("--docs", action="store_true")
    args = parser.parse_args()
    if args.docs and (args.only or args.source):
        parser.error("--docs takes all rows")
    Gst.init(None)
    for name in ("pspsink", "pspsrc"):
        if not Gst.ElementFactory.find(name):
            parser.error("there is no element %s; meson devenv -C BUILD_DIR "
                         "-w \"$PWD\" … finds it" % name)
    cases = [case for case in CASES
             if case.controller in (args.only or CONTROLLERS) and
             args.source in (None, case.source)]
    with tempfile.TemporaryDirectory(prefix="psp-agreement-") as out:
        real, traces = measure(args, cases, out)
        sims = simulate_all(args, traces)
    offs, rows = {}, []
    for case in cases:
        offs[case], cells = row(case, real[case], sims[case])
        rows.append(cells)
    table = markdown(rows)
    print(table + "\n\n" + verdict(offs, real))
    if args.docs:
        with open(os.path.join(HERE, "..", "..", "docs", "evidence",
                               "agreement.md"),
                  "w") as f:
            f.write(wrapped(TEXT % {
                "packet": PACKET, "seconds": args.seconds, "warmup": WARMUP,
                "repeats": args.repeats, "seeds": args.seeds, "table": table,
                "start": args.start, "frame": round(1e3 * FRAME),
                "delay": "%g" % LINKS[0].delay_ms,
                "links": ", ".join("%d packets of queue at %g Mb/s" % (
                    link.queue, link.rate_mbps)
                    for link in sorted({case.link for case in cases})),
                "verdict": verdict(offs, real)}))
    return any(abs(off) > WITHIN for off in offs.values())


if __name__ == "__main__":
    sys.exit(main())
