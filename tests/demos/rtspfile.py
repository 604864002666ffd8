#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""An RTSP server with a coded file: mpegscaler leaves pictures out before the
payloader, for each client as many as its way needs. One client is near the
server, the other one behind an emulated link that carries less than the file.
Audio is left alone: rtpbin reports on it too seldom to control anything, and
what it takes of the link is missing in the estimate for the video.

Without arguments it codes the file and makes the link and both its ends."""

import os
import subprocess
import sys
import tempfile

from sessions import (GLib, Gst, TWCC, code, gi, left_out, need, play, stats,
                      stop, wait_for)

try:
    gi.require_version("GstRtp", "1.0")
    gi.require_version("GstRtsp", "1.0")
    gi.require_version("GstRtspServer", "1.0")
except ValueError as error:
    print("skipped: %s" % error)
    sys.exit(77)
from gi.repository import GstRtp, GstRtsp, GstRtspServer  # noqa: E402

FILE_BITRATE = 1000000
LINK_BITRATE = 600000
FORWARD = "rate=%d,delay=20ms,queue=60p" % LINK_BITRATE
VIDEO = 0                       # the number of its payloader and session
SECONDS = 90                    # of the file
WINDOW = 100                    # pictures that are looked at in the end

# A live source beside the file lets it run by the clock before it is sent.
LAUNCH = ("( filesrc location=%s ! qtdemux ! h264parse ! identity sync=true"
          " ! mpegscaler name=scaler ! rtph264pay name=pay0 mtu=1200 pt=96"
          " config-interval=-1"
          " audiotestsrc is-live=true ! audio/x-raw,rate=8000 ! alawenc"
          " ! rtppcmapay name=pay1 pt=8 )")


class Client:
    """What the server has for one client."""

    def __init__(self, element):
        self.scaler = element.get_by_name("scaler")
        self.bandwidth = None

    def on_element(self, pipeline, parent, element):
        factory = element.get_factory()
        if factory and factory.get_name() == "rtpbin":
            element.connect("request-aux-sender", self.on_request_aux_sender)

    def on_request_aux_sender(self, rtpbin, session):
        if session != VIDEO:
            return None
        self.bandwidth = Gst.ElementFactory.make("rtpbandwidth")
        box = Gst.Bin()
        box.add(self.bandwidth)
        for name in "sink", "src":
            box.add_pad(Gst.GhostPad.new("%s_%u" % (name, session),
                                         self.bandwidth.get_static_pad(name)))
        return box

    def sent(self):
        return stats(self.bandwidth)

    def left_out(self):
        return left_out(self.scaler)


class Server:
    def __init__(self, path):
        self.clients = []
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch(LAUNCH % path)
        factory.set_profiles(GstRtsp.RTSPProfile.AVPF)
        factory.set_shared(False)
        factory.connect("media-configure", self.on_media_configure)
        self.server = GstRtspServer.RTSPServer()
        self.server.set_address("0.0.0.0")
        self.server.set_service("0")
        self.server.get_mount_points().add_factory("/file", factory)
        self.server.attach(None)
        self.port = self.server.get_bound_port()

    def on_media_configure(self, factory, media):
        element = media.get_element()
        extension = GstRtp.RTPHeaderExtension.create_from_uri(TWCC)
        extension.set_id(3)
        element.get_by_name("pay%d" % VIDEO).emit("add-extension", extension)
        client = Client(element)
        element.get_parent().connect("deep-element-added", client.on_element)
        self.clients.append(client)


def player(address, port):
    return Gst.parse_launch(
        "rtspsrc name=src location=rtsp://%s:%d/file protocols=udp latency=100"
        " src. ! application/x-rtp,media=video ! fakesink sync=false"
        " src. ! application/x-rtp,media=audio ! fakesink sync=false"
        % (address, port))


def answered(server, n):
    return len(server.clients) == n and all(
        c.bandwidth and c.sent()["packets-acked"] > 300
        for c in server.clients)


def serve(path):
    server = Server(path)
    near_player = player("127.0.0.1", server.port)
    play(near_player)
    wait_for("near", lambda: answered(server, 1), near_player)
    print(server.port, flush=True)      # the far client comes
    wait_for("far", lambda: answered(server, 2), near_player)
    near, far = server.clients
    wait_for("fitted to the link", lambda:
             far.sent()["target-bitrate"] < LINK_BITRATE
             and far.left_out() > WINDOW, near_player)
    before = far.left_out(), far.sent()["dropped-pictures"]
    wait_for("left out by mpegscaler", lambda:
             far.left_out() > before[0] + WINDOW, near_player)
    shed = far.sent()["dropped-pictures"] - before[1]
    print("of %d pictures left out, rtpbandwidth shed %d more; before, of %d %d"
          % (far.left_out() - before[0], shed, *before), file=sys.stderr)
    print("near:", near.left_out(), near.sent(), "far:", far.left_out(),
          far.sent(), file=sys.stderr)
    # A picture that has passed mpegscaler may meet a target that has fallen
    # since, and the largest one takes .3 s of this link, of .5 that may wait.
    if shed > WINDOW / 8:
        sys.exit("failed: %d pictures were shed by rtpbandwidth" % shed)
    if near.left_out() > far.left_out() / 4:
        sys.exit("failed: the near client gets too little of the file")
    stop(near_player)


def both(path):
    """In the command of psp-link-tun, which has made two namespaces."""
    server = subprocess.Popen(
        ["ip", "netns", "exec", os.environ["LINK_NS_A"], sys.executable,
         __file__, "server", path], stdout=subprocess.PIPE, text=True)
    port = server.stdout.readline().strip()
    client = port and subprocess.Popen(
        ["ip", "netns", "exec", os.environ["LINK_NS_B"], sys.executable,
         __file__, "client", os.environ["LINK_ADDR_A"], port])
    status = server.wait()
    if client:
        client.terminate()
        client.wait()
    return status


def main():
    with tempfile.NamedTemporaryFile(suffix=".mp4") as clip:
        code(clip.name, FILE_BITRATE, SECONDS)
        return subprocess.call(
            [os.environ["PSP_LINK_TUN"], "--forward", FORWARD, "--back",
             "delay=20ms", "--", sys.executable, __file__, "both", clip.name])


Gst.init(None)
need("rtspsrc", "x264enc", "mp4mux", "qtdemux", "rtpbandwidth", "mpegscaler")
role = sys.argv[1] if len(sys.argv) > 1 else ""
if role == "client":
    far_player = player(sys.argv[2], int(sys.argv[3]))
    play(far_player)
    GLib.MainLoop().run()
elif role == "server":
    serve(sys.argv[2])
else:
    sys.exit(both(sys.argv[2]) if role == "both" else main())
