#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Transport-wide feedback (TWCC) between our elements and rtpbin's, whose packets
and caps have the extension, over an emulated link of 600 kb/s.

    rtpbintwcc.py to-rtpbin|from-rtpbin LINK      # LINK: psp-link-relay

to-rtpbin: pspsink obeys rtpbin's reports: it plays until the target has come down
to the link from twice as much, and the media keep to it. from-rtpbin: rtpbin hears
of what arrives at pspsrc: it plays until it knows of all but the last packets."""

import atexit
import subprocess
import sys
import time

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gio, GLib, Gst  # noqa: E402

URI = ("http://www.ietf.org/id/"
       "draft-holmer-rmcat-transport-wide-cc-extensions-01")
CAPS = ("\"application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,"
        "payload=96,extmap-3=(string)%s\"" % URI)
SOURCE = ("videotestsrc is-live=true pattern=snow"
          " ! video/x-raw,width=320,height=240,framerate=30/1"
          " ! x264enc tune=zerolatency speed-preset=ultrafast bitrate=400"
          " ! encoderbitrate ! rtph264pay mtu=1000 pt=96 config-interval=-1"
          " ! capsfilter caps=" + CAPS)
LINK = "delay=20ms,queue=60p,schedule=0s:600000"
CAPACITY = 600000       # bits/s
KEPT = 5                # s of reports within the capacity
LONGEST = 60            # s; a busy machine is slow


def make_socket():
    socket = Gio.Socket.new(Gio.SocketFamily.IPV4, Gio.SocketType.DATAGRAM,
                            Gio.SocketProtocol.UDP)
    socket.bind(Gio.InetSocketAddress.new_from_string("127.0.0.1", 0), True)
    return socket


def make_link(program, port):
    """The port that leads to this one over the link."""
    link = subprocess.Popen(
        [program, "--listen", "127.0.0.1:0", "--to", "127.0.0.1:%d" % port,
         "--forward", LINK, "--back", "delay=20ms", "--duration", "300"],
        stdout=subprocess.PIPE, text=True)
    # Whatever becomes of the session: who runs the test waits for it.
    atexit.register(link.kill)
    return int(link.stdout.readline().rsplit(":", 1)[1])


def make_receiver():
    receiver = Gst.parse_launch(
        "rtpbin name=bin rtp-profile=avpf latency=100"
        " fakesink name=out sync=false async=false"
        " udpsrc name=rtp address=127.0.0.1 port=0 reuse=false caps=%s"
        " udpsink name=reports host=127.0.0.1 sync=false async=false" % CAPS)
    rtpbin = receiver.get_by_name("bin")
    rtpbin.connect("pad-added", lambda b, pad: pad.get_name().startswith(
        "recv_rtp_src_") and pad.link(
            receiver.get_by_name("out").get_static_pad("sink")))
    receiver.get_by_name("rtp").link_pads("src", rtpbin, "recv_rtp_sink_0")
    rtpbin.link_pads("send_rtcp_src_0", receiver.get_by_name("reports"), "sink")
    receiver.get_by_name("rtp").set_state(Gst.State.READY)
    return receiver


def watch(session):
    """None, or why it failed."""
    until, since, why = time.monotonic() + LONGEST, None, ""
    while time.monotonic() < until:
        while GLib.MainContext.default().iteration(False):
            pass
        for pipeline in session.sender, session.receiver:
            message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            if message:
                return str(message.parse_error())
        why = session.judge()
        since = None if why else since or time.monotonic()
        if since and time.monotonic() - since > KEPT:
            return None
        time.sleep(.1)
    return why


class ToRtpbin:
    def __init__(self, link):
        self.receiver = make_receiver()
        port = self.receiver.get_by_name("rtp").get_property("port")
        self.sender = Gst.parse_launch(
            SOURCE + " ! pspsink name=sink host=127.0.0.1 port=%d"
            " start-target-bitrate=%d" % (make_link(link, port), 2 * CAPACITY))
        self.sink, socket = self.sender.get_by_name("sink"), make_socket()
        # The port where reports are expected is that which media leave from.
        self.sink.set_property("socket", socket)
        self.receiver.get_by_name("reports").set_property(
            "port", socket.get_local_address().get_port())

    def stats(self):
        return self.sink.get_property("stats")

    def judge(self):
        """None, or what is missing."""
        stats = self.stats()
        if stats.get_string("feedback") != "twcc":
            return "the feedback is %s" % stats.get_string("feedback")
        target = stats.get_uint64("target-bitrate")[1]
        delivered = stats.get_uint64("delivered-bitrate")[1]
        if not .3 * CAPACITY < target < CAPACITY:
            return "the target is %d" % target
        if not .3 * CAPACITY < delivered < CAPACITY:
            return "%d bits/s arrive" % delivered
        return None


class FromRtpbin:
    def __init__(self, link):
        self.receiver = Gst.parse_launch(
            "pspsrc name=source address=127.0.0.1 port=0 feedback=twcc caps=%s"
            " ! fakesink sync=false" % CAPS)
        self.ours = self.receiver.get_by_name("source")
        self.receiver.set_state(Gst.State.PAUSED)
        port = make_link(link, self.ours.get_property("port"))
        self.sender = Gst.parse_launch(
            "rtpbin name=bin rtp-profile=avpf"
            " udpsrc name=rtcp caps=application/x-rtcp"
            " udpsink name=rtp host=127.0.0.1 port=%d sync=false async=false"
            % port)
        socket = make_socket()
        for name in "rtp", "rtcp":
            self.sender.get_by_name(name).set_property("socket", socket)
            self.sender.get_by_name(name).set_property("close-socket", False)
        rtpbin = self.sender.get_by_name("bin")
        source = Gst.parse_bin_from_description(SOURCE, True)
        self.sender.add(source)
        source.link_pads("src", rtpbin, "send_rtp_sink_0")
        rtpbin.link_pads("send_rtp_src_0", self.sender.get_by_name("rtp"),
                         "sink")
        self.sender.get_by_name("rtcp").link_pads("src", rtpbin,
                                                  "recv_rtcp_sink_0")
        self.session = rtpbin.emit("get-session", 0)

    def stats(self):
        return self.session.get_property("twcc-stats") or \
            Gst.Structure.new_empty("none")

    def judge(self):
        """None, or what is missing. The session's figures are of some of the last
        packets: with fewer reports it would know of few of these."""
        stats = self.stats()
        found, received = stats.get_uint("packets-recv")
        _, sent = stats.get_uint("packets-sent")
        if not found or received == 0:
            return "the sender knows of no packet"
        if received < .9 * sent:
            return "it knows of %d of %d packets" % (received, sent)
        sent_feedback = self.ours.get_property("stats").get_uint64(
            "feedback-sent")[1]
        return None if sent_feedback > 20 else "few reports"


def main():
    Gst.init(None)
    for name in "x264enc", "rtpbin", "rtphdrexttwcc":
        if not Gst.ElementFactory.find(name):
            print("skipped: %s is not there" % name)
            return 77
    way = {"to-rtpbin": ToRtpbin, "from-rtpbin": FromRtpbin}[sys.argv[1]]
    session = way(sys.argv[2])
    session.receiver.set_state(Gst.State.PLAYING)
    session.sender.set_state(Gst.State.PLAYING)
    why = watch(session)
    print(session.stats().to_string())
    session.sender.set_state(Gst.State.NULL)
    session.receiver.set_state(Gst.State.NULL)
    if why:
        print("failed: %s" % why)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
