#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What mpegscaler leaves of H.264 and H.265 of several kinds at some parts of
their rate: how many pictures, and the longest freeze; as fast as the processor
allows. The first group is left out: nobody knows yet that another follows it,
so it is held against the target. Each picture that passes is decoded.

    tests/benchmarks/thinning.py BUILD_DIR [--kinds NAME;…]
        [--rates 85,70,55,40,25] [--folder FOR_STREAMS]"""

import argparse
import os
import sys
import tempfile

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

from pspbench import thinstreams  # noqa: E402
from pspbench.plugins import find_plugins  # noqa: E402

DECODERS = {"h264parse": "avdec_h264 output-corrupt=false",
            "h265parse": "libde265dec"}


class Passed:
    """What comes through mpegscaler at a target (bits/s), 0 = all; only
    disposable pictures go where references may not."""

    def __init__(self, path, parser, target, references=True):
        pipeline = Gst.parse_launch(
            "filesrc location=%s ! qtdemux ! %s"
            " ! mpegscaler name=scaler follow-events=false target-bitrate=%d"
            " max-freeze=%d ! %s ! fakesink name=out sync=false" % (
                path, parser, target, 2**64 - 1 if references else 0,
                DECODERS[parser]))
        self.pictures, self.shown = [], []      # (PTS, DTS, bytes, key); PTS
        for name, pad, told in (("scaler", "src", self._on_passed),
                                ("out", "sink", self._on_shown)):
            pipeline.get_by_name(name).get_static_pad(pad).add_probe(
                Gst.PadProbeType.BUFFER, told)
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(
            Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
        if message.type == Gst.MessageType.ERROR:
            sys.exit("%s: %s" % (path, message.parse_error()))

    def _on_passed(self, pad, info):
        buffer = info.get_buffer()
        self.pictures.append((
            buffer.pts, buffer.dts, buffer.get_size(),
            not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT)))
        return Gst.PadProbeReturn.OK

    def _on_shown(self, pad, info):
        self.shown.append(info.get_buffer().pts)
        return Gst.PadProbeReturn.OK

    def since(self, dts):
        return [p for p in self.pictures if p[1] >= dts]

    def not_decoded(self):
        return len({p[0] for p in self.pictures} - set(self.shown))


def bytes_of(pictures):
    return sum(size for _, _, size, _ in pictures)


def freeze(pictures, whole, period):
    """The longest time for which no picture follows, beyond its own, up to the
    end of the whole, s."""
    ends = [p[0] for p in whole]
    times = [min(ends), *sorted(p[0] for p in pictures),
             max(ends) + period * Gst.SECOND]
    return max(b - a for a, b in zip(times, times[1:])) / Gst.SECOND - period


def measure(kind, folder, rates):
    path = thinstreams.make(folder, kind)
    parser = thinstreams.KINDS[kind][2]
    source = Passed(path, parser, 0)
    period = 1 / thinstreams.FPS
    starts = [dts for _, dts, _, key in source.pictures if key]
    second = starts[1]
    whole = source.since(second)
    seconds = len(whole) * period
    bitrate = 8 * bytes_of(whole) / seconds
    needed = Passed(path, parser, 1, references=False).since(second)
    disposable = 100 - 100 * bytes_of(needed) / bytes_of(whole)
    print("%s: %.2f Mb/s, %d groups, I %.0f %%, disposable %.0f %%" % (
        kind, bitrate / 1e6, len(starts), 100 * bytes_of(
            [p for p in whole if p[3]]) / bytes_of(whole), disposable),
        flush=True)
    cells = ["%.0f %%" % disposable]
    for rate in rates:
        passed = Passed(path, parser, int(bitrate * rate / 100))
        left = passed.since(second)
        cells.append("%.0f %%, %.2f s" % (100 * len(left) / len(whole),
                                          freeze(left, whole, period)))
        print("  %3d %%: %3.0f %% of the bytes, %s%s" % (
            rate, 100 * bytes_of(left) / bytes_of(whole), cells[-1],
            ", NOT DECODED: %d" % passed.not_decoded()
            if passed.not_decoded() else ""), flush=True)
    return "| %s | %s |" % (kind, " | ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--kinds", default=";".join(thinstreams.KINDS))
    parser.add_argument("--rates", default="85,70,55,40,25")
    parser.add_argument("--folder")
    args = parser.parse_args()
    find_plugins(args.build)
    Gst.init(None)
    rates = [int(r) for r in args.rates.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or temporary
        os.makedirs(folder, exist_ok=True)
        rows = [measure(kind, folder, rates)
                for kind in args.kinds.split(";")]
    print("\n| | disposable bytes | %s |" % " | ".join(
        "%d %%" % r for r in rates))
    print("|---" * (2 + len(rates)) + "|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
