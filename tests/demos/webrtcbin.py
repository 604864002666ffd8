#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""webrtcbin.py encoder|file: webrtcbin to webrtcbin, each in a network namespace of
its own, over an emulated link. An encoder follows its rate, which rises, or
mpegscaler leaves out pictures of a coded file, for which it is too small, with
no code in the application but the line that adds rtpbandwidth.

It makes the link and both ends, which signal to each other through pipes."""

import os
import subprocess
import sys
import tempfile

from sessions import (GLib, Gst, NUMBERED, TWCC, code, left_out, need, play,
                      stop, wait_for)
import webrtc
from webrtc import GstWebRTC

# The answerer's codec preferences: without them its answer drops the extension.
CODEC = ("application/x-rtp,media=video,encoding-name=H264,payload=96,"
         "clock-rate=90000,extmap-3=(string)\"%s\"" % TWCC)

# bits/s; of the file and of the link that it goes over.
FILE_BITRATE, LINK_BITRATE = 1000000, 600000
SECONDS = 90                    # of the file
WINDOW = 100                    # pictures that are looked at in the end
FILE = ("filesrc location=%s ! qtdemux ! h264parse ! identity sync=true"
        " ! mpegscaler name=scaler mode=drop ! h264parse"
        " ! rtph264pay mtu=1200 pt=96 config-interval=-1"
        " auto-header-extension=true" + NUMBERED)


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


def send_file(path):
    """Until mpegscaler has obeyed the link for a while."""
    end = webrtc.Sender(FILE % path, estimated_bitrate=FILE_BITRATE)
    end.listen()
    play(end.pipeline)
    wait_for("fitted to the link", lambda: left_out(end.scaler) > WINDOW
             and all(LINK_BITRATE / 2 < end.stats()[field] < LINK_BITRATE
                     for field in ("target-bitrate", "delivered-bitrate")),
             end.pipeline)
    start, before, first = (Gst.util_get_timestamp(), left_out(end.scaler),
                            end.stats())
    wait_for("left out by mpegscaler", lambda:
             left_out(end.scaler) > before + WINDOW, end.pipeline)
    last, took = end.stats(), Gst.util_get_timestamp() - start
    shed, lost, acked, size = (last[field] - first[field] for field in (
        "dropped-pictures", "packets-lost", "packets-acked",
        "payload-bytes-sent"))
    rate = 8 * size * Gst.SECOND / took
    print("%d bits/s; of %d pictures left out, rtpbandwidth shed %d more: %s"
          % (rate, left_out(end.scaler) - before, shed, last), file=sys.stderr)
    stop(end.pipeline)
    if last["feedback"] != "twcc":
        sys.exit("failed: it listens to %(feedback)s" % last)
    # Its pictures come in lumps.
    if not LINK_BITRATE / 3 < rate < LINK_BITRATE:
        sys.exit("failed: the link is not in use")
    if lost > .05 * acked:
        sys.exit("failed: too much is lost")
    if shed > WINDOW / 8:
        sys.exit("failed: %d pictures were shed by rtpbandwidth" % shed)


def both(*sender):
    """In the command of psp-link-tun, which has made two namespaces."""
    to_receiver, to_sender = os.pipe(), os.pipe()
    ends = [subprocess.Popen(
        ["ip", "netns", "exec", os.environ[namespace], sys.executable, __file__,
         *role], stdin=read, stdout=write)
            for namespace, role, read, write in (
                ("LINK_NS_A", sender, to_sender[0], to_receiver[1]),
                ("LINK_NS_B", ["receiver"], to_receiver[0], to_sender[1]))]
    for descriptor in to_receiver + to_sender:
        os.close(descriptor)
    status = ends[0].wait()
    ends[1].terminate()
    ends[1].wait()
    return status


def link(forward, *sender):
    return subprocess.call(
        [os.environ["PSP_LINK_TUN"], "--forward", forward, "--back",
         "delay=20ms", "--", sys.executable, __file__, "both", *sender])


def over_file():
    with tempfile.NamedTemporaryFile(suffix=".mp4") as clip:
        code(clip.name, FILE_BITRATE, SECONDS)
        return link("rate=%d,delay=20ms,queue=60p" % LINK_BITRATE, "send-file",
                    clip.name)


Gst.init(None)
need("mp4mux", "qtdemux", "mpegscaler", *webrtc.ELEMENTS)
role, *rest = sys.argv[1:] or ["encoder"]
sys.exit({"encoder": lambda: link(webrtc.FORWARD, "send"), "file": over_file,
          "both": both, "send": webrtc.send, "send-file": send_file,
          "receiver": receive}[role](*rest))
