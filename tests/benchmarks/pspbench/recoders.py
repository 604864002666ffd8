# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Streams to be recoded to less rate, and what does so: mpegscaler's core,
and its peers as their users run them."""

import glob
import hashlib
import os
import shutil
import statistics
import subprocess
import tempfile

from .codedstream import (coded, coding_extension, count_frames, frame_rate,
                          is_field, kind, without_leading)
from .mpegvideo import cut

COMMITTED = os.path.join(os.path.dirname(__file__), "..", "..", "files")

# Where only the committed files are at hand, those.
STREAMS = {"p01": None, "p02": None, "p03": "bbb-352x288p25-1100k.m1v",
           "p10": None, "p04": "walk-720x480p30-4M.m2v", "p05": None,
           "p06": None, "p13": "sintel-720x480-pulldown-4M.m2v", "t01": None,
           "t02": None}


class Source:
    def __init__(self, name, path, work):
        with open(path, "rb") as f:
            data = f.read()
        spans = cut(data)
        pictures = 2 if is_field(spans[0]) else 1       # of a frame
        intra = sorted({n // pictures for n, span in enumerate(spans)
                        if kind(span) == "I"})
        self.gop = statistics.mode(b - a for a, b in zip(intra, intra[1:]))
        runs = "".join(map(kind, spans)).replace("I", "P").split("P")
        self.n_b = max(map(len, runs)) // pictures
        data = without_leading(data)
        self.name, self.path = name, os.path.join(work, name + ".source")
        with open(self.path, "wb") as f:
            f.write(data)
        self.digest = hashlib.sha256(data).hexdigest()
        self._measure(data, coding_extension(spans[0]))

    def _measure(self, data, coding):
        self.pictures = coded(data)
        self.frames = count_frames(data)
        self.seconds = sum(p.seconds for p in self.pictures)
        self.rate = 8 * len(data) / self.seconds
        # Of coded pictures: what pulldown repeats does not count.
        self.fps = frame_rate(data) * 2 * self.frames / \
            sum(p.n_fields for p in self.pictures)
        at = data.find(b"\0\0\1\xb3")
        self.width = data[at + 4] << 4 | data[at + 5] >> 4
        self.set = "SD" if self.width > 400 else "CIF"
        self.mpeg2 = coding is not None
        self.interlaced = self.mpeg2 and not coding[4] >> 7
        # Of fields the first one counts.
        self.top_first = self.mpeg2 and (
            coding[3] >> 7 if coding[2] & 3 == 3 else coding[2] & 3 == 1)

    def looped(self, frames):
        """The path of the stream over and over, and its frames."""
        times = -(-frames // self.frames)
        path = "%s.%d" % (self.path, times)
        with open(self.path, "rb") as f, open(path, "wb") as out:
            out.write(f.read() * times)
        return path, times * self.frames


def find_sources(names, media, work):
    """The streams at hand, and the names of those that are not."""
    found, missing = [], []
    for name in names:
        paths = sorted(glob.glob(os.path.join(media, name + "_*"))) \
            if media else []
        if not paths and STREAMS[name]:
            paths = [os.path.join(COMMITTED, STREAMS[name])]
        if paths:
            found.append(Source(name, paths[0], work))
        else:
            missing.append(name)
    return found, missing


def run(stages, stdin=None, stdout=None):
    """Runs programs, each one's output the next one's input; returns their
    user seconds."""
    processes, seconds = [], 0.0
    with tempfile.TemporaryFile() as errors:
        last = open(stdin, "rb") if stdin else subprocess.DEVNULL
        for n, stage in enumerate(stages):
            final = n == len(stages) - 1
            out = subprocess.PIPE if not final else \
                open(stdout, "wb") if stdout else subprocess.DEVNULL
            process = subprocess.Popen(stage, stdin=last, stdout=out,
                                       stderr=errors)
            for pipe in (last, out):
                if hasattr(pipe, "close"):
                    pipe.close()
            last = process.stdout
            processes.append(process)
        for process, stage in zip(processes, stages):
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            seconds += usage.ru_utime
            if status:
                errors.seek(0)
                raise RuntimeError("failed: %s\n%s" % (
                    " ".join(stage), errors.read().decode("utf8", "replace")))
    return seconds


def version(program):
    """Which build of a program it is: the file's digest, but what FFmpeg
    says, for it is made of libraries."""
    if os.path.basename(program) == "ffmpeg":
        return subprocess.run([program, "-version"], stdout=subprocess.PIPE,
                              check=True).stdout.decode("utf8", "replace")
    with open(program, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class Recoder:
    """program: what has to be there; package: where Debian has it. own:
    mpegscaler's."""
    own = False
    slow = 0                    # its cost is measured 1: once; 2: at 50 % alone
    stdin = stdout = False      # the stream comes and goes that way

    def __init__(self, key, label, program, package):
        self.key, self.label = key, label
        self.program, self.package = shutil.which(program), package
        self.missing = None if self.program else \
            "%s: no %s (%s)" % (label, program, package)
        # Results of another build are not to be taken for this one's.
        self.identity = self.program and version(self.program)

    def takes(self, source):
        return True

    def stages(self, source, path, out, rate, share):
        raise NotImplementedError

    def run(self, source, path, out, rate, share):
        return run(self.stages(source, path, out, rate, share),
                   path if self.stdin else None,
                   out if self.stdout else None)

    def cost(self, source, path, share):
        """User seconds that the stream at the path takes."""
        return self.run(source, path, os.devnull, share * source.rate, share)


