#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Sound and video of one pspsink to rtpbin behind pspsrc: video takes 300 ms
longer to be coded, and rtpbin delays the sound by as much, which it learns from
the sender's reports by the pad rtcp_src alone."""

import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

LATE, TOLERANCE = .3, .05       # s
LONGEST = 40
RECEIVER = """rtpbin name=bin latency=800
    pspsrc name=src address=127.0.0.1 port=0 caps=application/x-rtp
      ! rtpptdemux name=types
    src.rtcp_src ! tee name=rtcp ! bin.recv_rtcp_sink_0
    rtcp. ! bin.recv_rtcp_sink_1
    types.src_96 ! application/x-rtp,media=video,clock-rate=90000,encoding-name=RAW
      ! bin.recv_rtp_sink_0
    types.src_97 ! application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU
      ! bin.recv_rtp_sink_1
    bin.recv_rtp_src_0_1_96 ! fakesink
    bin.recv_rtp_src_1_2_97 ! fakesink"""
SENDER = """rtpfunnel name=f
      ! pspsink host=127.0.0.1 port=%d sync=false async=false controller=none
    videotestsrc is-live=true
      ! video/x-raw,format=RGB,width=16,height=16,framerate=25/1
      ! queue min-threshold-time=%d max-size-buffers=0 max-size-time=0
      ! rtpvrawpay pt=96 ssrc=1 ! f.
    audiotestsrc is-live=true ! audio/x-raw,rate=8000,channels=1
      ! mulawenc ! rtppcmupay pt=97 ssrc=2 ! f."""


def errors(*pipelines):
    for pipeline in pipelines:
        message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        if message:
            sys.exit("%s\n%s" % message.parse_error())


def aligned(sender, receiver, offsets):
    """Whether the sound is delayed as it has to be, in time."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        time.sleep(.1)
        errors(sender, receiver)
        if abs(offsets.get(2, 0) - offsets.get(1, 0) - LATE) < TOLERANCE:
            return True
    return False


def main():
    Gst.init(None)
    offsets = {}
    receiver = Gst.parse_launch(RECEIVER)

    def notify(buffer, _, ssrc):
        offsets[ssrc] = buffer.get_property("ts-offset") / Gst.SECOND

    receiver.get_by_name("bin").connect(
        "new-jitterbuffer", lambda _, buffer, session, ssrc:
        buffer.connect("notify::ts-offset", notify, ssrc))
    receiver.set_state(Gst.State.PLAYING)
    port = receiver.get_by_name("src").get_property("port")
    sender = Gst.parse_launch(SENDER % (port, LATE * Gst.SECOND))
    sender.set_state(Gst.State.PLAYING)
    try:
        if not aligned(sender, receiver, offsets):
            sys.exit("rtpbin did not align the streams: %s" % offsets)
    finally:
        for pipeline in sender, receiver:
            pipeline.set_state(Gst.State.NULL)
    print("sound waits %.0f ms longer than video" % (
        1000 * (offsets[2] - offsets.get(1, 0))))


main()
