# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""One end of a WebRTC session, by webrtcbin. Lines of JSON on the standard streams
are its signalling; descriptions and candidates are those of RTCPeerConnection."""

import json
import sys
import threading

from sessions import (GLib, Gst, NUMBERED, gi, play, source, stats, stop,
                      wait_for)

try:
    gi.require_version("GstWebRTC", "1.0")
    gi.require_version("GstSdp", "1.0")
except ValueError as error:
    print("skipped: %s" % error)
    sys.exit(77)
from gi.repository import GstSdp, GstWebRTC  # noqa: E402

ELEMENTS = ("webrtcbin", "nicesrc", "dtlsenc", "srtpenc", "x264enc",
            "rtpbandwidth", "encoderbitrate")
# bits/s; of the link, at first and after RISES_AT seconds.
LOW, HIGH, RISES_AT = 500000, 1500000, 20
FORWARD = "schedule=0s:%d/%ds:%d,delay=20ms,queue=60p" % (LOW, RISES_AT, HIGH)


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

    def __init__(self, media, **properties):
        """media: the launch line of what makes RTP."""
        super().__init__()
        self.bandwidth = Gst.ElementFactory.make("rtpbandwidth")
        for name, value in properties.items():
            self.bandwidth.set_property(name.replace("_", "-"), value)
        self.webrtcbin.connect("request-aux-sender", lambda *_: self.bandwidth)
        self.webrtcbin.connect("on-negotiation-needed", lambda w: w.emit(
            "create-offer", None, Gst.Promise.new_with_change_func(
                self.on_made, "offer")))
        # Of a demuxer's pads to come the far ends are not to be ghosted.
        source_bin = Gst.parse_bin_from_description(media, False)
        source_bin.add_pad(Gst.GhostPad.new(
            "src", source_bin.find_unlinked_pad(Gst.PadDirection.SRC)))
        self.encoder = source_bin.get_by_name("encoder")
        self.scaler = source_bin.get_by_name("scaler")
        self.pipeline.add(source_bin)
        source_bin.link(self.webrtcbin)

    def stats(self):
        return stats(self.bandwidth)

    def bitrate(self):
        return self.encoder.get_property("bitrate") * 1000


def send(over="identity"):
    """Until what is sent has obeyed the link, first LOW and then HIGH."""
    end = Sender(source(1200000, over=over) + NUMBERED,
                 estimated_bitrate=1200000)
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
