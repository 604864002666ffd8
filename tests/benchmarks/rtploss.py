#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What a viewer sees of MPEG video whose RTP packets are lost at random:
rtpmpegvideopay and rtpmpegvideodepay against rtpmpvpay and rtpmpvdepay, the
same coded pictures with the same time stamps, decoded by the same decoder.

    tests/benchmarks/rtploss.py [CLIP…] [--loss 1,3,10] [--seeds 10]
        [--decoder avdec_mpeg2video] [--pairs stock,ours]

Each packet is lost with the same probability, those of the first frame
excepted: with its only sequence header lost, a stream shows nothing. A picture
that does not come repeats the one before. PSNR of luminance against the
undamaged decode: of the mean squared error over all pictures, and the mean
over pictures, of which an undamaged one counts as 60 dB. ± is the standard
deviation over the seeds. Without CLIP: p04, p01 and x04 of MPEG_MEDIA_DIR, or
the committed clip."""

import argparse
import glob
import math
import os
import random
import statistics
import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
import numpy as np  # noqa: E402

from pspbench.mpegvideo import read_pictures

CLIP = os.path.join(os.path.dirname(__file__), "..", "files",
                    "walk-720x480p30-4M.m2v")
MEDIA = ["p04_*", "p01_*", "x04_*"]
MTU = 1200
PERFECT_DB = 60.0
# Payloader, what follows the appsrc with its packets.
PAIRS = {
    "stock": ("rtpmpvpay", "rtpmpvdepay ! mpegvideoparse"),
    "ours": ("rtpmpegvideopay", "rtpmpegvideodepay ! mpegvideoparse"),
    "unparsed": ("rtpmpegvideopay", "rtpmpegvideodepay"),
    "no-extension": ("rtpmpegvideopay extension-header=false",
                     "rtpmpegvideodepay ! mpegvideoparse"),
    "our-depay": ("rtpmpvpay", "rtpmpegvideodepay ! mpegvideoparse"),
    "our-pay": ("rtpmpegvideopay", "rtpmpvdepay ! mpegvideoparse"),
}


class Clip:
    def __init__(self, path):
        self.name = os.path.basename(path).split("_")[0]
        self.pictures, self.rate, n_fields = read_pictures(path)
        if n_fields != 2 * len(self.pictures):
            sys.exit(path + ": only clips without repeated fields")
        self.version = 2 if b"\0\0\1\xb5" in self.pictures[0].data else 1

    def time(self, n):
        return n * Gst.SECOND * self.rate[1] // self.rate[0]

    def buffers(self):
        for picture in self.pictures:
            buffer = Gst.Buffer.new_wrapped(picture.data)
            buffer.pts = self.time(picture.display)
            buffer.duration = self.time(1)
            yield buffer


def run(description, caps, buffers):
    """Pushes all of them, returns the samples that come out."""
    pipeline = Gst.parse_launch(
        "appsrc name=in format=time is-live=false block=true ! %s ! "
        "appsink name=out sync=false async=false" % description)
    source, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    source.set_property("caps", Gst.Caps.from_string(caps))
    source.set_property("max-bytes", 0)
    pipeline.set_state(Gst.State.PLAYING)
    for buffer in buffers:
        source.emit("push-buffer", buffer)
    source.emit("end-of-stream")
    samples = []
    while True:
        sample = sink.emit("pull-sample")
        if sample is None:
            break
        samples.append(sample)
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    if message:
        sys.exit("%s: %s" % (description, message.parse_error()))
    pipeline.set_state(Gst.State.NULL)
    return samples


def payload(clip, payloader):
    samples = run("%s mtu=%d seqnum-offset=0 timestamp-offset=0"
                  % (payloader, MTU),
                  "video/mpeg,mpegversion=%d,systemstream=false,parsed=true"
                  % clip.version if payloader != "rtpmpvpay" else
                  "video/mpeg,mpegversion=2,systemstream=false",
                  clip.buffers())
    packets = []
    for sample in samples:
        buffers = sample.get_buffer_list()
        packets += [buffers.get(i) for i in range(buffers.length())] \
            if buffers else [sample.get_buffer()]
    return packets


def decode(clip, depayloader, decoder, packets):
    """Luminance planes by place in the order of display."""
    samples = run(
        "%s ! %s ! videoconvert ! video/x-raw,format=I420"
        % (depayloader, decoder),
        "application/x-rtp,media=video,clock-rate=90000,encoding-name=MPV,"
        "payload=32", packets)
    shown = {}
    for sample in samples:
        s = sample.get_caps().get_structure(0)
        width, height = s.get_value("width"), s.get_value("height")
        buffer = sample.get_buffer()
        n = round(buffer.pts * clip.rate[0] / (clip.rate[1] * Gst.SECOND))
        plane = np.frombuffer(buffer.extract_dup(0, buffer.get_size()),
                              np.uint8)
        stride = (width + 3) // 4 * 4
        shown[n] = plane[:stride * height]
    return shown


def score(reference, shown):
    """(dB of the mean squared error, mean dB, pictures missing)."""
    errors, now = [], None
    for n in sorted(reference):
        now = shown.get(n, now)
        if now is None or now.size != reference[n].size:
            difference = reference[n].astype(np.int16) - 16
        else:
            difference = reference[n].astype(np.int16) - now
        errors.append(float(np.mean(np.square(difference, dtype=np.int32))))

    def db(mse):
        return min(PERFECT_DB, 10 * math.log10(255 * 255 / mse)) if mse \
            else PERFECT_DB
    return db(statistics.mean(errors)), statistics.mean(map(db, errors)), \
        len(set(reference) - set(shown))


def first_frame(packets):
    """How many packets the first frame has."""
    for n, packet in enumerate(packets):
        if packet.extract_dup(1, 1)[0] & 0x80:
            return n + 1
    return 0


def lose(packets, share, seed):
    random_numbers = random.Random(seed)
    spared = first_frame(packets)
    return [p for n, p in enumerate(packets)
            if random_numbers.random() >= share or n < spared]


def mean_spread(values):
    return "%6.2f ±%5.2f" % (statistics.mean(values), statistics.stdev(values)
                             if len(values) > 1 else 0)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("clips", nargs="*")
    parser.add_argument("--loss", default="1,3,10")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--decoder", default="avdec_mpeg2video max-threads=1")
    parser.add_argument("--pairs", default="stock,ours")
    args = parser.parse_args()
    Gst.init(None)
    media = os.environ.get("MPEG_MEDIA_DIR")
    paths = args.clips or \
        [p for m in MEDIA for p in glob.glob(os.path.join(media, m))] \
        if args.clips or media else [CLIP]
    pairs = args.pairs.split(",")
    print("%-6s %5s %-10s %8s %15s %15s %8s" % (
        "clip", "loss", "pair", "packets", "PSNR of mean", "mean PSNR",
        "missing"))
    for path in paths:
        clip = Clip(path)
        packets = {p: payload(clip, PAIRS[p][0]) for p in pairs}
        whole = {p: decode(clip, PAIRS[p][1], args.decoder, packets[p])
                 for p in pairs}
        reference = whole[pairs[0]]
        for p in pairs:
            if score(reference, whole[p])[2] or \
                    score(reference, whole[p])[0] < PERFECT_DB:
                print("%s: without loss %s differs" % (clip.name, p))
        for share in args.loss.split(","):
            for p in pairs:
                results = [score(reference, decode(
                    clip, PAIRS[p][1], args.decoder,
                    lose(packets[p], float(share) / 100, seed)))
                    for seed in range(args.seeds)]
                print("%-6s %4s%% %-10s %8d %15s %15s %8.1f" % (
                    clip.name, share, p, len(packets[p]),
                    mean_spread([r[0] for r in results]),
                    mean_spread([r[1] for r in results]),
                    statistics.mean(r[2] for r in results)), flush=True)


if __name__ == "__main__":
    main()
