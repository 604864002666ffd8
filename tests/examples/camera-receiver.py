#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Shows what camera-sender.py or `example-camera send` sends, and how much of it
arrives and is lost:

    camera-receiver.py [PORT]

Needs GTK 3 (packages gir1.2-gtk-3.0 and gstreamer1.0-gtk3) and the plugins."""

import sys

import gi
gi.require_version("Gst", "1.0")
gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gst, Gtk  # noqa: E402

PIPELINE = """
    pspsrc name=source caps="application/x-rtp,media=video,clock-rate=90000,
      encoding-name=H264"
    ! rtpjitterbuffer latency=200 ! rtph264depay ! decodebin ! videoconvert
    ! gtksink name=view"""


class Receiver(Gtk.Window):
    def __init__(self, port):
        super().__init__(title="Receiver")
        self.failed, self.octets = False, 0
        self.pipeline = Gst.parse_launch(PIPELINE)
        self.source = self.pipeline.get_by_name("source")
        self.source.set_property("port", port)
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::error", self.on_error)

        picture = self.pipeline.get_by_name("view").get_property("widget")
        picture.set_size_request(640, 480)
        self.label = Gtk.Label(label="Nothing has come to port %d yet" % port)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.pack_start(picture, True, True, 0)
        box.pack_start(self.label, False, False, 6)
        self.add(box)
        self.connect("destroy", Gtk.main_quit)
        GLib.timeout_add_seconds(1, self.show_figures)

    def show_figures(self):
        stats = self.source.get_property("stats")
        octets = stats.get_value("bytes")
        if octets:
            self.label.set_text("%.2f Mb/s from %s, %d packets lost" % (
                (octets - self.octets) * 8e-6, stats.get_value("peer-address"),
                stats.get_value("lost")))
        self.octets = octets
        return GLib.SOURCE_CONTINUE

    def on_error(self, bus, message):
        print(message.parse_error()[0].message, file=sys.stderr)
        self.failed = True
        Gtk.main_quit()

    def run(self):
        self.show_all()
        self.pipeline.set_state(Gst.State.PLAYING)
        Gtk.main()
        self.pipeline.set_state(Gst.State.NULL)
        return 1 if self.failed else 0


if __name__ == "__main__":
    Gst.init(None)
    sys.exit(Receiver(int((sys.argv + ["5004"])[1])).run())
