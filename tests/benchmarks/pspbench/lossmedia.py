# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What loss.py sends, and the ways by which it does: MPEG-2 as it is, or H.264
through mpegscaler."""

import os

from .frames import Clip, Gst
from .h264stream import H264Clip
from .h264video import decodable
from .mpegvideo import read_pictures
from .stream import rtp_packets

CLIP = os.path.join(os.path.dirname(__file__), "..", "..", "files",
                    "walk-720x480p30-4M.m2v")
CONTROLLERS = "poise", "scp", "damped-psp", "psp", "rap-psp"
LATENCY_MS = 120
PSPSINK = ("pspsink name=sink host=127.0.0.1 port={port} controller=%s"
           " leaky=downstream max-queue-time=%d")
UDPSINK = "udpsink name=sink host=127.0.0.1 port={port} sync=true"
RTP_CAPS = (" caps=application/x-rtp,media=video,clock-rate=90000,"
            "encoding-name=%s,payload=%d")
MPEG_TS = "mpegtsmux alignment=7 ! "


def pspsrc(caps):
    return "pspsrc address=127.0.0.1 port={port}" + caps


def udpsrc(caps):
    return "udpsrc buffer-size=1000000 address=127.0.0.1 port={port}" + caps


class Mpeg:
    """The clip's pictures in coded order, a picture period each. ways: by name
    a sender, a receiver, the ports that it needs."""

    FPS_N, FPS_D = 30000, 1001
    caps = "video/mpeg,mpegversion=2,systemstream=false,parsed=true"

    def __init__(self):
        self.units = [p.data for p in read_pictures(CLIP)[0]]
        rtp, caps = "rtpmpvpay mtu=1200 ! ", RTP_CAPS % ("MPV", 32)
        self.ways = {
            "udpsink": (rtp + UDPSINK, udpsrc(caps), 1),
            "srtsink": (MPEG_TS + "srtsink name=sink latency=%d"
                        " uri=srt://127.0.0.1:{port}?mode=caller" % LATENCY_MS,
                        "srtsrc latency=%d uri=srt://127.0.0.1:{port}"
                        "?mode=listener" % LATENCY_MS, 1),
            "ristsink": (MPEG_TS + "rtpmp2tpay ! ristsink name=sink"
                         " address=127.0.0.1 port={port} sender-buffer=%d"
                         % LATENCY_MS,
                         "ristsrc address=127.0.0.1 port={port}"
                         " receiver-buffer=%d" % LATENCY_MS, 2),
        }
        for controller in CONTROLLERS:
            self.ways[controller] = (rtp + PSPSINK % (controller, 500_000_000),
                                     pspsrc(caps), 1)

    def pictures(self, seconds):
        return int(seconds * self.FPS_N / self.FPS_D)

    def buffer(self, n):
        buffer = Gst.Buffer.new_wrapped(self.units[n % len(self.units)])
        buffer.pts = n * Gst.SECOND * self.FPS_D // self.FPS_N
        buffer.duration = Gst.SECOND * self.FPS_D // self.FPS_N
        return buffer

    def note(self, packets, info):
        """It is not asked which pictures arrived."""

    def decodable(self, n, whole):
        return None


class H264:
    """The same pictures, coded in groups of 2 s. pspsink keeps as much as a
    group lasts: its beginning leaves mpegscaler at the source's rate."""

    KBIT, GROUP, QUEUE_TIME = 4000, 60, 2_000_000_000

    def __init__(self):
        self.clip = Clip(CLIP)
        self.coded = H264Clip(self.clip, self.KBIT, self.GROUP)
        self.caps = self.coded.caps()
        rtp = ("rtph264pay timestamp-offset=0 config-interval=-1 mtu=1200"
               " ! ")
        caps = RTP_CAPS % ("H264", 96)
        self.ways = {"udpsink": (rtp + UDPSINK, udpsrc(caps), 1)}
        for controller in CONTROLLERS:
            self.ways[controller] = (
                "h264parse ! mpegscaler ! " + rtp +
                PSPSINK % (controller, self.QUEUE_TIME), pspsrc(caps), 1)

    def pictures(self, seconds):
        return int(seconds * self.clip.fps)

    def buffer(self, n):
        return self.coded.buffer(n)

    def note(self, packets, info):
        """Which packet of which picture (by place in the order of display)."""
        for sequence, timestamp, _, _ in rtp_packets(info):
            packets.setdefault(self.coded.display(timestamp),
                               set()).add(sequence)

    def decodable(self, n, whole):
        return decodable(self.coded.pictures, n, whole)
