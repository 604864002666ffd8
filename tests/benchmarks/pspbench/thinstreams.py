# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""H.264 and H.265 of kinds that are thinned out differently: by encoder, its
settings, and what is shown."""

import os
import random

from .frames import Gst, np

CLIP = os.path.join(os.path.dirname(__file__), "..", "..", "files",
                    "walk-720x480p30-4M.m2v")
FPS = 30
SECONDS = 16
FILMED = ("multifilesrc location=%s loop=true num-buffers=2 ! mpegvideoparse"
          " ! avdec_mpeg2video ! videoconvert ! videoscale"
          " ! video/x-raw,width=640,height=480" % CLIP)
GROUP = "key-int-max=%d" % (2 * FPS)    # 2 s
X264 = "x264enc bitrate=1500 " + GROUP
WIDTH, HEIGHT = 960, 540                # of what a screen shows
GLYPH_W, GLYPH_H = 8, 14

# By kind: whether it is a screen's, the coder, the parser.
KINDS = {
    "x264, default": (False, X264 + " bframes=3 b-pyramid=true ref=3 b-adapt=1",
                      "h264parse"),
    "x264, zerolatency": (False, X264 + " tune=zerolatency"
                          " speed-preset=veryfast", "h264parse"),
    "x264, as OBS": (False, X264 + " speed-preset=veryfast bframes=2"
                     " b-pyramid=true vbv-buf-capacity=1000"
                     " option-string=nal-hrd=cbr", "h264parse"),
    "x264, as broadcast": (False, "x264enc bitrate=1500 key-int-max=%d"
                           " bframes=7 b-pyramid=true ref=4"
                           " option-string=open-gop=1:b-adapt=0" % FPS,
                           "h264parse"),
    "x265, default": (False, "x265enc bitrate=1500 " + GROUP, "h265parse"),
    "screen, zerolatency": (True, X264 + " tune=zerolatency"
                            " speed-preset=veryfast", "h264parse"),
    "screen, default": (True, X264 + " bframes=3 b-pyramid=true ref=3",
                        "h264parse"),
}


class Page:
    """Lines of writing in a window. Letters are added, five a second; each 4 s
    it scrolls by three lines; in between the window is moved once."""

    def __init__(self):
        chance = random.Random(1)
        self.glyphs = [np.where(np.array(
            [[chance.random() < .4 for _ in range(GLYPH_W - 2)]
             for _ in range(GLYPH_H - 5)]), 30, 235).astype(np.uint8)
            for _ in range(40)]
        columns, lines = 90, 70
        self.page = np.full((lines * GLYPH_H, columns * GLYPH_W), 235, np.uint8)
        for line in range(lines - 25):
            for column in range(chance.randrange(20, columns)):
                if chance.random() < .85:
                    self._write(line, column, chance.randrange(40))
        self.letters = [chance.randrange(40) for _ in range(1000)]

    def _write(self, line, column, glyph):
        y, x = line * GLYPH_H + 2, column * GLYPH_W
        self.page[y:y + GLYPH_H - 5, x:x + GLYPH_W - 2] = self.glyphs[glyph]

    def picture(self, n):
        """The n-th one, I420; they are asked for in order."""
        if n % (FPS // 5) == 0:
            letter = n // (FPS // 5)
            self._write(10 + letter // 80 + 3 * (n // (4 * FPS)), letter % 80,
                        self.letters[letter])
        scrolls, into = divmod(n, 4 * FPS)
        rows = 3 * GLYPH_H * (scrolls + min(1, max(0, into - 3 * FPS) / 10))
        moved = min(60, max(0, n - 6 * FPS)) * 2
        screen = np.full((HEIGHT, WIDTH), 90, np.uint8)
        y, x = 30, 40 + moved
        part = self.page[int(rows):int(rows) + HEIGHT - 60]
        screen[y:y + part.shape[0], x:x + part.shape[1]] = part
        return screen.tobytes() + b"\x80" * (WIDTH * HEIGHT // 2)


def _finish(pipeline, what):
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        raise RuntimeError("%s: %s" % (what, message.parse_error()))


def make(folder, kind):
    """The stream's file (MP4); what is there is not made again."""
    is_screen, coder, parser = KINDS[kind]
    path = os.path.join(folder, "".join(
        c if c.isalnum() else "-" for c in kind) + ".mp4")
    if os.path.exists(path):
        return path
    source = FILMED if not is_screen else (
        "appsrc name=in format=time block=true caps=video/x-raw,format=I420,"
        "width=%d,height=%d,framerate=%d/1" % (WIDTH, HEIGHT, FPS))
    pipeline = Gst.parse_launch("%s ! %s ! %s ! qtmux ! filesink location=%s"
                                % (source, coder, parser, path + ".new"))
    pipeline.set_state(Gst.State.PLAYING)
    if is_screen:
        page, put = Page(), pipeline.get_by_name("in")
        for n in range(SECONDS * FPS):
            buffer = Gst.Buffer.new_wrapped(page.picture(n))
            buffer.pts = n * Gst.SECOND // FPS
            buffer.duration = Gst.SECOND // FPS
            put.emit("push-buffer", buffer)
        put.emit("end-of-stream")
    _finish(pipeline, kind)
    os.rename(path + ".new", path)
    return path
