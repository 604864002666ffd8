#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Records sessions of pspsink and pspsrc over the emulated link, in real time:
each call of the sender core with its answer. See sessions/README.md.

    tests/replay/record.py BUILD_DIR OUT_DIR [SESSION…]"""

import argparse
import lzma
import os
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "benchmarks"))

CAPS = ("application/x-rtp,media=video,clock-rate=90000,encoding-name=X,"
        "payload=96")
MARK = "psp-call "
FRAMES = 25                     # a second
SSRC = 0x11223344


class Source:
    """Pushes pictures of RTP packets. `rate` is in bits/s of payload; None is
    as fast as the sink takes them; "follow" is what the sink estimates."""

    def __init__(self, sender, rate, ssrcs):
        self.appsrc = sender.get_by_name("in")
        self.sink = sender.get_by_name("sink")
        self.rate, self.ssrcs, self.running = rate, ssrcs, True
        self.seqs = [65500 + 3000 * n & 65535 for n in range(len(ssrcs))]
        self.thread = threading.Thread(target=self._run)

    def _packet(self, stream, picture, size, marker):
        from gi.repository import Gst
        seq = self.seqs[stream]
        self.seqs[stream] = seq + 1 & 65535
        buffer = Gst.Buffer.new_wrapped(
            bytes([0x80, 96 | marker << 7]) + seq.to_bytes(2, "big") +
            (3600 * picture).to_bytes(4, "big") +
            self.ssrcs[stream].to_bytes(4, "big") + bytes(size))
        buffer.pts = picture * Gst.SECOND // FRAMES
        return buffer

    def _sizes(self, picture):
        """Payloads of a picture's packets, of 900 bytes at most."""
        rate = self.rate
        if rate == "follow":
            rate = self.sink.get_property("estimated-bitrate") or 300000
        if rate is None:
            return [900] * 8
        # A key frame each two seconds, of three times the size; sizes vary as
        # an encoder's do, and the same way each time.
        size = rate // 8 // FRAMES * (3 if picture % 50 == 0 else 1)
        size = size * (80 + picture * 37 % 41) // 100
        return [900] * (size // 900) + [size % 900 or 1]

    def _run(self):
        from gi.repository import Gst
        begin, picture = time.monotonic(), 0
        while self.running:
            sizes = self._sizes(picture)
            for n, size in enumerate(sizes):
                for stream in range(len(self.ssrcs)):
                    if self.appsrc.emit("push-buffer", self._packet(
                            stream, picture, size, n + 1 == len(sizes))) != \
                            Gst.FlowReturn.OK:
                        return
            picture += 1
            wait = begin + picture / FRAMES - time.monotonic()
            if self.rate is not None and wait > 0:
                time.sleep(wait)


class Run:
    """One session, from its first packet to its end."""

    def __init__(self, build, session):
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstApp", "1.0")
        from gi.repository import Gst, GstApp  # noqa: F401
        from pspbench.relay import Relay
        from pspbench.ports import free_port
        Gst.init(None)
        self.gst, self.port = Gst, free_port()
        self.start_receiver()
        self.relay = Relay(
            os.path.join(build, "tests/link/relay/psp-link-relay"), self.port,
            session["forward"], session.get("back", "delay=15ms"), os.devnull)
        self.sender = Gst.parse_launch(
            "appsrc name=in format=time block=true max-buffers=2 caps=\"%s\" ! "
            "pspsink name=sink sync=false host=127.0.0.1 port=%d "
            "max-queue-time=200000000 %s" % (
                CAPS, self.relay.port, session["sink"]))
        self.sink = self.sender.get_by_name("sink")
        self.source = Source(self.sender, session.get("rate"),
                             session.get("ssrcs", [SSRC]))

    def start_receiver(self):
        self.receiver = self.gst.parse_launch(
            "pspsrc address=127.0.0.1 port=%d caps=\"%s\" ! fakesink "
            "sync=false async=false" % (self.port, CAPS))
        self.receiver.set_state(self.gst.State.PLAYING)
        self.receiver.get_state(self.gst.SECOND)

    def stop_receiver(self):
        self.receiver.set_state(self.gst.State.NULL)

    def set(self, **properties):
        for name, value in properties.items():
            self.sink.set_property(name.replace("_", "-"), value)

    def offer(self, rate):
        self.source.rate = rate

    def reset(self):
        self.sink.emit("reset-controller")

    def pause(self):
        self.sender.set_state(self.gst.State.PAUSED)

    def play(self):
        self.sender.set_state(self.gst.State.PLAYING)

    def run(self, seconds, acts):
        self.play()
        begin = time.monotonic()
        self.source.thread.start()
        for at, act in acts:
            time.sleep(max(0, begin + at - time.monotonic()))
            act(self)
        time.sleep(max(0, begin + seconds - time.monotonic()))
        self.source.running = False
        self.source.appsrc.emit("end-of-stream")
        self.sender.get_bus().timed_pop_filtered(
            3 * self.gst.SECOND,
            self.gst.MessageType.EOS | self.gst.MessageType.ERROR)
        print(self.sink.get_property("stats").to_string(), flush=True)
        self.sender.set_state(self.gst.State.NULL)
        self.source.thread.join()
        self.stop_receiver()
        self.relay.process.terminate()
        self.relay.process.wait()


# A bottleneck that narrows and widens again, and loses some besides.
NARROWS = "delay=15ms,queue=8p,loss=0.005,schedule=0s:900k/4s:350k/7s:900k"
LOSES = NARROWS.replace("loss=0.005", "loss=0.02")
LIMITS = "min-target-bitrate=100000 max-target-bitrate=1500000"


def controlled(name, more="", **rest):
    return dict({"sink": "controller=%s %s" % (name, more),
                 "forward": NARROWS, "seconds": 10}, **rest)


SESSIONS = {
    "none": controlled("none", rate=600000),
    "fixed": controlled("fixed", "spacing=12000000 " + LIMITS),
    "psp": controlled("psp", LIMITS, seconds=15, forward=LOSES),
    "damped-psp": controlled("damped-psp", LIMITS, seconds=15, forward=LOSES),
    "rap-psp": controlled("rap-psp", LIMITS, seconds=12),
    "scp": controlled("scp", "start-target-bitrate=200000", seconds=12),
    "media-scaling": controlled(
        "media-scaling", "scale-bitrates=\"<(guint64)100000,(guint64)200000,"
        "(guint64)400000,(guint64)600000,(guint64)1000000>\"", rate="follow",
        seconds=14),
    # The path is cut for three seconds, and later the receiver is gone until
    # the sender has stopped, and beyond.
    "silence": controlled(
        "scp", LIMITS, rate="follow", seconds=23,
        forward="delay=15ms,queue=8p,schedule=0s:600k/2s:0/5s:600k",
        acts=[(7, Run.stop_receiver), (19.5, Run.start_receiver)]),
    # Some packets come so late that they count as lost before they arrive.
    "reordered": controlled(
        "rap-psp", LIMITS,
        forward="rate=700k,delay=15ms,queue=8p,reorder=0.03:90ms"),
    # Reports are lost, too.
    "two-streams": controlled(
        "scp", LIMITS, ssrcs=[SSRC, 0x55667788], back="delay=15ms,loss=0.1"),
    "controllers": controlled(
        "scp", LIMITS, seconds=13, acts=[
            (2, lambda r: r.set(controller="rap-psp")),
            (4, lambda r: r.set(controller="media-scaling")),
            (6, lambda r: r.set(controller="fixed", spacing=15000000)),
            (7, lambda r: r.set(spacing=10000000)),
            (8, lambda r: r.set(controller="damped-psp")),
            (10, lambda r: r.set(controller="psp")),
            (11.5, lambda r: r.set(controller="scp"))]),
    # The application offers less than it may, pauses, and changes its mind.
    "limits": controlled(
        "scp", "start-target-bitrate=300000", rate=250000, seconds=14, acts=[
            (3, lambda r: r.offer(700000)),
            (5, lambda r: r.set(max_target_bitrate=400000)),
            (7, lambda r: r.set(max_target_bitrate=0,
                                min_target_bitrate=500000)),
            (8.5, Run.reset),
            (10, Run.pause), (11, Run.play),
            (12, lambda r: r.set(min_target_bitrate=50000))]),
}


def record(build, name, directory):
    with tempfile.TemporaryDirectory() as work:
        log = os.path.join(work, "log")
        subprocess.run(
            [sys.executable, os.path.abspath(__file__), build, directory, name,
             "--here"], check=True, env=dict(
                 os.environ, GST_DEBUG="pspcalls:7", GST_DEBUG_FILE=log,
                 GST_DEBUG_NO_COLOR="1",
                 GST_REGISTRY_1_0=os.path.join(work, "registry"),
                 GST_PLUGIN_PATH_1_0=os.path.join(build, "gst", "psp")))
        with open(log) as lines:
            text = "".join(line[line.index(MARK):] for line in lines
                           if MARK in line)
    path = os.path.join(directory, name + ".log.xz")
    with lzma.open(path, "wt", preset=9 | lzma.PRESET_EXTREME) as out:
        out.write(text)
    print("%s: %d calls, %d bytes" % (path, text.count("\n"),
                                      os.path.getsize(path)), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("out")
    parser.add_argument("sessions", nargs="*", metavar="SESSION",
                        help="of " + ", ".join(SESSIONS))
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for name in args.sessions or SESSIONS:
        session = SESSIONS[name]
        if args.here:
            Run(args.build, session).run(session["seconds"],
                                         session.get("acts", []))
        else:
            record(args.build, name, args.out)


if __name__ == "__main__":
    main()
