# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The pictures that record.py has encoded, as raw I420 files: clips and moving
patterns, and a desktop."""

import glob
import os
import subprocess

import numpy as np

FILES = os.path.join(os.path.dirname(__file__), "..", "files")
# Clips that everyone has: two sets have other parts of them. What MPEG_MEDIA_DIR
# has besides makes a set of other content.
CLIPS = ["walk-720x480p30-4M.m2v", "sintel-720x480-pulldown-4M.m2v",
         "bbb-352x288p25-1100k.m1v"]
OTHERS = ["p02_*", "p05_*", "p10_*", "p11_*"]
PATTERNS = ["pattern=ball", "pattern=zone-plate kx2=10 ky2=6 kt=2",
            "pattern=smpte horizontal-speed=5"]
PATTERN_FRAMES = 120
MOTION, DESKTOP = (640, 360), (960, 540)


def frame_bytes(size):
    return size[0] * size[1] * 3 // 2


def decode(path):
    """All pictures of a clip, scaled, one after another."""
    raw = subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-threads", "1", "-i", path,
         "-fps_mode", "passthrough", "-vf",
         "scale=%d:%d:flags=bicubic+bitexact" % MOTION, "-pix_fmt", "yuv420p",
         "-f", "rawvideo", "-"], check=True, stdout=subprocess.PIPE).stdout
    return cut(raw)


def pattern(properties, frames):
    raw = subprocess.run(
        ["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=%d" % frames,
         *properties.split(), "!", "video/x-raw,format=I420,width=%d,height=%d,"
         "framerate=30/1" % MOTION, "!", "fdsink", "fd=1"],
        check=True, stdout=subprocess.PIPE).stdout
    return cut(raw)


def cut(raw):
    size = frame_bytes(MOTION)
    return [raw[at:at + size] for at in range(0, len(raw) - size + 1, size)]


def quarters(pictures, which):
    """The first and third quarter (0), or the second and fourth (1), each to
    and fro, which makes it longer without a cut."""
    length = len(pictures) // 4
    for begin in (which * length, (which + 2) * length):
        piece = pictures[begin:begin + length]
        yield from piece + piece[::-1]


def motion(path, which, patterns=PATTERNS):
    """which: 0 and 1, other quarters of everything."""
    with open(path, "wb") as f:
        for name in CLIPS:
            pictures = decode(os.path.join(FILES, name))
            f.writelines(quarters(pictures, which))
        for properties in patterns:
            pictures = pattern(properties, PATTERN_FRAMES)
            f.writelines(quarters(pictures, which))


def other_motion(path, media):
    with open(path, "wb") as f:
        for name in OTHERS:
            clip, = glob.glob(os.path.join(media, name))
            f.writelines(decode(clip))


class Desktop:
    """Text that is typed and scrolled, windows that open and close, a pointer
    that moves. Glyphs are random dots on a grid of text. The seed decides what
    is seen and in which order things are done, not how much of each."""

    GLYPH = (12, 7)             # rows, columns
    # What is done, for how many frames, how many rows a frame.
    DONE = [("type", 50, 0), ("scroll", 25, 2), ("idle", 30, 0),
            ("scroll", 20, 12), ("drag", 25, 0), ("open", 1, 0),
            ("type", 40, 0), ("scroll", 30, 4), ("idle", 20, 0),
            ("scroll", 10, 24)]

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.width, self.height = DESKTOP
        self.glyphs = np.where(
            self.random.random((64, *self.GLYPH)) < .42, 40, 235)
        self.glyphs[:, [0, 1, -1], :] = 235
        self.glyphs[:, :, -1] = 235
        self.glyphs[:24] = 235                          # blanks
        self.back = np.full((self.height, self.width), 90, np.uint8)
        self.back += (np.arange(self.width) // 16 % 40).astype(np.uint8)
        self.windows = [self.window()]
        self.pointer = np.array([100., 100.])
        self.to_do, self.left = [], 0

    def window(self):
        rows, columns = self.random.integers((26, 80), (34, 110))
        height, width = rows * self.GLYPH[0], columns * self.GLYPH[1]
        height, width = min(height, self.height - 20), \
            min(width, self.width - 20)
        return {"at": self.random.integers(
                    (0, 0), (self.height - height, self.width - width)),
                "size": (height, width), "offset": 0, "typed": 0,
                "text": self.random.integers(
                    0, 64, (400, width // self.GLYPH[1]))}

    def draw_window(self, picture, w):
        height, width = w["size"]
        first = w["offset"] // self.GLYPH[0]
        rows = height // self.GLYPH[0] + 2
        lines = w["text"][(first + np.arange(rows)) % len(w["text"])]
        image = self.glyphs[lines].transpose(0, 2, 1, 3)
        image = image.reshape(rows * self.GLYPH[0], -1)
        image = image[w["offset"] % self.GLYPH[0]:][:height, :width]
        y, x = w["at"]
        picture[y:y + height, x:x + width] = 200
        picture[y:y + image.shape[0], x:x + image.shape[1]] = image
        picture[y:y + 3, x:x + width] = 60

    def act(self):
        if self.left == 0:
            if not self.to_do:
                self.to_do = [self.DONE[n] for n in
                              self.random.permutation(len(self.DONE))]
            self.doing, self.left, self.speed = self.to_do.pop()
        self.left -= 1
        top = self.windows[-1]
        if self.doing == "type" and self.left % 3 == 0:
            row = (top["offset"] + top["size"][0] // 2) // self.GLYPH[0]
            columns = top["text"].shape[1]
            top["text"][(row + top["typed"] // columns) % 400,
                        top["typed"] % columns] = self.random.integers(64)
            top["typed"] += 1
        elif self.doing == "scroll":
            top["offset"] += self.speed
        elif self.doing == "open":
            self.windows = self.windows[-2:] + [self.window()]
        elif self.doing == "drag":
            step = self.random.integers(-6, 12, 2)
            top["at"] = np.clip(top["at"] + step, 0, np.array(
                [self.height, self.width]) - top["size"])
        if self.doing != "type":
            self.pointer = np.clip(
                self.pointer + self.random.normal(0, 6, 2), 0,
                (self.height - 12, self.width - 8))

    def picture(self):
        self.act()
        luma = self.back.copy()
        for w in self.windows:
            self.draw_window(luma, w)
        y, x = self.pointer.astype(int)
        luma[y:y + 12, x:x + 8] = 255
        return luma.tobytes() + bytes([128]) * (self.width * self.height // 2)


def desktop(path, seed, frames):
    screen = Desktop(seed)
    with open(path, "wb") as f:
        for _ in range(frames):
            f.write(screen.picture())


def mpeg2(raw, path):
    """An MPEG-2 stream of 4 Mb/s, for mpegscaler."""
    subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt",
         "yuv420p", "-s", "%dx%d" % MOTION, "-r", "30", "-i", raw, "-threads",
         "1", "-c:v", "mpeg2video", "-b:v", "4M", "-maxrate", "4M", "-bufsize",
         "1835k", "-g", "12", "-bf", "2", "-f", "mpeg2video", path], check=True)
