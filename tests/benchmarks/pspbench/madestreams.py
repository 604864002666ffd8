# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""MPEG-1/2 streams of kinds that the test files lack, made by FFmpeg,
mpeg2enc and TM5's encoder: constant rate with stuffing, intra only, long and
irregular groups, joins, rates that jump, still and grainy pictures, fields."""

import os
import shutil
import subprocess

from . import tm5streams

FILES = os.path.join(os.path.dirname(__file__), "..", "..", "files")
WALK = "walk-720x480p30-4M.m2v"
BBB = "bbb-352x288p25-1100k.m1v"
SINTEL = "sintel-720x480-pulldown-4M.m2v"


def clip(name, seconds, filters, rate=25):
    """FFmpeg's options for that much of a test file, over and over."""
    return ["-stream_loop", "-1", "-i", os.path.join(FILES, name), "-t",
            str(seconds), "-vf", "setpts=N/%s/TB,%s" % (rate, filters),
            "-r", str(rate)]


def drawn(source, seconds, rate=25):
    return ["-f", "lavfi", "-t", str(seconds), "-i", source, "-r", str(rate)]


def m2v(*options):
    return ["-c:v", "mpeg2video", *options, "-f", "mpeg2video"]


def m1v(*options):
    return ["-c:v", "mpeg1video", *options, "-f", "mpeg1video"]


def constant(rate, size):
    return ["-b:v", rate, "-minrate", rate, "-maxrate", rate, "-bufsize", size]


def interlaced(size):
    return "scale=%s,fps=50,tinterlace=interleave_top,setfield=tff" % size


INTERLACED = ["-flags", "+ildct+ilme", "-top", "1"]
CIF = "scale=352:288"

# By name: what FFmpeg reads and writes; or the parts that are joined.
RECIPES = {
    "cbr-fade": clip(WALK, 8, "fade=t=out:st=3:d=1") + m2v(
        *constant("6M", "1835k"), "-g", "12", "-bf", "2"),
    "cbr-still": drawn("smptebars=s=352x288:r=25", 8) + m2v(
        *constant("4M", "1835k"), "-g", "12", "-bf", "2"),
    "cbr-m1-still": drawn("smptebars=s=352x240:r=25", 6) + m1v(
        *constant("1150k", "320k"), "-g", "15", "-bf", "2"),
    "1080i": clip(WALK, 3, interlaced("1920:1080")) + m2v(
        "-b:v", "15M", "-maxrate", "15M", "-bufsize", "9M", "-g", "12", "-bf",
        "2", *INTERLACED),
    "sd-interlaced-6M": clip(WALK, 8, interlaced("720:576")) + m2v(
        "-b:v", "6M", "-maxrate", "6M", "-bufsize", "1835k", "-g", "12", "-bf",
        "2", "-alternate_scan", "1", "-intra_vlc", "1", "-non_linear_quant",
        "1", "-qmax", "28", *INTERLACED),
    "ippp-g250": clip(WALK, 44, CIF) + m2v("-b:v", "1M", "-g", "250", "-bf",
                                           "0", "-sc_threshold", "1000000000"),
    "intra": clip(WALK, 6, CIF) + m2v("-b:v", "5M", "-g", "1", "-bf", "0"),
    "intra-422": clip(WALK, 4, "format=yuv422p") + m2v(
        "-b:v", "30M", "-g", "1", "-bf", "0", "-intra_vlc", "1"),
    "bf4-g24": clip(WALK, 12, CIF) + m2v("-b:v", "1500k", "-g", "24", "-bf",
                                         "4"),
    "bf4-g30-still": drawn("testsrc2=s=352x288:r=25", 12) + m2v(
        "-b:v", "354k", "-g", "30", "-bf", "4"),
    "ipb25-screen": drawn("testsrc=s=352x288:r=25", 10) + m1v(
        "-b:v", "600k", "-g", "25", "-bf", "1"),
    "grain-m1": clip(WALK, 10, "scale=352:240,noise=alls=12:allf=t") + m1v(
        "-b:v", "480k", "-g", "12", "-bf", "2"),
    "grain": clip(BBB, 10, "noise=alls=20:allf=t") + m2v(
        "-q:v", "4", "-g", "15", "-bf", "2"),
    "dark": clip(SINTEL, 8, CIF + ",eq=brightness=-.35") + m2v(
        "-b:v", "800k", "-g", "12", "-bf", "2"),
    "quiet-part": drawn("testsrc2=s=352x288:r=25,tblend=all_mode=average", 4)
    + m2v("-q:v", "4", "-g", "12", "-bf", "2"),
    "busy-part": clip(WALK, 4, CIF) + m2v("-q:v", "4", "-g", "12", "-bf", "2"),
    "ippp-part": clip(WALK, 6, CIF) + m2v("-b:v", "1M", "-g", "12", "-bf",
                                          "0"),
    "ibbp-part": clip(BBB, 6, CIF) + m2v("-b:v", "1M", "-g", "15", "-bf", "2"),
    "sd-part": clip(SINTEL, 5, "scale=720:480") + m2v(
        "-b:v", "3M", "-g", "15", "-bf", "2"),
}