class FFmpeg(Recoder):
    def __init__(self, key, label, *options):
        super().__init__(key, label, "ffmpeg", "ffmpeg")
        self.options = list(options)
        self.slow = 1 if options else 0

    def stages(self, source, path, out, rate, share):
        codec = "mpeg2video" if source.mpeg2 else "mpeg1video"
        command = [self.program, "-v", "error", "-nostdin", "-y",
                   "-threads", "1", "-i", path, "-an", "-filter_threads", "1",
                   "-vf", "settb=%s,setpts=N" % (1 / source.fps),
                   "-r", str(source.fps), "-c:v", codec, "-threads", "1",
                   "-g", str(source.gop), "-bf", str(source.n_b),
                   "-b:v", "%d" % rate, "-maxrate", "%d" % rate,
                   "-bufsize", "%d" % (rate / 2)]
        if share >= .75:
            command += ["-qmin", "1", "-lmin", "118"]
        if source.interlaced:
            command += ["-flags", "+ildct+ilme",
                        "-top", "%d" % source.top_first]
        return [command + self.options + ["-f", codec, out]]

    def cost(self, source, path, share):
        """Without what it takes to begin."""
        rate = share * source.rate
        stages = self.stages(source, path, os.devnull, rate, share)
        stages[0][-3:-3] = ["-frames:v", "1"]
        begin = run(stages)
        return self.run(source, path, os.devnull, rate, share) - begin


class Mpeg2enc(Recoder):
    slow = 2

    def __init__(self):
        super().__init__("mpeg2enc", "mpeg2enc", "mpeg2enc", "mjpegtools")
        self.ffmpeg = shutil.which("ffmpeg")

    def stages(self, source, path, out, rate, share):
        interlaced = source.interlaced and \
            ["-vf", "setfield=" + ("tff" if source.top_first else "bff")] or []
        return [[self.ffmpeg, "-v", "error", "-nostdin", "-threads", "1",
                 "-r", str(source.fps), "-i", path, "-an"] + interlaced +
                ["-pix_fmt", "yuv420p", "-vsync", "0", "-strict", "-1",
                 "-f", "yuv4mpegpipe", "-"],
                [self.program, "-v", "0", "-M", "0",
                 "-f", "3" if source.mpeg2 else "0",
                 "-I", "1" if source.interlaced else "0",
                 "-b", "%.2f" % (rate / 1000),
                 "-g", str(source.gop), "-G", str(source.gop),
                 "-R", str(source.n_b), "-o", out]]


class M2VRequantiser(Recoder):
    """Needs the whole file's size; copies untouched what is not 352 to 720 by
    480 to 576."""
    stdin = stdout = True

    def __init__(self):
        super().__init__("m2vreq", "M2VRequantiser", "M2VRequantiser",
                         "m2vrequantiser")

    def takes(self, source):
        return source.mpeg2 and source.set == "SD"

    def stages(self, source, path, out, rate, share):
        return [[self.program, "%.6f" % (source.rate / rate),
                 str(os.path.getsize(path))]]


class Own(Recoder):
    """The recoder of mpegscaler, alone."""
    own = True

    def __init__(self, key, label, build, *options):
        super().__init__(key, label, os.path.join(
            build, "tests", "benchmarks", "mpeg-recode"), "built with meson")
        self.options = list(options)

    def stages(self, source, path, out, rate, share):
        return [[self.program] + self.options + [path, out, "%d" % rate]]


def peers():
    return [FFmpeg("ffmpeg", "FFmpeg"),
            FFmpeg("ffmpeg-rd", "FFmpeg, RD", "-mbd", "rd", "-trellis", "1"),
            Mpeg2enc(), M2VRequantiser()]


def own(build):
    return [Own("open", "open loop", build, "--drift=off"),
            Own("closed", "closed loop", build, "--drift=p"),
            Own("closed-rd", "closed loop, RD", build, "--drift=p", "--rd=1"),
            Own("closed-rd-vectors", "closed loop, RD, all vectors", build,
                "--drift=p", "--rd=1", "--vectors=always")]
