#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""webrtcbin to webrtcbin, each in a network namespace of its own, over an
emulated link whose rate rises: the encoder follows it with no code in the
application but the line that adds rtpbandwidth.

Without arguments it makes the link and both ends, which signal to each other
through pipes."""

import os
import subprocess
import sys

from sessions import GLib, Gst, TWCC, need, play, stop
import webrtc
from webrtc import GstWebRTC

# The answerer's codec preferences: without them its answer drops the extension.
CODEC = ("application/x-rtp,media=video,encoding-name=H264,payload=96,"
         "clock-rate=90000,extmap-3=(string)\"%s\"" % TWCC)


class Receiver(webrtc.End):
    REMOTE = GstWebRTC.WebRTCSDPType.OFFER

    def __init__(self):
        super().__init__()
        self.webrtcbin.connect(
            "on-new-transceiver", lambda w, transceiver:
            transceiver.set_property("codec-preferences",
                                     Gst.Caps.from_string(CODEC)))
        self.webrtcbin.connect("pad-added", self.on_pad_added)

    def on_described(self, promise):
        self.webrtcbin.emit("create-answer", None,
                            Gst.Promise.new_with_change_func(self.on_made,
                                                             "answer"))

    def on_pad_added(self, webrtcbin, pad):
        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        sink.set_property("async", False)
        self.pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))


def receive():
    end = Receiver()
    end.listen()
    play(end.pipeline)
    while not end.ended:
        GLib.MainContext.default().iteration(True)
    stop(end.pipeline)


def both():
    """In the command of psp-link-tun, which has made two namespaces."""
    to_receiver, to_sender = os.pipe(), os.pipe()
    ends = [subprocess.Popen(
        ["ip", "netns", "exec", os.environ[namespace], sys.executable, __file__,
         role], stdin=read, stdout=write)
            for namespace, role, read, write in (
                ("LINK_NS_A", "sender", to_sender[0], to_receiver[1]),
                ("LINK_NS_B", "receiver", to_receiver[0], to_sender[1]))]
    for descriptor in to_receiver + to_sender:
        os.close(descriptor)
    status = ends[0].wait()
    ends[1].terminate()
    ends[1].wait()
    return status


Gst.init(None)
need(*webrtc.ELEMENTS)
if len(sys.argv) == 1:
    sys.exit(subprocess.call([os.environ["PSP_LINK_TUN"], "--forward",
                              webrtc.FORWARD,
                              "--back", "delay=20ms", "--", sys.executable,
                              __file__, "both"]))
sys.exit({"both": both, "sender": webrtc.send, "receiver": receive}[sys.argv[1]]())