JOINS = {
    "jumps": ["quiet-part", "busy-part"] * 3,
    "ippp-ibbp": ["ippp-part", "ibbp-part"],
    "two-sizes": ["ibbp-part", "sd-part"],
}

# mpeg2enc's, from what FFmpeg decodes.
MPEG2ENC = {
    "m2e-sif": (clip(BBB, 8, "scale=352:240"),
                ["-f", "0", "-b", "1150", "-g", "9", "-G", "15", "-R", "2"]),
    "m2e-svcd": (clip(WALK, 6, "scale=480:576"),
                 ["-f", "3", "-b", "2500", "-q", "6", "-g", "6", "-G", "18",
                  "-R", "2", "-I", "0"]),
}

TM5 = tm5streams.recipes(clip, interlaced, WALK, BBB)

SHORT = ["bf4-g24", "dark", "intra", "jumps"]


def _ffmpeg(options, out):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "1",
                    *options[:-2], "-an", "-threads", "1", "-fflags",
                    "+bitexact", *options[-2:], out], check=True)


def _mpeg2enc(recipe, out):
    options, coding = recipe
    decoder = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-nostdin", "-threads", "1", *options,
         "-pix_fmt", "yuv420p", "-strict", "-1", "-f", "yuv4mpegpipe", "-"],
        stdout=subprocess.PIPE)
    subprocess.run(["mpeg2enc", "-v", "0", "-M", "0", *coding, "-o", out],
                   stdin=decoder.stdout, check=True)
    decoder.stdout.close()
    if decoder.wait():
        raise RuntimeError("FFmpeg failed")


def _make(name, folder):
    path = os.path.join(folder, name + ".mpv")
    if os.path.exists(path):
        return path
    if name in JOINS:
        with open(path + ".new", "wb") as out:
            for part in JOINS[name]:
                with open(_make(part, folder), "rb") as f:
                    out.write(f.read())
    elif name in MPEG2ENC:
        _mpeg2enc(MPEG2ENC[name], path + ".new")
    elif name in TM5:
        tm5streams.make(TM5[name], path + ".new")
    else:
        _ffmpeg(RECIPES[name], path + ".new")
    os.rename(path + ".new", path)
    return path


def names():
    found = [n for n in RECIPES if not n.endswith("-part")] + list(JOINS)
    found += list(MPEG2ENC) if shutil.which("mpeg2enc") else []
    return found + (list(TM5) if tm5streams.is_here() else [])


def make(folder, wanted=None):
    """[(name, path)] of all, or those wanted; what is there is not made
    again."""
    os.makedirs(folder, exist_ok=True)
    return [(n, _make(n, folder)) for n in wanted or names()]
