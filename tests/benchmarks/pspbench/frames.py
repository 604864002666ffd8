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


def square_error(a, b):
    """Mean over two luma planes."""
    difference = a.astype(np.int16) - b
    return float(np.mean(np.square(difference, dtype=np.int32)))


def decibel(mse):
    """PSNR of a mean square error; 100 where there is none."""
    return 100.0 if mse == 0 else 10 * math.log10(255 * 255 / mse)


def ssim(a, b, width, height):
    """Structural similarity of two luma planes (Wang et al. 2004), mean over
    windows of 8×8 that step by 4, without weighting."""
    def windows(x):
        w, h = width // 4, height // 4
        blocks = x.reshape(height, width)[:4 * h, :4 * w] \
            .reshape(h, 4, w, 4).sum(axis=(1, 3), dtype=np.int64)
        return (blocks[:-1, :-1] + blocks[1:, :-1] + blocks[:-1, 1:] +
                blocks[1:, 1:]) / 64.0
    a, b = a.astype(np.int32), b.astype(np.int32)
    mean_a, mean_b = windows(a), windows(b)
    variances = windows(a * a + b * b) - mean_a ** 2 - mean_b ** 2
    covariance = windows(a * b) - mean_a * mean_b
    c1, c2 = (.01 * 255) ** 2, (.03 * 255) ** 2
    return float(np.mean(
        (2 * mean_a * mean_b + c1) * (2 * covariance + c2) /
        ((mean_a ** 2 + mean_b ** 2 + c1) * (variances + c2))))


class Viewer:
    """What a viewer sees: each source picture's time slot shows the newest
    picture decoded for it or before it, so a frozen picture counts as often
    as it is repeated. Before the first one the screen is black."""

    VISIBLE_DB = 35         # a picture below that is visibly damaged

    def __init__(self, clip, with_ssim=False):
        self.clip, self.with_ssim = clip, with_ssim
        self.lock = threading.Lock()
        self.shown = np.full(clip.width * clip.height, 16, np.uint8)
        self.scores = []        # (mean square error, SSIM) of each slot
        self.frozen = []        # (slots, what they show), scored at the end
        self.damaged = 0

    def show(self, index, luma):
        with self.lock:
            if index < len(self.scores):
                return
            self._freeze(index)
            self.shown = luma
            score = self._score(index, luma)
            self.scores.append(score)
            self.damaged += decibel(score[0]) < self.VISIBLE_DB

    def _freeze(self, until):
        if until > len(self.scores):
            self.frozen.append((range(len(self.scores), until), self.shown))
            self.scores += [None] * (until - len(self.scores))

    def _score(self, index, luma):
        source = self.clip.luma(index)
        if np.array_equal(source, luma):
            return 0.0, 1.0
        return square_error(source, luma), \
            ssim(source, luma, self.clip.width, self.clip.height) \
            if self.with_ssim else None

    def finish(self, n):
        """(mean square error, SSIM or None) of the first n slots."""
        with self.lock:
            self._freeze(n)
            for slots, luma in self.frozen:
                for slot in slots:
                    self.scores[slot] = self._score(slot, luma)
            self.frozen = []
            return self.scores[:n]
