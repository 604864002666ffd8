#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Retransmission between our elements and rtpbin's (AVPF of RFC 4585, RFC 4588),
over an emulated link that loses media. It plays until so much was repaired.

    rtpbinrepair.py to-rtpbin|from-rtpbin LINK      # LINK: psp-link-relay

to-rtpbin: pspsink makes the repairs that rtpbin asks for, by RTCP on a port of its
own. from-rtpbin: rtprtxsend in rtpbin sends what pspsrc asks for."""

import argparse
import atexit
import subprocess
import sys
import time

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gio, GLib, Gst  # noqa: E402

CAPS = ("\"application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,"
        "payload=96\"")
MAP = "payload-type-map=\"map,96=(uint)97\""
SOURCE = ("videotestsrc is-live=true pattern=snow"
          " ! video/x-raw,width=160,height=120,framerate=30/1"
          " ! x264enc tune=zerolatency speed-preset=ultrafast bitrate=400"
          " ! encoderbitrate ! rtph264pay mtu=600 pt=96 config-interval=-1 ")
LATENCY = 400           # ms, of a round trip of 40
LINK = "delay=20ms,loss=3%,seed=1"
REPAIRED = 20
LONGEST = 60            # s; a busy machine is slow


def auxiliary(element):
    """What rtpbin takes: a bin whose pads have the session's number."""
    box = Gst.Bin()
    box.add(element)
    for name in "sink", "src":
        box.add_pad(Gst.GhostPad.new(name + "_0",
                                     element.get_static_pad(name)))
    return box


def bound(pipeline, name):
    """A udpsrc's port, known once it is bound."""
    element = pipeline.get_by_name(name)
    element.set_state(Gst.State.READY)
    return element.get_property("port")


class Session:
    def __init__(self, link):
        self.program = link
        self.link = None

    def through_link(self, port):
        """The port that leads to this one over the link."""
        self.link = subprocess.Popen(
            [self.program, "--listen", "127.0.0.1:0", "--to",
             "127.0.0.1:%d" % port, "--forward", LINK, "--back", "delay=20ms",
             "--duration", "300"], stdout=subprocess.PIPE, text=True)
        # Whatever becomes of the session: who runs the test waits for it.
        atexit.register(self.link.kill)
        return int(self.link.stdout.readline().rsplit(":", 1)[1])

    def watch(self):
        """None, or why it failed."""
        until = time.monotonic() + LONGEST
        while time.monotonic() < until:
            while GLib.MainContext.default().iteration(False):
                pass
            for pipeline in self.sender, self.receiver:
                message = pipeline.get_bus().pop_filtered(
                    Gst.MessageType.ERROR)
                if message:
                    return str(message.parse_error())
            if self.repaired() >= REPAIRED:
                return None
            time.sleep(.05)
        return "only %d packets were repaired" % self.repaired()

    def repaired(self):
        """Packets that the jitter buffer asked for and got."""
        return sum(j.get_property("stats").get_value("rtx-success-count")
                   for j in self.jitterbuffers)

    def run(self):
        self.receiver.set_state(Gst.State.PLAYING)
        self.sender.set_state(Gst.State.PLAYING)
        why = self.watch()
        print("%d were repaired" % self.repaired())
        for j in self.jitterbuffers:
            print(j.get_property("stats").to_string())
        print(self.ours.get_property("stats").to_string())
        self.sender.set_state(Gst.State.NULL)
        self.receiver.set_state(Gst.State.NULL)
        self.link.terminate()
        self.link.communicate()
        return why


