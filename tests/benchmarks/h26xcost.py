#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""CPU time a picture that mpegscaler adds behind the parser, for H.264 and
H.265 of 1920×1080 in two stream formats, with 1 and 8 slices a picture. Parsed
pictures are pushed into a fakesink, and into mpegscaler before one, in turns;
the pushing thread's time counts, and the difference is what mpegscaler adds.

    tests/benchmarks/h26xcost.py BUILD_DIR [--runs 15] [--loops 10]
        [--json FILE]"""

import argparse
import gc
import os
import statistics
import tempfile
import time

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

from pspbench.figures import Figures, add_option  # noqa: E402
from pspbench.plugins import find_plugins  # noqa: E402

CLIP = os.path.join(os.path.dirname(__file__), "..", "files",
                    "walk-720x480p30-4M.m2v")
KBIT, FPS = 8000, 15            # so some 67 kB a picture
SLICES = 1, 8
# By codec: the coder, and the stream formats.
CODERS = {
    "h264": "x264enc speed-preset=ultrafast tune=zerolatency bitrate=%d"
            " sliced-threads=false key-int-max=30 option-string=slices={slices}"
            % KBIT,
    "h265": "x265enc speed-preset=ultrafast bitrate=%d key-int-max=30"
            " option-string=slices={slices}" % KBIT,
}
FORMATS = {"h264": ("avc", "byte-stream"), "h265": ("hvc1", "byte-stream")}
SOURCE = ("filesrc location=%s ! mpegvideoparse ! avdec_mpeg2video"
          " ! videorate drop-only=true ! videoconvert ! videoscale"
          " ! video/x-raw,width=1920,height=1080,framerate=%d/1" % (CLIP, FPS))
# What mpegscaler is told.
SETTINGS = {"passes": {},
            "scale 2": {"follow-events": False, "scale": 2},
            "half the rate": {"follow-events": False,
                              "target-bitrate": 500 * KBIT}}


def pull(launch):
    """(buffers, caps) of what a pipeline ends with."""
    pipeline = Gst.parse_launch(launch + " ! appsink name=out sync=false")
    out, buffers, caps = pipeline.get_by_name("out"), [], None
    pipeline.set_state(Gst.State.PLAYING)
    while True:
        sample = out.emit("pull-sample")
        if sample is None:
            break
        buffers.append(sample.get_buffer())
        caps = sample.get_caps()
    pipeline.set_state(Gst.State.NULL)
    if not buffers:
        raise SystemExit("nothing came of " + launch)
    return buffers, caps


def parsed(codec, slices):
    """By stream format: pictures and caps."""
    coded, _ = pull("%s ! %s ! %sparse config-interval=-1 ! video/x-%s,"
                       "stream-format=byte-stream,alignment=au" % (
                           SOURCE, CODERS[codec].format(slices=slices), codec,
                           codec))
    with tempfile.NamedTemporaryFile() as source:
        for buffer in coded:
            source.write(buffer.extract_dup(0, buffer.get_size()))
        source.flush()
        return {form: pull("filesrc location=%s ! %sparse ! video/x-%s,"
                           "stream-format=%s,alignment=au" % (
                               source.name, codec, codec, form))
                for form in FORMATS[codec]}


def in_loops(buffers, loops):
    """The pictures over and over, with times that go on."""
    period = Gst.SECOND // FPS
    for n in range(loops * len(buffers)):
        copy = buffers[n % len(buffers)].copy()
        copy.pts = copy.dts = n * period
        copy.duration = period
        yield copy


def push(buffers, caps, loops, settings):
    """CPU time a picture (µs); settings: of mpegscaler, None without one."""
    elements = [Gst.ElementFactory.make("fakesink")]
    elements[0].set_property("async", False)
    if settings is not None:
        elements.insert(0, Gst.ElementFactory.make("mpegscaler"))
        for name, value in settings.items():
            elements[0].set_property(name, value)
        elements[0].link(elements[1])
    for element in reversed(elements):
        element.set_state(Gst.State.PLAYING)
    source = Gst.Pad.new("src", Gst.PadDirection.SRC)
    source.set_active(True)
    source.link(elements[0].get_static_pad("sink"))
    source.push_event(Gst.Event.new_stream_start("cost"))
    source.push_event(Gst.Event.new_caps(caps))
    segment = Gst.Segment()
    segment.init(Gst.Format.TIME)
    source.push_event(Gst.Event.new_segment(segment))
    pictures = list(in_loops(buffers, loops))
    began = time.thread_time_ns()
    for picture in pictures:
        source.push(picture)
    took = time.thread_time_ns() - began
    if settings is not None:
        stats = elements[0].get_property("stats")
        if stats.get_value("frames-h26x") != len(pictures) or \
                stats.get_value("frames-unreadable"):
            raise SystemExit("mpegscaler has not read %d pictures: %s" % (
                len(pictures), stats.to_string()))
    for element in elements:
        element.set_state(Gst.State.NULL)
    return took / 1e3 / len(pictures)


def spread(values):
    values = sorted(values)
    return "%.2f [%.2f…%.2f]" % (statistics.median(values), values[0],
                                 values[-1])


def measure(pictures, caps, args):
    """By setting: µs a picture that mpegscaler adds, a value a run."""
    added = {name: [] for name in SETTINGS}
    for _ in range(args.runs):
        without = push(pictures, caps, args.loops, None)
        for name, settings in SETTINGS.items():
            added[name].append(
                push(pictures, caps, args.loops, settings) - without)
    return added


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--loops", type=int, default=10)
    add_option(parser)
    args = parser.parse_args()
    find_plugins(args.build)
    Gst.init(None)
    gc.disable()
    figures = Figures()
    print("%-41s %6s  %s" % ("", "kB", "added, µs a picture"))
    for codec, slices in ((c, s) for c in CODERS for s in SLICES):
        for form, (pictures, caps) in parsed(codec, slices).items():
            size = sum(p.get_size() for p in pictures) / 1000 / len(pictures)
            for name, added in measure(pictures, caps, args).items():
                what = "%s %s, %d slice%s, %s" % (
                    codec, form, slices, "s" * (slices > 1), name)
                print("%-41s %6.1f  %s" % (what, size, spread(added)),
                      flush=True)
                figures.add(what, statistics.median(added), "µs")
    figures.write(args.json)


if __name__ == "__main__":
    main()
