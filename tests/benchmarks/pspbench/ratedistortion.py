# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""How close a recoded stream comes to the decoded source, at exactly the rate
asked for: several runs around it, interpolated on the logarithm of the
rate."""

import hashlib
import json
import math
import os
import subprocess

from .codedstream import coded, count_frames, group_errors, wait

COMPARE = ("[0:v]settb=1/25,setpts=N,split[a][b];"
           "[1:v]settb=1/25,setpts=N,split[c][d];"
           "[a][c]psnr=stats_file=%s:shortest=1[e];"
           "[b][d]ssim=stats_file=%s:shortest=1[f]")


def field(path, name):
    """A column of what FFmpeg's filters write a frame."""
    with open(path) as f:
        return [float(word.split(":")[1]) for line in f
                for word in line.split() if word.startswith(name + ":")]


def compare(source, path):
    """PSNR of luma (of the mean square error) and its SSIM (mean), by FFmpeg,
    frame by frame."""
    psnr, ssim = path + ".psnr", path + ".ssim"
    subprocess.run(["ffmpeg", "-v", "fatal", "-nostdin", "-i", path, "-i",
                    source.path, "-lavfi", COMPARE % (psnr, ssim),
                    "-map", "[e]", "-map", "[f]", "-vsync", "0",
                    "-f", "null", "-"],
                   check=True)
    errors, ssims = field(psnr, "mse_y"), field(ssim, "Y")
    os.remove(psnr)
    os.remove(ssim)
    with open(path, "rb") as f:
        frames = count_frames(f.read())
    if not source.frames == len(errors) == frames:
        raise RuntimeError("%s: of %d frames %d were coded, %d compared" % (
            path, source.frames, frames, len(errors)))
    mse = sum(errors) / len(errors)
    return (10 * math.log10(255 * 255 / mse) if mse else 100.0,
            sum(ssims) / len(ssims))


class Points:
    """Results of runs; they and the streams stay in the work directory."""

    def __init__(self, work):
        self.work, self.file = work, os.path.join(work, "points.json")
        self.kept = {}
        if os.path.exists(self.file):
            with open(self.file) as f:
                self.kept = json.load(f)

    def get(self, source, coder, rate, share):
        """rate, psnr and ssim of what the coder makes of the rate asked for,
        and its path."""
        command = coder.key if coder.stdin else \
            coder.stages(source, "in", "out", rate, share)
        key = hashlib.sha256(json.dumps(
            [source.digest, coder.identity, round(rate), command]
        ).encode()).hexdigest()[:20]
        path = os.path.join(self.work, key)
        if key not in self.kept or not os.path.exists(path):
            coder.run(source, source.path, path, rate, share)
            size = os.path.getsize(path)
            psnr, ssim = compare(source, path)
            self.kept[key] = {"rate": 8 * size / source.seconds, "psnr": psnr,
                              "ssim": ssim}
            with open(self.file + ".new", "w") as f:
                json.dump(self.kept, f, indent=1)
            os.replace(self.file + ".new", self.file)
        return dict(self.kept[key], path=path)


def read_coded(path):
    with open(path, "rb") as f:
        return coded(f.read())


def interpolate(points, rate):
    """psnr and ssim at the rate; of the nearest point where none is beyond."""
    below = max((p for p in points if p["rate"] <= rate),
                key=lambda p: p["rate"], default=None)
    above = min((p for p in points if p["rate"] >= rate),
                key=lambda p: p["rate"], default=None)
    low, high = below or above, above or below
    at = 0 if low["rate"] == high["rate"] else \
        math.log(rate / low["rate"]) / math.log(high["rate"] / low["rate"])
    return {name: low[name] + at * (high[name] - low[name])
            for name in ("psnr", "ssim")}, bool(below and above)


def at_share(source, coder, share, points, runs=5):
    """Quality at exactly this share of the source's rate, and what the first
    run, which was told this rate, made of it."""
    target = share * source.rate
    request, found = target, []
    for _ in range(runs):
        found.append(points.get(source, coder, request, share))
        rates = [p["rate"] for p in found]
        if min(rates) <= target <= max(rates):
            break
        # A little beyond, on the other side.
        away = .98 if min(rates) > target else 1.02
        request *= (target / rates[-1]) * away ** len(found)
        request = min(max(request, .4 * target), 2 * target)
    quality, reached = interpolate(found, target)
    pictures = read_coded(found[0]["path"])
    return dict(quality, reached=reached, asked=found[0]["rate"] / target - 1,
                errors=group_errors(pictures, source.pictures, target),
                wait=wait(pictures, target))
