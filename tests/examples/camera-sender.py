#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Sends the first camera, or a test picture where there is none, and shows
what it sends and the rate that the network takes. To camera-receiver.py, or to
`example-camera receive`:

    camera-sender.py HOST [PORT]

Needs GTK 3 (packages gir1.2-gtk-3.0 and gstreamer1.0-gtk3) and the plugins."""

import sys

import gi
gi.require_version("Gst", "1.0")
gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gst, Gtk  # noqa: E402

PIPELINE = """
    decodebin name=input ! videoconvert ! videoscale ! videorate
    ! video/x-raw,format=I420,width=640,framerate=30/1,pixel-aspect-ratio=1/1
    ! tee name=both
    both. ! queue ! videoconvert ! gtksink name=view
    both. ! queue ! x264enc tune=zerolatency speed-preset=veryfast key-int-max=60
    ! encoderbitrate max-bitrate=4000000 ! rtph264pay config-interval=-1 mtu=1200
    ! pspsink name=sink"""


def make_source():
    """The first camera that the system names."""
    monitor = Gst.DeviceMonitor()
    monitor.add_filter("Video/Source", None)
    monitor.start()
    cameras = monitor.get_devices()
    monitor.stop()
    if cameras:
        return cameras[0].create_element(None), cameras[0].get_display_name()
    source = Gst.ElementFactory.make("videotestsrc")
    source.set_property("is-live", True)
    return source, "no camera: a test picture"


class Sender(Gtk.Window):
    def __init__(self, host, port):
        super().__init__(title="Sender")
        self.failed = False
        self.pipeline = Gst.parse_launch(PIPELINE)
        source, self.name = make_source()
        self.pipeline.add(source)
        source.link(self.pipeline.get_by_name("input"))
        self.sink = self.pipeline.get_by_name("sink")
        self.sink.set_property("host", host)
        self.sink.set_property("port", port)
        # It comes from a thread of the sink; GTK wants its own.
        self.sink.connect("notify::estimated-bitrate",
                          lambda *_: GLib.idle_add(self.show_rate))
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::error", self.on_error)
        bus.connect("message::warning", self.on_warning)

        picture = self.pipeline.get_by_name("view").get_property("widget")
        picture.set_size_request(640, 480)
        self.label = Gtk.Label(label=self.name)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.pack_start(picture, True, True, 0)
        box.pack_start(self.label, False, False, 6)
        self.add(box)
        self.connect("destroy", Gtk.main_quit)

    def show_rate(self):
        rate = self.sink.get_property("estimated-bitrate")
        self.label.set_text("%s: %.2f Mb/s fit" % (self.name, rate / 1e6))

    def on_warning(self, bus, message):
        self.label.set_text(message.parse_warning()[0].message)

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
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    Gst.init(None)
    sys.exit(Sender(sys.argv[1], int((sys.argv + ["5004"])[2])).run())
