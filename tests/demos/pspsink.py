#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""pspsink to a receiving rtpbin behind rtpccfb, over an emulated link."""

import sys

from gi.repository import Gio  # noqa: F401  the type of a socket

from sessions import Gst, Link, need, play, source, stats, stop, wait_for

LEAST = 8                       # reports a second

Gst.init(None)
need("x264enc", "pspsink", "rtpccfb", "encoderbitrate")
receiver = Gst.parse_launch(
    "rtpbin name=bin funnel name=rtcp "
    "! udpsink name=out host=127.0.0.1 sync=false async=false "
    "udpsrc name=in address=127.0.0.1 port=0 reuse=false caps=\"application/x-rtp,"
    "media=video,clock-rate=90000,encoding-name=H264,payload=96\" "
    "! rtpccfb name=ccfb ! bin.recv_rtp_sink_0 "
    "ccfb.rtcp_src ! rtcp.sink_0 bin.send_rtcp_src_0 ! rtcp.sink_1 "
    "bin. ! rtph264depay ! fakesink sync=false async=false")
receiver.get_by_name("in").set_state(Gst.State.READY)
link = Link(receiver.get_by_name("in").get_property("port"),
            "rate=2M,delay=20ms,queue=60p")
sender = Gst.parse_launch(
    source(4000000) + " ! pspsink name=sink host=127.0.0.1 port=%d "
    "bind-address=127.0.0.1 start-target-bitrate=3000000" % link.port)
sink = sender.get_by_name("sink")
# The receiver's RTCP goes to the port that media leaves from.
sender.set_state(Gst.State.PAUSED)
receiver.get_by_name("out").set_property(
    "port", sink.get_property("used-socket").get_local_address().get_port())
play(receiver, sender)


def reports():
    return stats(receiver.get_by_name("ccfb"))


wait_for("told to the encoder", lambda:
         sender.get_by_name("encoder").get_property("bitrate") < 2000,
         sender, receiver)
began, before = Gst.util_get_timestamp(), reports()
wait_for("in use", lambda: reports()["packets"] > before["packets"] + 500,
         sender, receiver)
seconds = (Gst.util_get_timestamp() - began) / Gst.SECOND
after, sent = reports(), stats(sink)
stop(sender, receiver)
link.close()
print(after, sent)
rate = (after["feedback-sent"] - before["feedback-sent"]) / seconds
print("%.1f reports a second" % rate)
if rate < LEAST:
    sys.exit("failed: fewer than %d reports a second" % LEAST)
if sent["feedback"] != "ccfb" or sent["feedback-received"] == 0:
    sys.exit("failed: pspsink does not listen to the reports")
