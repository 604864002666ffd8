#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Khan and Zaghal's experiment with interactive TCP. What is measured and why
so is in tests/experiments/README.md.

    tests/experiments/itcp-experiment.py BUILD --out DIR [--rtts 41,287]
        [--runs 11-15] [--arms tcp,itcp] [--frames 1000] [--jobs 12]
    … --outage          the first reaction to an outage
    … --quick           a short form that checks the machinery
    … --analyse         measures again what DIR has, runs nothing

DIR gets a directory for each run, frames.csv and events.csv of all, and
itcp.csv (--outage: itcp-outage.csv), of all runs that are in DIR. They are what
tests/sim/reproduce.py BUILD reads where DIR is BUILD/reproduction; else it takes
those of tests/sim/scenarios."""

import argparse
import functools
import glob
import hashlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from itcp import measures, setting              # noqa: E402
from itcp.links import Links                    # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
OFFSET = 10                     # s from the link's begin to the video's where
                                # the link has a schedule
PLUGINS = ["itcpsink", "mpegscaler", "rtpmpegvideopay", "rtpstreampay",
           "tcpserversrc", "avdec_mpeg2video"]
OUTAGE = {"at": 12.0, "length": 5.0, "shift": .02, "shifts": 5}


class Skip(Exception):
    pass


def numbers(text):
    """"2,6-8": [2, 6, 7, 8]"""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", help="Meson's build directory")
    parser.add_argument("--out", required=True)
    parser.add_argument("--rtts", default=",".join(map(str, setting.RTTS)))
    parser.add_argument("--arms")
    parser.add_argument("--runs", type=numbers,
                        default=list(setting.FINAL))
    parser.add_argument("--frames", type=int, default=setting.FRAMES)
    parser.add_argument("--jobs", type=int, default=6 * os.cpu_count())
    parser.add_argument("--realtime", action="store_true",
                        help="real-time priority for the pipelines and cross "
                        "traffic too:\nfor a machine that is busy")
    for name in "outage", "quick", "analyse":
        parser.add_argument("--" + name, action="store_true")
    args = parser.parse_args()
    args.build, args.out = map(os.path.abspath, (args.build, args.out))
    args.rtts = [int(rtt) for rtt in args.rtts.split(",")]
    known = setting.OUTAGES if args.outage else list(setting.ARMS)
    args.arms = args.arms.split(",") if args.arms else known
    for arm in args.arms:
        if arm not in known:
            parser.error("there is no arm " + arm)
    if not all(1 <= run <= setting.RUNS for run in args.runs):
        parser.error("there is cross traffic for 1 to %d runs" % setting.RUNS)
    return args


def environment(args):
    env = dict(os.environ)
    env["GST_PLUGIN_PATH_1_0"] = ":".join(
        os.path.join(args.build, d) for d in ("gst", "ext"))
    env["LD_LIBRARY_PATH"] = ":".join(os.path.dirname(p) for p in glob.glob(
        args.build + "/**/libgstcongestion-1.0.so", recursive=True))
    env["GST_REGISTRY_1_0"] = os.path.join(args.out, "registry.bin")
    return env


def check(args, env):
    """Raises Skip where something is missing that the experiment needs."""
    if os.geteuid() != 0:
        raise Skip("network namespaces need root")
    try:
        import gi                               # noqa: F401
    except ImportError:
        raise Skip("there is no gi for " + sys.executable) from None
    if not shutil.which("ffmpeg"):
        raise Skip("there is no ffmpeg")
    for name in PLUGINS:
        if subprocess.run(["gst-inspect-1.0", name], stdout=subprocess.DEVNULL,
                          env=env).returncode:
            raise Skip("there is no element " + name)
    if not os.path.exists("/proc/sys/net/ipv4/tcp_rto_min_us"):
        raise Skip("this kernel (before 6.11) has no tcp_rto_min_us")
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as f:
        if setting.ALGORITHM not in f.read().split():
            raise Skip("this kernel has no " + setting.ALGORITHM)


def make_clip(path, frames):
    """The same on every machine with the same FFmpeg."""
    if os.path.basename(path).startswith("large"):
        subprocess.run([
            "ffmpeg", "-loglevel", "fatal", "-y", "-stream_loop", "-1",
            "-i", os.path.join(setting.FILES, setting.CLIP),
            "-frames:v", str(frames), "-c", "copy", "-f", "mpeg2video", path],
            check=True)
    else:
        make_small_clip(path, frames)
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def make_small_clip(path, frames):
    subprocess.run([
        "ffmpeg", "-loglevel", "error", "-y", "-threads", "1",
        "-i", os.path.join(setting.FILES, setting.CLIP),
        "-vf", "scale=176:120:flags=lanczos+bitexact,"
        "loop=loop=-1:size=240,setpts=N/30/TB",
        "-frames:v", str(frames), "-c:v", "mpeg2video",
        "-threads", "1", "-r", "30", "-g", str(setting.GROUP), "-bf", "2",
        "-b:v", str(setting.BITRATE), "-maxrate", str(setting.BITRATE),
        "-bufsize", "400k", "-qmin", "1", "-lmin", "1", "-dc", "10",
        "-flags", "+bitexact", "-fflags", "+bitexact", "-f", "mpeg2video",
        path], check=True)


def clip(args, options):
    return os.path.join(args.out, "%s-%d.m2v" % (
        options.get("clip", "clip"), options["frames"]))


def plan(args):
    """[(name, options of inside.py, link)]"""
    found = []
    arms = outages(args) if args.outage else list(
        itertools.product(args.rtts, args.arms))
    bursts = setting.read_bursts(setting.CROSS_TRAFFIC)
    tcp = {**setting.TCP, "tcp_rmem": "4096 %d %d" % (
        (setting.WINDOW,) * 2)}
    rates = {"quiet": setting.QUIET, "peak": setting.PEAK,
             "busy": setting.BUSY, "peak-time": setting.PEAK_TIME,
             "lead": setting.LEAD, "hosts": setting.HOSTS,
             "packet": setting.CROSS_PACKET}
    for run in args.runs:
        for rtt, arm in arms:
            options = {
                "run": run, "offset": OFFSET, "rates": rates,
                "bursts": bursts[run], "tcp": tcp, "timeout": 400,
                "frames": args.frames, "sender": {
                    "period": setting.PERIOD,
                    "group": setting.GROUP, "bitrate": setting.BITRATE,
                    "unsent": setting.UNSENT,
                    "algorithm": setting.ALGORITHM,
                    "sink": setting.ARMS.get(arm)}}
            link = "rate=%d" % setting.RATE
            if args.quick:
                options["bursts"] = [(3, 8)]
            if args.outage:
                link = cut(options, arm, run)
            options["sender"]["clip"] = clip(args, options)
            found.append(("%s-%d-%d" % (arm, rtt, run), options, [
                "--forward", "%s,delay=%gms,queue=%dp" % (
                    link, rtt / 2, setting.QUEUE),
                "--back", "delay=%gms" % (rtt / 2)]))
    return found


def outages(args):
    """[(rtt, arm)], without algorithms that this kernel does not have."""
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as file:
        known = file.read().split()
    found = []
    for arm in args.arms:
        algorithm = arm.partition("link-")[2]
        if algorithm and algorithm not in known:
            print("%s is left out: this kernel has no %s" % (arm, algorithm))
        elif algorithm:
            found.append((setting.LINK["rtt"], arm))
        else:
            found += [(rtt, arm) for rtt in args.rtts]
    return found


def cut(options, arm, run):
    """The outage; returns the link's rate."""
    at = OFFSET + OUTAGE["at"] + (
        run - 1) % OUTAGE["shifts"] * OUTAGE["shift"]
    options["bursts"] = None
    options["outage"] = at
    options["frames"] = 250
    options["sender"]["sink"] = {"events": "rexmt+dupack+backlog"}
    rate = setting.RATE
    if arm.startswith("link-"):
        rate = setting.LINK["rate"]
        options["clip"] = "large"
        options["sender"]["bitrate"] = setting.LINK["bitrate"]
        options["sender"]["algorithm"] = arm[len("link-"):]
    if not arm.startswith("paper"):
        options["tcp"] = {"tcp_no_metrics_save": 1}
    if arm.endswith("-30") or arm.startswith("link-"):
        options["frames"] = 600
        options["sender"]["period"] //= 3
        options["sender"]["unsent"] *= 3
    if arm.endswith("-30"):
        rate *= 3
    return "rate=%d,schedule=%gs:0/%gs:%d" % (
        rate, at, at + OUTAGE["length"], rate)


