#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Records the packets that encoders make of live pictures: when, how large, of
which frame, whether that is a key frame. No content.

    meson devenv -C BUILD -w "$PWD" tests/sources/record.py [ENCODER…]
        [--out tests/sources/traces]

Time is virtual: the pictures come at their rate by count, and a packet's time
is that of the newest picture which the encoder had when it came. So a trace
has the frames that an encoder holds back, but not what the machine took, and
two machines with the same encoders record the same.

Each encoder works at five fixed targets, and through four steps of its target,
each told by a congestion event that encoderbitrate or mpegscaler obeys; that six
times, begun at other frames, of which five tell only what a frame is in all, as
one packet. It does so over two sets of pictures: `train`, and `held`, other
parts of the same clips and patterns or another seed. Where MPEG_MEDIA_DIR is
set, `other` is a set of other clips.

A trace is a text, compressed by xz. A line `# SET steps 2000000@0 …` begins a
run: the target and the frame from which on it holds. Then comes a line a
picture: what left the payloader meanwhile, frames apart by `/`, each a `k` if
it is a key frame and the sizes of its packets from the RTP header on, `1200*3`
three of them. A line is empty where nothing left."""

import argparse
import itertools
import lzma
import os
import tempfile

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

import pictures  # noqa: E402

TARGETS = [300_000, 600_000, 1_200_000, 2_000_000, 4_000_000]
BETWEEN = [850_000, 2_830_000]      # in held sets: what scaling makes of others
STEPS = [2_000_000, 600_000, 2_000_000, 1_200_000, 2_000_000]   # four
HOLD = 203              # frames: no multiple of a distance of key frames
SHIFTS = [n * HOLD // 6 for n in range(6)]
FRAMES = len(STEPS) * HOLD
FPS = 30
MTU = 1200
HEADER = 12

H264 = "rtph264pay name=pay mtu=%d" % MTU
X264_LIVE = ("x264enc name=coder tune=zerolatency speed-preset=ultrafast "
             "threads=4 key-int-max=60 vbv-buf-capacity=200 bitrate={kbit}")
VPX = ("%s name=coder deadline=1 cpu-used=-8 threads=1 end-usage=cbr "
       "buffer-initial-size=100 buffer-optimal-size=120 buffer-size=150 "
       "max-intra-bitrate=250 keyframe-max-dist=60 target-bitrate={bit}")
SCALER = "mpegscaler name=coder mode=%s"
MPEG = "rtpmpegvideopay name=pay mtu=%d" % MTU
# Pictures, encoder, payloader.
ENCODERS = {
    "x264-zerolatency": ("motion", X264_LIVE, H264),
    "x264-default": ("motion", "x264enc name=coder threads=2 bitrate={kbit}",
                     H264),
    "openh264": ("motion", "openh264enc name=coder rate-control=bitrate "
                 "multi-thread=1 gop-size=60 bitrate={bit}", H264),
    "vp8": ("motion", VPX % "vp8enc", "rtpvp8pay name=pay mtu=%d" % MTU),
    "vp9": ("motion", VPX % "vp9enc", "rtpvp9pay name=pay mtu=%d" % MTU),
    "screen": ("desktop", X264_LIVE, H264),
    "mpegscaler-drop": ("mpeg", SCALER % "drop", MPEG),
    "mpegscaler-requantize": ("mpeg", SCALER % "requantize", MPEG),
    "mpegscaler-auto": ("mpeg", SCALER % "auto", MPEG),
}


def source(kind, path):
    if kind == "mpeg":
        return "filesrc location=%s ! mpegvideoparse" % path
    return ("filesrc location=%s ! rawvideoparse format=i420 width=%d "
            "height=%d framerate=%d/1" % (
                path, *(pictures.DESKTOP if kind == "desktop" else
                        pictures.MOTION), FPS))


def event(target):
    structure, _ = Gst.Structure.from_string(
        "GstCongestion, reason=(string)increase, target-bitrate=(guint64)%d, "
        "scale=(int)-1" % target)
    return Gst.Event.new_custom(Gst.EventType.CUSTOM_UPSTREAM, structure)


class Run:
    """One pass through the pictures. steps: (target, frame from which on)."""

    def __init__(self, name, path, steps):
        kind, coder, payloader = ENCODERS[name]
        # The launch line has an encoder's first target; a scaler hears of it.
        self.steps = list(steps if kind == "mpeg" else steps[1:])
        self.slots, self.key, self.frame = [], False, None
        target = steps[0][0]
        follower = ("" if kind == "mpeg" else
                    "! encoderbitrate correct-bitrate=false ")
        self.pipeline = Gst.parse_launch(
            "%s ! %s %s! %s ! fakesink sync=false async=false" % (
                source(kind, path),
                coder.format(bit=target, kbit=target // 1000), follower,
                payloader))
        self.coder = self.pipeline.get_by_name("coder")
        self.out = self.pipeline.get_by_name("pay").get_static_pad("src")
        both = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST
        self.coder.get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, self.on_picture)
        self.coder.get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER, self.on_coded)
        self.out.add_probe(both, self.on_packets)

    def on_picture(self, pad, info):
        while self.steps and self.steps[0][1] <= len(self.slots):
            self.out.send_event(event(self.steps.pop(0)[0]))
        self.slots.append([])
        return Gst.PadProbeReturn.OK

    def on_coded(self, pad, info):
        self.key = not info.get_buffer().has_flags(Gst.BufferFlags.DELTA_UNIT)
        return Gst.PadProbeReturn.OK

    def on_packets(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER_LIST:
            packets = info.get_buffer_list()
            packets = [packets.get(n) for n in range(packets.length())]
        else:
            packets = [info.get_buffer()]
        for packet in packets:
            if self.frame is None or packet.pts != self.frame:
                self.frame = packet.pts
                self.slots[-1].append((self.key, []))
            self.slots[-1][-1][1].append(packet.get_size())
        return Gst.PadProbeReturn.OK

    def play(self):
        """What comes once the pictures have ended, no live source has."""
        self.pipeline.set_state(Gst.State.PLAYING)
        bus, message = self.pipeline.get_bus(), None
        while message is None and len(self.slots) <= FRAMES:
            message = bus.timed_pop_filtered(
                Gst.SECOND // 10, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.pipeline.set_state(Gst.State.NULL)
        if message and message.type == Gst.MessageType.ERROR:
            raise SystemExit("%s: %s" % (self.coder.name,
                                         message.parse_error()))
        return self.slots[:FRAMES]


def line(slot):
    return "/".join(("k " if key else "") + " ".join(
        str(size) + ("*%d" % n if n > 1 else "")
        for size, n in ((size, len(list(same)))
                        for size, same in itertools.groupby(packets)))
        for key, packets in slot)


def sums(slot):
    """The payload of each frame as if it were one packet."""
    return [(key, [sum(packets) - HEADER * (len(packets) - 1)])
            for key, packets in slot]


def stepped(shift):
    return [(target, n * HOLD + (shift if n else 0))
            for n, target in enumerate(STEPS)]


def runs(which):
    """(steps, whether each packet is told)"""
    targets = TARGETS + (BETWEEN if which == "held" else [])
    return [([(target, 0)], True) for target in targets] + \
        [(stepped(shift), shift == 0) for shift in SHIFTS]


class Material:
    """The pictures of a set, made when they are first asked for."""

    def __init__(self, directory, which):
        self.directory, self.which = directory, which

    def path(self, kind):
        path = os.path.join(self.directory, "%s-%s" % (self.which, kind))
        if not os.path.exists(path):
            self.make(kind, path + ".part")
            os.rename(path + ".part", path)
        return path

    def make(self, kind, path):
        if kind == "mpeg":
            pictures.mpeg2(self.path("motion"), path)
        elif kind == "desktop":
            seed = ["train", "held", "other"].index(self.which) + 1
            pictures.desktop(path, seed, FRAMES)
        else:
            if self.which == "other":
                pictures.other_motion(path, os.environ["MPEG_MEDIA_DIR"])
            else:
                pictures.motion(path, self.which == "held")
            repeat(path, FRAMES * pictures.frame_bytes(pictures.MOTION))


def repeat(path, size):
    with open(path, "rb") as f:
        once = f.read()
    with open(path, "ab") as f:
        for _ in range(size // len(once)):
            f.write(once)


def record(name, out, materials):
    kind = ENCODERS[name][0]
    path = os.path.join(out, name + ".xz")
    with lzma.open(path, "wt", preset=9 | lzma.PRESET_EXTREME) as f:
        for material in materials:
            for steps, whole in runs(material.which):
                slots = Run(name, material.path(kind), steps).play()
                f.write("# %s steps %s\n" % (material.which, " ".join(
                    "%d@%d" % step for step in steps)))
                f.writelines(line(slot if whole else sums(slot)) + "\n"
                             for slot in slots)
                octets = sum(sum(p) for slot in slots for _, p in slot)
                print("%s, %s, %s: %.0f kb/s" % (
                    name, material.which, steps[0][0] if len(steps) == 1 else
                    "steps", octets * 8e-3 * FPS / FRAMES), flush=True)
    print("%s: %d bytes" % (path, os.path.getsize(path)), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("encoders", nargs="*")
    parser.add_argument("--out", default=os.path.join(
        os.path.dirname(__file__), "traces"))
    parser.add_argument("--pictures", metavar="DIRECTORY", help="keep the "
                        "pictures there, 4 GB, for the next time")
    args = parser.parse_args()
    Gst.init(None)
    os.makedirs(args.out, exist_ok=True)
    sets = ["train", "held"] + ["other"] * ("MPEG_MEDIA_DIR" in os.environ)
    with tempfile.TemporaryDirectory(prefix="psp-pictures-") as work:
        materials = [Material(args.pictures or work, which) for which in sets]
        for name in args.encoders or ENCODERS:
            record(name, args.out, materials)


if __name__ == "__main__":
    main()
