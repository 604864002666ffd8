#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""webrtcbin to webrtcbin, each in a network namespace of its own, over an
emulated link whose rate rises: the encoder follows it with no code in the
application but the line that adds rtpbandwidth.

Without arguments it makes the link and both ends, which signal to each other
through pipes."""

import json
import os
import subprocess
import sys
import threading

from sessions import (GLib, Gst, NUMBERED, TWCC, gi, need, play, source, stats,
                      stop, wait_for)

try:
    gi.require_version("GstWebRTC", "1.0")
    gi.require_version("GstSdp", "1.0")
except ValueError as error:
    print("skipped: %s" % error)
    sys.exit(77)
from gi.repository import GstSdp, GstWebRTC  # noqa: E402

# bits/s; of the link, at first and after RISES_AT seconds.
LOW, HIGH, RISES_AT = 500000, 1500000, 20
FORWARD = "schedule=0s:%d/%ds:%d,delay=20ms,queue=60p" % (LOW, RISES_AT, HIGH)
# The answerer's codec preferences: without them its answer drops the extension.
CODEC = ("application/x-rtp,media=video,encoding-name=H264,payload=96,"
         "clock-rate=90000,extmap-3=(string)\"%s\"" % TWCC)


class End:
    """One webrtcbin; lines of JSON are its signalling."""

    def __init__(self):
        self.pipeline = Gst.Pipeline()
        self.webrtcbin = Gst.ElementFactory.make("webrtcbin")
        self.webrtcbin.set_property("bundle-policy",
                                    GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.pipeline.add(self.webrtcbin)
        self.webrtcbin.connect("on-ice-candidate", lambda w, line, candidate:
                               self.tell(line=line, candidate=candidate))
        self.early = []                 # candidates before the description
        self.described = False

    def tell(self, **what):
        print(json.dumps(what), flush=True)

    def listen(self):
        def read():
            for line in sys.stdin:
                GLib.idle_add(self.hear, json.loads(line))
            GLib.idle_add(self.end)
        self.ended = False
        threading.Thread(target=read, daemon=True).start()

    def end(self):
        self.ended = True

    def hear(self, what):
        if "sdp" in what:
            _, sdp = GstSdp.SDPMessage.new_from_text(what["sdp"])
            self.described = True
            self.webrtcbin.emit(
                "set-remote-description",
                GstWebRTC.WebRTCSessionDescription.new(self.REMOTE, sdp),
                Gst.Promise.new_with_change_func(self.on_described))
            for line, candidate in self.early:
                self.webrtcbin.emit("add-ice-candidate", line, candidate)
        elif self.described:
            self.webrtcbin.emit("add-ice-candidate", what["line"],
                                what["candidate"])
        else:
            self.early.append((what["line"], what["candidate"]))

    def on_described(self, promise):
        pass

    def on_made(self, promise, kind):
        """An offer or an answer of ours."""
        reply = promise.get_reply()     # owns it
        description = reply.get_value(kind)
        self.webrtcbin.emit("set-local-description", description,
                            Gst.Promise.new())
        self.tell(sdp=description.sdp.as_text())


class Sender(End):
    REMOTE = GstWebRTC.WebRTCSDPType.ANSWER

    def __init__(self, bitrate, **properties):
        super().__init__()
        self.bandwidth = Gst.ElementFactory.make("rtpbandwidth")
        for name, value in properties.items():
            self.bandwidth.set_property(name.replace("_", "-"), value)
        self.webrtcbin.connect("request-aux-sender", lambda *_: self.bandwidth)
        self.webrtcbin.connect("on-negotiation-needed", lambda w: w.emit(
            "create-offer", None, Gst.Promise.new_with_change_func(
                self.on_made, "offer")))
        source_bin = Gst.parse_bin_from_description(
            source(bitrate) + NUMBERED, True)
        self.encoder = source_bin.get_by_name("encoder")
        self.pipeline.add(source_bin)
        source_bin.link(self.webrtcbin)

    def stats(self):
        return stats(self.bandwidth)

    def bitrate(self):
        return self.encoder.get_property("bitrate") * 1000


class Receiver(End):
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


def send():
    end = Sender(1200000, estimated_bitrate=1200000)
    end.listen()
    play(end.pipeline)
    wait_for("below what the link carries", lambda:
             end.stats()["packets-acked"] > 300
             and end.stats()["target-bitrate"] < LOW
             and end.bitrate() < LOW, end.pipeline)
    print("at first:", end.bitrate(), end.stats(), file=sys.stderr)
    wait_for("up as the link is", lambda:
             end.bitrate() > 1.2 * LOW
             and LOW < end.stats()["delivered-bitrate"] < HIGH, end.pipeline)
    print("then:", end.bitrate(), end.stats(), file=sys.stderr)
    stop(end.pipeline)


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
need("webrtcbin", "nicesrc", "dtlsenc", "srtpenc", "x264enc", "rtpbandwidth",
     "encoderbitrate")
if len(sys.argv) == 1:
    sys.exit(subprocess.call([os.environ["PSP_LINK_TUN"], "--forward", FORWARD,
                              "--back", "delay=20ms", "--", sys.executable,
                              __file__, "both"]))
sys.exit({"both": both, "sender": send, "receiver": receive}[sys.argv[1]]())
