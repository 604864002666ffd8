#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""pspsink to rtpbin, which answers by transport-wide numbers (TWCC) because the
caps name the extension, over an emulated link of 600 kb/s. It plays until the
target has come down to the link from twice as much, and the media keep to it.

    rtpbintwcc.py LINK      # psp-link-relay"""

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
        " udpsrc name=rtp address=127.0.0.1 port=0 caps=%s"
        " udpsink name=reports host=127.0.0.1 sync=false async=false" % CAPS)
    rtpbin = receiver.get_by_name("bin")
    rtpbin.connect("pad-added", lambda b, pad: pad.get_name().startswith(
        "recv_rtp_src_") and pad.link(
            receiver.get_by_name("out").get_static_pad("sink")))
    receiver.get_by_name("rtp").link_pads("src", rtpbin, "recv_rtp_sink_0")
    rtpbin.link_pads("send_rtcp_src_0", receiver.get_by_name("reports"), "sink")
    receiver.get_by_name("rtp").set_state(Gst.State.READY)
    return receiver


def judge(stats):
    """None, or what is missing."""
    if stats.get_string("feedback") != "twcc":
        return "the feedback is %s" % stats.get_string("feedback")
    target = stats.get_uint64("target-bitrate")[1]
    delivered = stats.get_uint64("delivered-bitrate")[1]
    if not .3 * CAPACITY < target < CAPACITY:
        return "the target is %d" % target
    if not .3 * CAPACITY < delivered < CAPACITY:
        return "%d bits/s arrive" % delivered
    return None


def watch(pipelines, sink):
    """None, or why it failed."""
    until, since, why = time.monotonic() + LONGEST, None, ""
    while time.monotonic() < until:
        while GLib.MainContext.default().iteration(False):
            pass
        for pipeline in pipelines:
            message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            if message:
                return str(message.parse_error())
        why = judge(sink.get_property("stats"))
        since = None if why else since or time.monotonic()
        if since and time.monotonic() - since > KEPT:
            return None
        time.sleep(.1)
    return why


def main():
    Gst.init(None)
    for name in "x264enc", "rtpbin", "rtphdrexttwcc":
        if not Gst.ElementFactory.find(name):
            print("skipped: %s is not there" % name)
            return 77
    receiver = make_receiver()
    port = receiver.get_by_name("rtp").get_property("port")
    sender = Gst.parse_launch(
        SOURCE + " ! pspsink name=sink host=127.0.0.1 port=%d"
        " start-target-bitrate=%d" % (make_link(sys.argv[1], port),
                                      2 * CAPACITY))
    sink, socket = sender.get_by_name("sink"), make_socket()
    # The port where reports are expected is that which media leave from.
    sink.set_property("socket", socket)
    receiver.get_by_name("reports").set_property(
        "port", socket.get_local_address().get_port())
    receiver.set_state(Gst.State.PLAYING)
    sender.set_state(Gst.State.PLAYING)
    why = watch([sender, receiver], sink)
    print(sink.get_property("stats").to_string())
    sender.set_state(Gst.State.NULL)
    receiver.set_state(Gst.State.NULL)
    if why:
        print("failed: %s" % why)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
