# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Streams of TM5's own encoder: `mpeg2encode` of the MPEG Software Simulation
Group, if it is in the path."""

import os
import shutil
import subprocess
import tempfile

PROGRAM = "mpeg2encode"

# What the parameter file says line by line, if a recipe does not say otherwise.
# Three numbers are for I, P and B.
PARAMETERS = {
    "title": "", "source": "source.yuv", "reconstructed": "-",
    "intra matrix": "-", "other matrix": "-", "statistics": "statistics",
    "format": 3,                # one file, planar
    "frames": 0, "first": 0, "timecode": "00:00:00:00",
    "n": 12, "m": 3, "mpeg1": 0, "fields": 0, "width": 0, "height": 0,
    "aspect": 2, "rate code": 3, "rate": 0, "vbv": 112, "low delay": 0,
    "constrained": 0, "profile": 4, "level": 8, "progressive sequence": 0,
    "chroma": 1, "video format": 1, "primaries": 5, "transfer": 5,
    "matrix": 5, "shown width": 0, "shown height": 0, "dc precision": 0,
    "top first": 1, "frame only": "0 0 0", "concealment": "0 0 0",
    "scale type": "0 0 0", "intra vlc": "0 0 0", "alternate": "0 0 0",
    "repeat first": 0, "progressive": 0, "refresh": 0,
    "reaction": 0, "activity": 0, "xi": 0, "xp": 0, "xb": 0, "d0i": 0,
    "d0p": 0, "d0b": 0}
SEARCH = "2 2 15 7\n"           # f_codes and samples, for each kind of vector

PROGRESSIVE = {"progressive sequence": 1, "progressive": 1,
               "frame only": "1 1 1"}
INTERLACED = {"scale type": "1 1 1", "intra vlc": "1 1 1"}


def recipes(clip, interlaced, walk, bbb):
    """By name: what FFmpeg reads, width and height, frames, and parameters."""
    sd = clip(walk, 6, interlaced("720:576"))
    cif = clip(walk, 6, "scale=352:288")
    return {
        "tm5-alternate": (sd, 720, 576, 150, {
            **INTERLACED, "rate": 6e6, "alternate": "1 1 1"}),
        "tm5-fields": (sd, 720, 576, 150, {
            **INTERLACED, "rate": 5e6, "fields": 1}),
        "tm5-ippp-fields": (sd, 720, 576, 150, {
            **INTERLACED, "rate": 4e6, "fields": 1, "m": 1, "n": 15}),
        "tm5-mixed": (cif, 352, 288, 150, {
            "rate": 1.5e6, "n": 6, "m": 2, "dc precision": 1,
            "frame only": "1 0 0", "scale type": "0 1 1",
            "intra vlc": "1 1 0", "alternate": "1 0 1"}),
        "tm5-progressive": (cif, 352, 288, 150, {
            **PROGRESSIVE, "rate": 2e6, "n": 15, "dc precision": 2,
            "intra vlc": "1 1 1"}),
        "tm5-m1": (clip(bbb, 6, "scale=352:240"), 352, 240, 150, {
            **PROGRESSIVE, "rate": 1.15e6, "mpeg1": 1, "vbv": 20}),
    }


def is_here():
    return shutil.which(PROGRAM) is not None


def make(recipe, out):
    options, width, height, frames, changes = recipe
    values = dict(PARAMETERS, frames=frames, width=width, height=height, **{
        "shown width": width, "shown height": height}, **changes)
    search = SEARCH * (1 + 2 * (values["m"] - 1))
    with tempfile.TemporaryDirectory(prefix="psp-tm5-") as work:
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *options,
                        "-frames:v", str(frames), "-pix_fmt", "yuv420p",
                        "-f", "rawvideo", os.path.join(work, "source.yuv")],
                       check=True)
        with open(os.path.join(work, "par"), "w") as f:
            f.write("\n".join(map(str, values.values())) + "\n" + search)
        subprocess.run([PROGRAM, "par", os.path.abspath(out)], cwd=work,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=True)
