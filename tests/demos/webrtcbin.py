#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""webrtcbin to webrtcbin: an encoder follows the estimate with no code in the
application but the line that adds rtpbandwidth."""

import sys

from sessions import (Gst, NUMBERED, TWCC, gi, need, play, source, stats, stop,
                      wait_for)

try:
    gi.require_version("GstWebRTC", "1.0")
except ValueError as error:
    print("skipped: %s" % error)
    sys.exit(77)
from gi.repository import GstWebRTC  # noqa: E402

# The answerer's codec preferences: without them its answer drops the extension.
CODEC = ("application/x-rtp,media=video,encoding-name=H264,payload=96,"
         "clock-rate=90000,extmap-3=(string)\"%s\"" % TWCC)


class Call:
    def __init__(self, bitrate, **properties):
        self.sender = Gst.Pipeline()
        self.receiver = Gst.Pipeline()
        self.ends = {}
        for pipeline in self.sender, self.receiver:
            end = Gst.ElementFactory.make("webrtcbin")
            end.set_property("bundle-policy",
                             GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
            pipeline.add(end)
            self.ends[pipeline] = end
        self.offerer = self.ends[self.sender]
        self.answerer = self.ends[self.receiver]
        self.offerer.connect("on-ice-candidate", self.on_candidate,
                             self.answerer)
        self.answerer.connect("on-ice-candidate", self.on_candidate,
                              self.offerer)
        self.answerer.connect("on-new-transceiver", self.on_transceiver)
        self.answerer.connect("pad-added", self.on_pad_added)

        self.bandwidth = Gst.ElementFactory.make("rtpbandwidth")
        for name, value in properties.items():
            self.bandwidth.set_property(name.replace("_", "-"), value)
        self.offerer.connect("request-aux-sender", lambda *_: self.bandwidth)
        encoder = Gst.parse_bin_from_description(
            source(bitrate) + NUMBERED, True)
        self.encoder = encoder.get_by_name("encoder")
        self.sender.add(encoder)
        self.offerer.connect("on-negotiation-needed", self.on_negotiation)
        encoder.link(self.offerer)
        play(self.receiver, self.sender)

    def on_candidate(self, end, line, candidate, other):
        other.emit("add-ice-candidate", line, candidate)

    def on_transceiver(self, end, transceiver):
        transceiver.set_property("codec-preferences",
                                 Gst.Caps.from_string(CODEC))

    def on_pad_added(self, end, pad):
        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        sink.set_property("async", False)
        self.receiver.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))

    def on_negotiation(self, offerer):
        offerer.emit("create-offer", None, Gst.Promise.new_with_change_func(
            self.on_offer))

    def on_offer(self, promise):
        reply = promise.get_reply()     # owns the offer
        offer = reply.get_value("offer")
        self.offerer.emit("set-local-description", offer, Gst.Promise.new())
        self.answerer.emit("set-remote-description", offer,
                           Gst.Promise.new_with_change_func(self.on_offered))

    def on_offered(self, promise):
        self.answerer.emit("create-answer", None,
                           Gst.Promise.new_with_change_func(self.on_answer))

    def on_answer(self, promise):
        reply = promise.get_reply()
        answer = reply.get_value("answer")
        self.answerer.emit("set-local-description", answer, Gst.Promise.new())
        self.offerer.emit("set-remote-description", answer, Gst.Promise.new())

    def stats(self):
        return stats(self.bandwidth)


Gst.init(None)
need("webrtcbin", "nicesrc", "dtlsenc", "srtpenc", "x264enc", "rtpbandwidth",
     "encoderbitrate")
call = Call(1000000, estimated_bitrate=300000, max_bitrate=600000)
wait_for("answered", lambda: call.stats()["packets-acked"] > 300,
         call.sender, call.receiver)
wait_for("up to what it may be", lambda:
         call.stats()["target-bitrate"] == 600000
         and 400 < call.encoder.get_property("bitrate") <= 600,
         call.sender, call.receiver)
print(call.encoder.get_property("bitrate"), call.stats())
stop(call.sender, call.receiver)
