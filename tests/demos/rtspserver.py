#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""An RTSP server that adapts to each client, with a stock rtspsrc: media is not
shared, so each client has an rtpbandwidth and an encoder of its own."""

import sys

from sessions import Gst, TWCC, gi, need, play, source, stats, stop, wait_for

try:
    gi.require_version("GstRtp", "1.0")
    gi.require_version("GstRtsp", "1.0")
    gi.require_version("GstRtspServer", "1.0")
except ValueError as error:
    print("skipped: %s" % error)
    sys.exit(77)
from gi.repository import GstRtp, GstRtsp, GstRtspServer  # noqa: E402

CLIENTS = 2


def auxiliary(session, bandwidth):
    box = Gst.Bin()
    box.add(bandwidth)
    for name in "sink", "src":
        box.add_pad(Gst.GhostPad.new("%s_%u" % (name, session),
                                     bandwidth.get_static_pad(name)))
    return box


class Server:
    def __init__(self, bitrate, **properties):
        self.properties = properties
        self.bandwidths, self.encoders = [], []
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch("( %s )" % source(bitrate))
        factory.set_profiles(GstRtsp.RTSPProfile.AVPF)
        factory.set_shared(False)
        factory.connect("media-configure", self.on_media_configure)
        self.server = GstRtspServer.RTSPServer()
        self.server.set_service("0")
        self.server.get_mount_points().add_factory("/live", factory)
        self.server.attach(None)
        self.uri = "rtsp://127.0.0.1:%d/live" % self.server.get_bound_port()

    def on_media_configure(self, factory, media):
        """Has the payloader number packets transport-wide. The media's rtpbin
        comes later, into the pipeline that the media is in."""
        element = media.get_element()
        extension = GstRtp.RTPHeaderExtension.create_from_uri(TWCC)
        extension.set_id(3)
        element.get_by_name("pay0").emit("add-extension", extension)
        self.encoders.append(element.get_by_name("encoder"))
        element.get_parent().connect("deep-element-added", self.on_element)

    def on_element(self, pipeline, parent, element):
        factory = element.get_factory()
        if factory and factory.get_name() == "rtpbin":
            element.connect("request-aux-sender", self.on_request_aux_sender)

    def on_request_aux_sender(self, rtpbin, session):
        bandwidth = Gst.ElementFactory.make("rtpbandwidth")
        for name, value in self.properties.items():
            bandwidth.set_property(name.replace("_", "-"), value)
        self.bandwidths.append(bandwidth)
        return auxiliary(session, bandwidth)

    def stats(self):
        return [stats(b) for b in self.bandwidths]


Gst.init(None)
need("rtspsrc", "x264enc", "rtpbandwidth", "encoderbitrate")
server = Server(1000000, estimated_bitrate=300000, max_bitrate=600000)
clients = [Gst.parse_launch("rtspsrc location=%s protocols=udp latency=100"
                            " ! fakesink sync=false" % server.uri)
           for i in range(CLIENTS)]
play(*clients)
wait_for("answered by all clients", lambda:
         len(server.bandwidths) == CLIENTS
         and all(s["packets-acked"] > 200 for s in server.stats()), *clients)
wait_for("up to what each may be", lambda:
         all(s["target-bitrate"] == 600000 for s in server.stats())
         and all(400 < e.get_property("bitrate") <= 600
                 for e in server.encoders), *clients)
for s in server.stats():
    print(s)
stop(*clients)
