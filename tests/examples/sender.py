#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Embedding in Python: both ends in one application. It hears of congestion in
three ways (an event in the pipeline, a message on the bus, a property that
notifies), changes the controller while playing, and reads `stats`.

Run it with the plugins in GST_PLUGIN_PATH and the typelib in GI_TYPELIB_PATH, or
by `meson devenv`."""

import sys

import gi
gi.require_version("Gst", "1.0")
try:
    gi.require_version("GstCongestion", "1.0")
except ValueError as error:
    print("skipped: built without introspection: %s" % error)
    sys.exit(77)
from gi.repository import GLib, Gst, GstCongestion  # noqa: E402

SENDER = """
    videotestsrc is-live=true num-buffers=150 pattern=ball
    ! video/x-raw,format=I420,width=640,height=360,framerate=30/1
    ! x264enc tune=zerolatency speed-preset=ultrafast
    ! encoderbitrate max-bitrate=4000000
    ! rtph264pay name=pay config-interval=-1 mtu=1200
    ! pspsink name=sink host=127.0.0.1 start-target-bitrate=500000"""
RECEIVER = """
    pspsrc name=source address=127.0.0.1 port=0
      caps=application/x-rtp,media=video,clock-rate=90000,encoding-name=H264
    ! rtpjitterbuffer ! rtph264depay ! fakesink sync=false"""


class App:
    def __init__(self):
        self.loop = GLib.MainLoop()
        self.events = self.messages = self.notifies = 0
        self.failed = False
        self.receiver = Gst.parse_launch(RECEIVER)
        self.sender = Gst.parse_launch(SENDER)
        self.sink = self.sender.get_by_name("sink")

    def on_event(self, pad, info):
        """In the pipeline: an own encoder would follow the target here."""
        ok, congestion = GstCongestion.congestion_event_parse(
            info.get_event())
        if ok:
            self.events += 1
        return Gst.PadProbeReturn.OK

    def on_bitrate(self, sink, spec):
        self.notifies += 1

    def on_message(self, bus, message):
        ok, congestion = GstCongestion.congestion_message_parse(message)
        if ok:
            self.messages += 1
            known, target = congestion.get_target_bitrate()
            if known:
                print("target %6.0f kb/s (%s, by %s)" % (
                    target / 1000, congestion.get_reason().value_nick,
                    congestion.get_controller()))
        elif message.type == Gst.MessageType.ERROR:
            print(message.parse_error(), file=sys.stderr)
            self.failed = True
            self.loop.quit()
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()

    def change_controller(self):
        print("controller=damped-psp")
        self.sink.set_property("controller", "damped-psp")
        self.sink.set_property("max-target-bitrate", 3000000)
        return GLib.SOURCE_REMOVE

    def run(self):
        self.receiver.set_state(Gst.State.PLAYING)
        # Port 0 let the system choose; the element says which.
        port = self.receiver.get_by_name("source").get_property("port")
        self.sink.set_property("port", port)
        self.sink.connect("notify::estimated-bitrate", self.on_bitrate)
        pad = self.sender.get_by_name("pay").get_static_pad("src")
        pad.add_probe(Gst.PadProbeType.EVENT_UPSTREAM, self.on_event)
        bus = self.sender.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)
        GLib.timeout_add_seconds(3, self.change_controller)
        self.sender.set_state(Gst.State.PLAYING)
        self.loop.run()
        stats = self.sink.get_property("stats")
        print(stats.to_string())
        print("%d events, %d messages, %d notifications" % (
            self.events, self.messages, self.notifies))
        self.sender.set_state(Gst.State.NULL)
        self.receiver.set_state(Gst.State.NULL)
        return not self.failed and self.events and self.messages and \
            self.notifies and stats.get_value("feedback-received") > 0


if __name__ == "__main__":
    Gst.init(None)
    sys.exit(0 if App().run() else 1)
