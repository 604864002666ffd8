# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What the demos have in common."""

import atexit
import json
import os
import subprocess
import sys
import time

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

TWCC = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
LONGEST = 60                    # s until something that is waited for


def need(*names):
    """Ends the demo where an element is missing."""
    missing = [n for n in names if not Gst.ElementFactory.find(n)]
    if missing:
        print("skipped: GStreamer has no %s here" % ", ".join(missing))
        sys.exit(77)


def source(bitrate, obeys=True, over="identity"):
    """A live encoder and its payloader. `over` may write over the pictures."""
    return ("videotestsrc is-live=true pattern=snow"
            " ! video/x-raw,format=I420,width=160,height=120,framerate=30/1 ! %s"
            " ! x264enc name=encoder tune=zerolatency speed-preset=ultrafast"
            " key-int-max=60 bitrate=%d %s"
            " ! rtph264pay name=pay0 mtu=1200 pt=96 config-interval=-1"
            " auto-header-extension=true"
            % (over, bitrate // 1000, "! encoderbitrate" if obeys else ""))


def code(path, bitrate, seconds):
    """Makes a file of H.264 with B pictures."""
    pipeline = Gst.parse_launch(
        "videotestsrc pattern=snow num-buffers=%d"
        " ! video/x-raw,format=I420,width=160,height=120,framerate=30/1"
        " ! x264enc speed-preset=ultrafast bframes=2 key-int-max=30 bitrate=%d"
        " ! h264parse ! mp4mux ! filesink location=%s"
        % (30 * seconds, bitrate // 1000, path))
    play(pipeline)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    if message.type == Gst.MessageType.ERROR:
        sys.exit("failed: %s" % (message.parse_error(),))
    stop(pipeline)


def left_out(scaler):
    """Pictures, by an mpegscaler."""
    s = stats(scaler)
    return s["frames-h26x"] - s["frames-passed"]


# Has the payloader number packets transport-wide.
NUMBERED = " ! capsfilter caps=\"application/x-rtp,extmap-3=(string)%s\"" % TWCC


def play(*pipelines):
    for pipeline in pipelines:
        pipeline.set_state(Gst.State.PLAYING)


def stop(*pipelines):
    for pipeline in pipelines:
        pipeline.set_state(Gst.State.NULL)


def stats(element, prop="stats"):
    s = element.get_property(prop)
    return {s.nth_field_name(i): s.get_value(s.nth_field_name(i))
            for i in range(s.n_fields())
            if s.get_field_type(s.nth_field_name(i)).name != "GValueArray"}


def complain(pipeline):
    """Ends the demo where the pipeline has failed."""
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    if message:
        sys.exit("failed: %s" % (message.parse_error(),))


def wait_for(what, condition, *pipelines):
    """Until the condition holds; as long as it may take on a busy machine."""
    context, until = GLib.MainContext.default(), time.monotonic() + LONGEST
    while not condition():
        for pipeline in pipelines:
            complain(pipeline)
        if time.monotonic() > until:
            sys.exit("failed: not %s within %d s" % (what, LONGEST))
        while context.iteration(False):
            pass
        time.sleep(0.02)


class Link:
    """psp-link-relay before ports on this machine, which share what it carries."""

    def __init__(self, to, forward, back="delay=20ms", log=None, and_to=()):
        self.process = subprocess.Popen(
            [os.environ["PSP_LINK_RELAY"], "--forward", forward,
             "--back", back, "--duration", "300",
             *(["--log", log] if log else []),
             *(arg for port in (to, *and_to) for arg in
               ("--flow", "127.0.0.1:0>127.0.0.1:%d" % port))],
            stdout=subprocess.PIPE, text=True)
        # A demo that fails must not leave it: Meson waits for its output.
        atexit.register(self.process.kill)
        ready = self.process.stdout.readline()
        self.ports = [int(at.rsplit(":", 1)[1]) for at in ready.split()[1:]]
        self.port = self.ports[0]

    def close(self):
        """What the link did."""
        self.process.terminate()
        return json.loads(self.process.communicate()[0].splitlines()[-1])