def execute(args, env, links, job):
    name, options, link = job
    if links.stopped:
        return
    folder = options["out"] = os.path.join(args.out, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "options.json"), "w") as file:
        json.dump({"options": options, "link": link,
                   "realtime": args.realtime}, file, indent=1)
    command = [os.path.join(args.build, "tests/link/tun/psp-link-tun"), *link,
               "--stats", os.path.join(folder, "link.json"), "--"]
    command += ["chrt", "-r", "1"] if args.realtime else []
    command += [sys.executable, "-B", os.path.join(HERE, "itcp", "inside.py"),
                json.dumps(options)]
    with open(os.path.join(folder, "log.txt"), "w") as log:
        code = links.run(command, env, log)
    if code is None:
        shutil.rmtree(folder)           # no half run is measured
        return
    with open(os.path.join(folder, "log.txt")) as log:
        text = log.read().strip()
    if code == SKIPPED:
        raise Skip(text)
    if code:
        raise RuntimeError("%s: status %d\n%s" % (name, code, text[-2000:]))


def run_all(args, env, jobs):
    begin = time.monotonic()
    print("%d runs, %d at a time" % (len(jobs), args.jobs), flush=True)
    links, count = Links(args.jobs), itertools.count(1)
    links.all(functools.partial(execute, args, env, links), jobs,
              lambda: print("%d of %d, %.0f s" % (
                  next(count), len(jobs), time.monotonic() - begin),
                  flush=True))


def make_runs(args):
    env = environment(args)
    check(args, env)
    jobs = plan(args)
    for path, frames in sorted({
            (job[1]["sender"]["clip"], job[1]["frames"]) for job in jobs}):
        print("%d pictures, SHA-256 %s" % (frames, make_clip(path, frames)))
    run_all(args, env, jobs)


def report(args):
    if args.outage:
        return measures.report_outage(args.out)
    if args.quick:
        return measures.check_quick(args.out)
    return measures.report(args.out)


def main():
    args = parse()
    # as Ctrl-C: no link goes on without us
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.makedirs(args.out, exist_ok=True)
    if args.quick:
        args.frames, args.runs = 200, [1]
        args.rtts, args.arms = [65], ["tcp", "itcp"]
    try:
        if not args.analyse:
            make_runs(args)
        return report(args)
    except Skip as reason:
        print("skipped: %s" % reason)
        return SKIPPED
    except measures.Invalid as reason:
        print(reason, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
