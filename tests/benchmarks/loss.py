#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The same pictures of a 4 Mb/s clip, by udpsink sync=true, by each controller
of pspsink, by srtsink and by ristsink (latency and buffer 120 ms; where they
are installed), in one run over equal links of 2 Mb/s that drop to 0.8 Mb/s and
come back (40 ms round trip, queue of 10 packets). With --h264 the clip as
H.264 of the same rate, through mpegscaler where pspsink sends, and how many
pictures can be decoded; SRT and RIST are left out.

    tests/benchmarks/loss.py BUILD_DIR [--h264] [--seconds 60]
        [--out DIRECTORY] [--json FILE]"""

import argparse
import os
import sys
import tempfile
import threading
import time

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

from pspbench import lossmedia
from pspbench.figures import HIGHER, Figures, add_option
from pspbench.relay import OVERHEAD, Relay, rate_series
from pspbench.ports import free_ports
from quickstart import capacity, link_spec, quantile

BACK_MBIT = 1.7
PATH_SECONDS = .02              # one way


class Flow:
    def __init__(self, name, media, relay_program, spec, out):
        self.name, self.media = name, media
        self.n_pictures = 0
        sender, receiver, ports = media.ways[name]
        port = free_ports(ports)
        self.relay = Relay(relay_program, port, spec, "delay=20ms",
                           os.path.join(out, "loss-%s.csv" % name), ports)
        self.receiver = Gst.parse_launch(
            receiver.format(port=port) + " ! fakesink name=out sync=false")
        self.sender = Gst.parse_launch(
            "appsrc name=in format=time block=true max-buffers=4 caps=%s ! "
            % media.caps + sender.format(port=self.relay.port))
        self.sizes = {"in": [], "out": []}  # (monotonic time, bytes)
        self.packets = {"in": {}, "out": {}}    # picture → sequence numbers
        self._count("in", self.sender.get_by_name("sink"))
        self._count("out", self.receiver.get_by_name("out"))
        self.receiver.set_state(Gst.State.PLAYING)

    def _count(self, end, element):
        def on_data(pad, info):
            size = info.get_buffer_list().calculate_size() \
                if info.type & Gst.PadProbeType.BUFFER_LIST \
                else info.get_buffer().get_size()
            self.sizes[end].append((time.monotonic() - self.began, size))
            self.media.note(self.packets[end], info)
            return Gst.PadProbeReturn.OK

        self.began = time.monotonic()
        next(iter(element.iterate_sink_pads())).add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, on_data)

    def bytes(self, end, since, until):
        """That went in or came out."""
        return sum(size for at, size in self.sizes[end]
                   if since <= at < until)

    def run(self, seconds):
        source = self.sender.get_by_name("in")
        self.began = time.monotonic()
        self.sender.set_state(Gst.State.PLAYING)
        for n in range(self.media.pictures(seconds)):
            if source.emit("push-buffer", self.media.buffer(n)) != \
                    Gst.FlowReturn.OK:
                break
            self.n_pictures = n + 1
        source.emit("end-of-stream")
        message = self.sender.get_bus().timed_pop_filtered(
            10 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        if not message or message.type == Gst.MessageType.ERROR:
            sys.exit("%s: %s" % (self.name, message and message.parse_error()))

    def stop(self):
        sink = self.sender.get_by_name("sink")
        stats = sink.get_property("stats")
        self.rtcp_bytes = stats.get_value("feedback-bytes") \
            if stats.has_field("feedback-bytes") else 0
        self.media_bytes = stats.get_value("payload-bytes-sent") \
            if stats.has_field("payload-bytes-sent") else 0
        self.sender.set_state(Gst.State.NULL)
        self.receiver.set_state(Gst.State.NULL)
        self.rows = self.relay.stop()

    def decodable(self):
        """Its share of the source's pictures; None where that is not known."""
        found = self.media.decodable(self.n_pictures, self._is_whole)
        return None if found is None else len(found) / self.n_pictures

    def _is_whole(self, picture):
        sent = self.packets["in"].get(picture)
        return sent is not None and \
            sent <= self.packets["out"].get(picture, set())


def is_installed(name):
    """What takes part is part of GStreamer's plugins, or ours."""
    if name not in ("srtsink", "ristsink") or Gst.ElementFactory.find(name):
        return True
    print("%s is left out: it is not installed (gstreamer1.0-plugins-bad)"
          % name)
    return False


