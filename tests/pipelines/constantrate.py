#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The promise of pipelines/transport-stream-constant.sh while the target steps,
as fast as the processor allows: in a multiplex of 1.5 times the highest target
no picture is later than its DTS, and PCR are each 40 ms and exact to 500 ns."""

import os
import sys
import tempfile
import unittest

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(TESTS, "benchmarks"))
from pspbench.transportstream import analyse  # noqa: E402

CLIP = os.path.join(TESTS, "files", "walk-720x480p30-4M.m2v")
DECODED = ("filesrc location=%s ! mpegvideoparse ! avdec_mpeg2video"
           " ! videoconvert ! videoscale ! video/x-raw,width=360,height=240 ! "
           % CLIP)
PEAK = 600_000
VBV_MS = 150
STEPS = (PEAK, PEAK // 2, 2 * PEAK // 3, PEAK // 4, PEAK)
PICTURES_A_STEP = 48
N_PICTURES = 240
X264 = "x264enc speed-preset=veryfast bitrate=%d vbv-buf-capacity=%d" \
    " key-int-max=30 " % (PEAK // 1000, VBV_MS)


def play(launch, *probes):
    """To its end; probes: (element, pad, what each buffer is told to)."""
    pipeline = Gst.parse_launch(launch)
    for name, pad, told in probes:
        def on_buffer(pad, info, told=told):
            told(pipeline)
            return Gst.PadProbeReturn.OK
        pipeline.get_by_name(name).get_static_pad(pad).add_probe(
            Gst.PadProbeType.BUFFER, on_buffer)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        raise RuntimeError("%s: %s" % message.parse_error())


class Stepping:
    """Sets the scaler's target anew each PICTURES_A_STEP pictures."""

    def __init__(self):
        self.pictures = 0

    def __call__(self, pipeline):
        step, within = divmod(self.pictures, PICTURES_A_STEP)
        if within == 0:
            pipeline.get_by_name("scaler").set_property(
                "target-bitrate", STEPS[step % len(STEPS)])
        self.pictures += 1


class ConstantRate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = os.path.join(folder.name, "in.ts")
        self.scaled = os.path.join(folder.name, "out.ts")

    def multiplex(self, coder, parser, margin):
        for name in (coder.split()[0], parser, "mpegtsmux"):
            if not Gst.ElementFactory.find(name):
                self.skipTest("GStreamer has no %s here" % name)
        if not os.path.exists(self.source):
            play(DECODED + "%s ! %s ! mpegtsmux ! filesink location=%s" % (
                coder, parser, self.source))
        stepping = Stepping()
        play("filesrc location=%s ! tsdemux ! %s"
             " ! mpegscaler name=scaler follow-events=false"
             " ! mpegtsmux alignment=7 bitrate=%d ! filesink location=%s" % (
                 self.source, parser, int(margin * PEAK), self.scaled),
             ("scaler", "sink", stepping))
        self.assertEqual(stepping.pictures, N_PICTURES)
        with open(self.scaled, "rb") as f:
            return analyse(f.read())

    def shown(self, parser, decoder):
        counts = {"coded": 0, "shown": 0}

        def count(name):
            def told(pipeline):
                counts[name] += 1
            return told

        play("filesrc location=%s ! tsdemux ! %s ! identity name=coded ! %s"
             " ! identity name=shown ! fakesink" % (
                 self.scaled, parser, decoder),
             ("coded", "src", count("coded")), ("shown", "src", count("shown")))
        return counts

    def check(self, coder, parser, decoder, fewest):
        report = self.multiplex(coder, parser, 1.5)
        self.assertEqual((report.continuity_errors, report.late), (0, 0))
        self.assertLessEqual(report.pcr_gap, .04)
        self.assertLessEqual(report.pcr_error, 500e-9)
        self.assertAlmostEqual(report.bitrate, 1.5 * PEAK, delta=PEAK * .001)
        self.assertLess(report.pictures, N_PICTURES)
        self.assertGreater(report.pictures, fewest)
        if Gst.ElementFactory.find(decoder.split()[0]):
            counts = self.shown(parser, decoder)
            self.assertEqual(counts["shown"], report.pictures)

    def test_h264(self):
        self.check(X264 + "bframes=3 b-pyramid=true", "h264parse",
                   "avdec_h264 output-corrupt=false", N_PICTURES // 4)

    def test_h264_zerolatency(self):
        self.check(X264 + "tune=zerolatency", "h264parse",
                   "avdec_h264 output-corrupt=false", N_PICTURES // 4)

    def test_h265(self):
        self.check("x265enc speed-preset=ultrafast bitrate=%d key-int-max=30"
                   " option-string=vbv-maxrate=%d:vbv-bufsize=%d" % (
                       PEAK // 1000, PEAK // 1000,
                       PEAK // 1000 * VBV_MS // 1000),
                   "h265parse", "libde265dec", N_PICTURES // 4)

    def test_margin_is_needed(self):
        """At the source's rate alone, pictures come too late."""
        report = self.multiplex(X264 + "bframes=3 b-pyramid=true",
                                "h264parse", 1)
        self.assertGreater(report.late, 0)


if __name__ == "__main__":
    Gst.init(None)
    unittest.main()
