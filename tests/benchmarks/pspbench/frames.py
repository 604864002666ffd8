# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Source pictures, and how close what was shown came to them."""

import math
import threading

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402,F401
import numpy as np  # noqa: E402


class Clip:
    """A decoded clip, all pictures in memory, played in a loop."""

    def __init__(self, path):
        pipeline = Gst.parse_launch(
            "filesrc location=\"%s\" ! mpegvideoparse ! avdec_mpeg2video ! "
            "videoconvert ! video/x-raw,format=I420 ! "
            "appsink name=out sync=false max-buffers=8" % path)
        sink = pipeline.get_by_name("out")
        pipeline.set_state(Gst.State.PLAYING)
        self.pictures = []
        while True:
            sample = sink.emit("pull-sample")
            if sample is None:
                break
            self.caps = sample.get_caps()
            buffer = sample.get_buffer()
            self.pictures.append(buffer.extract_dup(0, buffer.get_size()))
        pipeline.set_state(Gst.State.NULL)
        if not self.pictures:
            raise RuntimeError("no picture could be decoded from " + path)
        s = self.caps.get_structure(0)
        self.width = s.get_value("width")
        self.height = s.get_value("height")
        rate = s.get_fraction("framerate")
        self.fps_n, self.fps_d = rate.value_numerator, rate.value_denominator

    @property
    def fps(self):
        return self.fps_n / self.fps_d

    def picture(self, index):
        return self.pictures[index % len(self.pictures)]

    def luma(self, index):
        return np.frombuffer(self.picture(index), np.uint8,
                             self.width * self.height)

    def time(self, index):
        return index * Gst.SECOND * self.fps_d // self.fps_n

    def index(self, time):
        return round(time * self.fps_n / (self.fps_d * Gst.SECOND))


def psnr(a, b):
    """Of two luma planes, dB; 100 where they are equal."""
    difference = a.astype(np.int16) - b
    mse = float(np.mean(np.square(difference, dtype=np.int32)))
    return 100.0 if mse == 0 else 10 * math.log10(255 * 255 / mse)


class Viewer:
    """What a viewer sees: each source picture's time slot shows the newest
    picture decoded for it or before it, so a frozen picture counts as often
    as it is repeated. Before the first one the screen is black."""

    def __init__(self, clip):
        self.clip = clip
        self.lock = threading.Lock()
        self.shown = np.full(clip.width * clip.height, 16, np.uint8)
        self.scores = []
        self.fresh = 0

    def show(self, index, luma):
        with self.lock:
            if index < len(self.scores):
                return
            self._fill(index)
            self.shown = luma
            self.fresh += 1
            self.scores.append(psnr(self.clip.luma(index), luma))

    def _fill(self, until):
        while len(self.scores) < until:
            self.scores.append(
                psnr(self.clip.luma(len(self.scores)), self.shown))

    def finish(self, n):
        with self.lock:
            self._fill(n)
            return self.scores[:n]