class ToRtpbin(Session):
    def __init__(self, link):
        super().__init__(link)
        self.jitterbuffers = []
        self.receiver = Gst.parse_launch(
            "rtpbin name=bin rtp-profile=avpf do-retransmission=true latency=%d"
            " fakesink name=out sync=false async=false"
            " udpsrc name=rtp address=127.0.0.1 port=0 reuse=false caps=%s"
            " udpsrc name=rtcp address=127.0.0.1 port=0 reuse=false caps=application/x-rtcp"
            " udpsink name=reports host=127.0.0.1 sync=false async=false"
            % (LATENCY, CAPS))
        rtpbin = self.receiver.get_by_name("bin")
        rtpbin.connect("request-aux-receiver",
                       lambda b, n: auxiliary(Gst.parse_launch(
                           "rtprtxreceive " + MAP)))
        rtpbin.connect("new-jitterbuffer",
                       lambda b, j, n, ssrc: self.jitterbuffers.append(j))
        rtpbin.connect("pad-added", self.on_pad)
        for name in "rtp", "rtcp":
            self.receiver.get_by_name(name).link_pads(
                "src", rtpbin, "recv_%s_sink_0" % name)
        rtpbin.link_pads("send_rtcp_src_0",
                         self.receiver.get_by_name("reports"), "sink")
        self.sender = Gst.parse_launch(
            SOURCE + "! pspsink name=sink host=127.0.0.1 rtx-payload-type=97"
            " repair-deadline=%d000000 start-target-bitrate=600000"
            " port=%d rtcp-port=%d" % (
                LATENCY, self.through_link(bound(self.receiver, "rtp")),
                bound(self.receiver, "rtcp")))
        self.ours = self.sender.get_by_name("sink")
        # The port where reports are expected is that which media leave from.
        socket = udp_socket()
        self.ours.set_property("socket", socket)
        self.receiver.get_by_name("reports").set_property(
            "port", socket.get_local_address().get_port())

    def on_pad(self, rtpbin, pad):
        if pad.get_name().startswith("recv_rtp_src_"):
            pad.link(self.receiver.get_by_name("out").get_static_pad("sink"))


class FromRtpbin(Session):
    def __init__(self, link):
        super().__init__(link)
        self.receiver = Gst.parse_launch(
            "pspsrc name=source address=127.0.0.1 port=0 caps=%s"
            " ! rtprtxreceive %s ! rtpjitterbuffer name=jitter latency=%d"
            " do-retransmission=true rtx-next-seqnum=false rtx-delay=0"
            " ! fakesink sync=false async=false" % (CAPS, MAP, LATENCY))
        self.jitterbuffers = [self.receiver.get_by_name("jitter")]
        self.ours = self.receiver.get_by_name("source")
        self.receiver.set_state(Gst.State.PLAYING)
        self.sender = Gst.parse_launch(
            "rtpbin name=bin rtp-profile=avpf"
            " udpsink name=rtp host=127.0.0.1 port=%d sync=false async=false"
            " udpsrc name=rtcp caps=application/x-rtcp"
            % self.through_link(self.ours.get_property("port")))
        # Feedback comes back to where media come from.
        socket = udp_socket()
        for name in "rtp", "rtcp":
            self.sender.get_by_name(name).set_property("socket", socket)
            self.sender.get_by_name(name).set_property("close-socket", False)
        rtpbin = self.sender.get_by_name("bin")
        rtpbin.connect("request-aux-sender",
                       lambda b, n: auxiliary(Gst.parse_launch(
                           "rtprtxsend max-size-packets=500 " + MAP)))
        source = Gst.parse_bin_from_description(SOURCE, True)
        self.sender.add(source)
        source.link_pads("src", rtpbin, "send_rtp_sink_0")
        rtpbin.link_pads("send_rtp_src_0", self.sender.get_by_name("rtp"),
                         "sink")
        self.sender.get_by_name("rtcp").link_pads("src", rtpbin,
                                                  "recv_rtcp_sink_0")


def udp_socket():
    socket = Gio.Socket.new(Gio.SocketFamily.IPV4, Gio.SocketType.DATAGRAM,
                            Gio.SocketProtocol.UDP)
    socket.bind(Gio.InetSocketAddress.new(
        Gio.InetAddress.new_loopback(Gio.SocketFamily.IPV4), 0), False)
    return socket


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ways = {"to-rtpbin": ToRtpbin, "from-rtpbin": FromRtpbin}
    parser.add_argument("way", choices=ways)
    parser.add_argument("link")
    args = parser.parse_args()
    Gst.init(None)
    for name in "rtpbin", "rtprtxsend", "x264enc":
        if not Gst.ElementFactory.find(name):
            print("skipped: GStreamer has no %s here" % name)
            return 77
    why = ways[args.way](args.link).run()
    return "failed: " + why if why else 0


if __name__ == "__main__":
    sys.exit(main())