def back_after(series, since, mbit):
    """Seconds from `since` until the delivered rate reaches mbit for a
    second."""
    times, rates = series
    for t, at in enumerate(times):
        if at <= since:
            continue
        second = [r for x, r in zip(times, rates) if at <= x < at + 1]
        if second and min(second) >= 0.8 * mbit and \
                sum(second) / len(second) >= mbit:
            return at - since
    return None


def report(flow, seconds):
    rows = [r for r in flow.rows if r.size > 200]
    lost = sum(r.dropped for r in rows)
    waits = [r.wait for r in rows if r.wait is not None and not r.dropped]
    _, delivered = rate_series(rows)
    cap = sum(rate for _, rate in capacity(seconds)) / 3
    used = sum(8 * (r.size + OVERHEAD) for r in rows if not r.dropped and
               r.departure is not None and r.departure <= seconds)
    back = back_after(delivered, 2 * seconds / 3, BACK_MBIT)
    third = seconds / 3
    return {"sent": len(rows), "lost": lost, "loss": lost / len(rows),
            "arrived": flow.bytes("out", third, 2 * third)
            / flow.bytes("in", third, 2 * third),
            "used": used / (cap * seconds),
            "p50": quantile(waits, .5), "p95": quantile(waits, .95),
            "back": back, "decodable": flow.decodable(),
            "rtcp": flow.rtcp_bytes / flow.media_bytes
            if flow.media_bytes else None}


def note(figures, name, result):
    """Shares that are never 0, so that they have ratios."""
    figures.add(name + ": packets delivered", 1 - result["loss"], "", HIGHER)
    figures.add(name + ": use of the link", result["used"], "", HIGHER)
    figures.add(name + ": wait and path, p95", 1e3 * (
        result["p95"] + PATH_SECONDS), "ms")
    if result["decodable"]:
        figures.add(name + ": decodable pictures", result["decodable"], "",
                    HIGHER)
    if result["rtcp"]:
        figures.add(name + ": RTCP of the payload", result["rtcp"], "")


def table(results):
    base = results["udpsink"]
    with_pictures = base["decodable"] is not None
    yield "%-11s %7s %7s %8s %11s %6s %8s %15s %12s %7s%s" % (
        "", "sent", "lost", "loss", "of udpsink", "use", "arrived",
        "wait p50/p95", "back 1.7", "RTCP",
        " %9s" % "decodable" if with_pictures else "")
    for name, r in results.items():
        yield ("%-11s %7d %7d %7.2f%% %11.4f %5.1f%% %7.1f%% %6.0f /%4.0f ms"
               " %12s %7s%s" % (
                   name, r["sent"], r["lost"], 100 * r["loss"],
                   r["loss"] / base["loss"], 100 * r["used"],
                   100 * r["arrived"], 1e3 * r["p50"], 1e3 * r["p95"],
                   "%.1f s" % r["back"] if r["back"] is not None else "never",
                   "%.2f %%" % (100 * r["rtcp"]) if r["rtcp"] else "-",
                   " %8.1f%%" % (100 * r["decodable"])
                   if with_pictures else ""))
    yield ("of udpsink: loss as a share of udpsink's; arrived: of the bytes "
           "that went into the sink in the middle third, what came out of the "
           "source then; back: seconds after the step up until %.1f Mb/s are "
           "delivered for a second" % BACK_MBIT)
    if with_pictures:
        yield ("decodable: of the clip's pictures, those that arrived whole "
               "with all that they refer to")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--h264", action="store_true")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--out", default=None)
    add_option(parser)
    args = parser.parse_args()
    Gst.init(None)
    out = args.out or tempfile.mkdtemp(prefix="psp-loss-")
    os.makedirs(out, exist_ok=True)
    relay = os.path.join(args.build, "tests", "link", "relay", "psp-link-relay")
    media = lossmedia.H264() if args.h264 else lossmedia.Mpeg()
    flows = [Flow(name, media, relay, link_spec(args.seconds), out)
             for name in media.ways if is_installed(name)]
    threads = [threading.Thread(target=f.run, args=(args.seconds,))
               for f in flows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(0.5)
    for flow in flows:
        flow.stop()
    results = {f.name: report(f, args.seconds) for f in flows}
    print("\n".join(table(results)))
    figures = Figures()
    for name, r in results.items():
        note(figures, name, r)
    figures.write(args.json)


if __name__ == "__main__":
    main()
