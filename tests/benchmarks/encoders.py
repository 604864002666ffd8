#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What encoders make of a target: bitrate over target and the size of frames,
as they come, and with what encoderbitrate does about it. A table row each.

    meson devenv -C BUILD -w "$PWD" tests/benchmarks/encoders.py [ENCODER…]

Time is the media's: pictures come as fast as the encoder takes them, and no
load of the machine changes what it makes. The target is steady; the event has
the max-frame-size that pspsink would send: 80 % of 100 ms at the target. The
first 20 s do not count, and the next 60 do."""

import argparse
import os
import statistics
import sys
import tempfile

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "sources"))
import pictures  # noqa: E402
import record  # noqa: E402

TARGETS = [300_000, 600_000, 1_200_000, 2_000_000, 4_000_000]
FPS = 30
SKIPPED, COUNTED = 20 * FPS, 60 * FPS
LIMIT = .080                    # s at the target
ENCODERS = {
    "x264": "x264enc name=coder tune=zerolatency speed-preset=ultrafast "
            "threads=2 key-int-max=60",
    "x264-default": "x264enc name=coder threads=2",
    "x265": "x265enc name=coder tune=zerolatency speed-preset=ultrafast "
            "key-int-max=60",
    "openh264": "openh264enc name=coder rate-control=bitrate gop-size=60 "
                "multi-thread=1",
    "vp8": "vp8enc name=coder deadline=1 cpu-used=-8 threads=1 end-usage=cbr "
           "keyframe-max-dist=60 buffer-initial-size=100 "
           "buffer-optimal-size=120 buffer-size=150",
}
MODES = {
    "as it comes": "correct-bitrate=false limit-frames=false",
    "corrected": "correct-bitrate=true limit-frames=false",
    "limited": "correct-bitrate=false limit-frames=auto",
    "both": "correct-bitrate=true limit-frames=auto",
}


def event(target):
    structure, _ = Gst.Structure.from_string(
        "GstCongestion, reason=(string)increase, target-bitrate=(guint64)%d, "
        "max-frame-size=(guint64)%d" % (target, target * LIMIT / 8))
    return Gst.Event.new_custom(Gst.EventType.CUSTOM_UPSTREAM, structure)


class Run:
    """Frames of an encoder at one target: (bytes, whether a key frame), and
    what it was told meanwhile."""

    def __init__(self, path, encoder, mode, target):
        self.frames, self.told, self.target = [], [], target
        pipeline = Gst.parse_launch(
            "filesrc location=%s ! rawvideoparse format=i420 width=%d "
            "height=%d framerate=%d/1 ! %s ! encoderbitrate name=eb %s ! "
            "fakesink sync=false async=false" % (
                path, *pictures.MOTION, FPS, encoder, mode))
        self.eb = pipeline.get_by_name("eb")
        coder = pipeline.get_by_name("coder")
        coder.get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, self.on_picture)
        coder.get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER, self.on_frame)
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(
            Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
        if message.type == Gst.MessageType.ERROR:
            raise SystemExit(message.parse_error())

    def on_picture(self, pad, info):
        self.eb.get_static_pad("src").send_event(event(self.target))
        return Gst.PadProbeReturn.REMOVE

    def on_frame(self, pad, info):
        buffer = info.get_buffer()
        self.frames.append((buffer.get_size(), not buffer.has_flags(
            Gst.BufferFlags.DELTA_UNIT)))
        self.told.append(self.eb.get_property("current-bitrate"))
        return Gst.PadProbeReturn.OK


def clips(path):
    """Moving pictures that fill any of these bitrates, to and fro."""
    with open(path, "wb") as f:
        for name in pictures.CLIPS:
            clip = pictures.decode(os.path.join(pictures.FILES, name))
            f.writelines(clip + clip[::-1])


def quantile(values, part):
    return sorted(values)[min(int(part * len(values)), len(values) - 1)]


def row(name, mode, run):
    frames = run.frames[SKIPPED:SKIPPED + COUNTED]
    sizes = [size for size, key in frames]
    seconds = [sum(sizes[n:n + FPS]) * 8 / run.target
               for n in range(0, len(sizes) - FPS + 1, FPS)]
    told = run.told[SKIPPED:SKIPPED + COUNTED]
    ms = [size * 8e3 / run.target for size in sizes]
    keys = [size * 8e3 / run.target for size, key in frames if key] or [0]
    return "| %s | %d | %s | %.3f | %.3f | %.3f…%.3f | %d | %.0f | %.0f |" % (
        name, run.target / 1000, mode, statistics.mean(seconds),
        statistics.pstdev(seconds), min(told) / run.target,
        max(told) / run.target, quantile(ms, .95),
        statistics.mean(keys), max(ms))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("encoders", nargs="*", metavar="ENCODER",
                        help=", ".join(ENCODERS))
    parser.add_argument("--modes", nargs="*", default=list(MODES))
    args = parser.parse_args()
    Gst.init(None)
    print("| encoder | target, kb/s | | made / target | deviation of 1 s | told "
          "/ target | frame p95, ms of the target | key frames, mean | largest "
          "|\n|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "pictures")
        clips(path)
        record.repeat(path, (SKIPPED + COUNTED + 3 * FPS)
                      * pictures.frame_bytes(pictures.MOTION))
        for name in args.encoders or ["x264"]:
            for target in TARGETS:
                for mode in args.modes:
                    print(row(name, mode, Run(
                        path, ENCODERS[name], MODES[mode], target)),
                        flush=True)


if __name__ == "__main__":
    main()
