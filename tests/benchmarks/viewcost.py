#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""CPU that the thread of the tracer pspview takes in a sender of 10 Mb/s, and that
its viewer takes, against what the sender takes without. The sender makes its
packets of nothing, or with --encoder, of pictures that x264enc codes. Runs take
turns: without the tracer, with it and no viewer, with it and a viewer whose page a
browser's requests ask for. The whole sender's time with the tracer stands beside,
with its interval: it differs from run to run by more than the tracer takes.

    tests/benchmarks/viewcost.py BUILD_DIR [--encoder] [--runs 10]
        [--seconds 30] [--json FILE]"""

import argparse
import glob
import http.client
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from pspbench.figures import Figures, add_option
from pspbench.paired import compare
from pspbench.plugins import find_plugins

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
VIEWER = os.path.join(TOP, "tools", "view", "gst-psp-view")
RATE = 10000000                 # bits/s
SIZE = 5000                     # bytes of a frame, so 250 frames a second
POLL = 1                        # s, as the page does
SAMPLE = .2                     # s from one look at the tracer's thread to the next
CAPS = "application/x-rtp,media=application,clock-rate=90000," \
    "encoding-name=X-GST"


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def launch(line, env):
    return subprocess.Popen(["gst-launch-1.0", "-q", *line.split()], env=env)


def cpu_of(process):
    """User and system seconds of a process that still runs."""
    with open("/proc/%d/stat" % process.pid, encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Thread:
    """The seconds that the tracer's thread has run for, until its process ends."""

    def __init__(self, pid):
        self.pid, self.taken, self.ended = pid, 0, threading.Event()
        self.sampler = threading.Thread(target=self._sample)
        self.sampler.start()

    def _look(self):
        for comm in glob.glob("/proc/%d/task/*/comm" % self.pid):
            try:
                with open(comm, encoding="ascii") as file:
                    if file.read().strip() != "pspview":
                        continue
                with open(os.path.join(os.path.dirname(comm), "schedstat"),
                          encoding="ascii") as file:
                    self.taken = int(file.read().split()[0]) / 1e9
            except OSError:
                pass                    # it has ended

    def _sample(self):
        while not self.ended.wait(SAMPLE):
            self._look()

    def end(self):
        self.ended.set()
        self.sampler.join()
        return self.taken


def source(args):
    """What makes RTP of that rate."""
    if args.encoder:
        return ("videotestsrc is-live=true pattern=smpte75 num-buffers=%d ! "
                "video/x-raw,width=1280,height=720,framerate=30/1 ! "
                "x264enc tune=zerolatency speed-preset=ultrafast bitrate=%d "
                "option-string=nal-hrd=cbr:force-cfr=1 ! rtph264pay mtu=1200"
                % (30 * args.seconds, RATE // 1000))
    return ("fakesrc is-live=true sync=true format=time sizetype=fixed "
            "sizemax=%d datarate=%d num-buffers=%d ! application/x-test ! "
            "rtpgstpay mtu=1200"
            % (SIZE, RATE // 8, args.seconds * RATE // 8 // SIZE))


def send(args, env):
    """User and system seconds of a sender, whose receiver has no tracer, and those
    of its tracer's thread."""
    port = free_port()
    plain = {name: value for name, value in env.items()
             if name != "GST_TRACERS"}
    receiver = launch("pspsrc port=%d caps=%s ! fakesink" % (port, CAPS), plain)
    sender = launch("%s ! pspsink port=%d start-target-bitrate=%d" %
                    (source(args), port, 2 * RATE), env)
    thread = Thread(sender.pid)
    _, status, usage = os.wait4(sender.pid, 0)
    taken = thread.end()
    receiver.send_signal(signal.SIGINT)
    receiver.wait()
    if status:
        raise SystemExit("the sender failed")
    return usage.ru_utime + usage.ru_stime, taken


class Viewer:
    """With a browser, or what the viewer sees of one."""

    def __init__(self, env):
        self.process = subprocess.Popen([sys.executable, VIEWER, "--port", "0"],
                                        env=env, stderr=subprocess.PIPE,
                                        text=True)
        said = self.process.stderr.readline()
        found = re.search(r"http://\S+", said)
        if not found:
            raise SystemExit(said + self.process.stderr.read())
        self.url, self.ended = found[0], threading.Event()
        self.browser = threading.Thread(target=self._browse)
        self.browser.start()
        time.sleep(1)                   # what it takes to start is not counted
        self.begun = cpu_of(self.process)

    def _browse(self):
        url, seq = urllib.parse.urlparse(self.url), 0
        browser = http.client.HTTPConnection(url.netloc)
        while not self.ended.wait(POLL):
            browser.request("GET", "%sdata?after=%d" % (url.path, seq))
            seq = int(re.search(rb'"seq": (\d+)',
                                browser.getresponse().read())[1])
        browser.close()

    def end(self):
        """Seconds that it took."""
        taken = cpu_of(self.process) - self.begun
        self.ended.set()
        self.browser.join()
        self.process.terminate()
        self.process.wait()
        return taken


def turn(args, env):
    traced = dict(env, GST_TRACERS="pspview")
    without, _ = send(args, env)
    alone = send(args, traced)
    viewer = Viewer(traced)
    watched = send(args, traced)
    return without, alone, watched, viewer.end()


def whole(name, without, with_it, args):
    """The sender's seconds with the tracer, against those without."""
    found = compare(without, with_it)
    print("%-34s %7.2f ms/s %25s [%.3f…%.3f] times" % (
        name, 1e3 * statistics.median(with_it) / args.seconds, "",
        found.low, found.high))


def row(name, without, taken, args):
    """`taken` and `without`: seconds of each turn."""
    share = [100 * b / a for a, b in zip(without, taken)]
    print("%-34s %7.2f ms/s %8.2f %% of the sender's  [%.2f…%.2f] %%" % (
        name, 1e3 * statistics.median(taken) / args.seconds,
        statistics.median(share), min(share), max(share)))
    args.figures.add(name, statistics.median(share), "%")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--encoder", action="store_true")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=30)
    add_option(parser)
    args = parser.parse_args()
    if args.runs < 2:
        parser.error("an interval takes two runs")
    args.figures = Figures()
    find_plugins(args.build)
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ,
                   GST_PSP_VIEW_SOCKET=os.path.join(folder, "own", "socket"))
        env.pop("GST_TRACERS", None)
        turns = [turn(args, env) for _ in range(args.runs)]
    without, alone, watched, viewer = zip(*turns)
    print("%-34s %7.2f ms/s" % (
        "sender of 10 Mb/s%s" % (", x264enc" if args.encoder else ""),
        1e3 * statistics.median(without) / args.seconds))
    for name, runs in ("no viewer", alone), ("a viewer", watched):
        row("tracer's thread, " + name, without, [b for _, b in runs], args)
        whole("sender with it", without, [a for a, _ in runs], args)
    row("viewer, one page open", without, viewer, args)
    args.figures.write(args.json)


if __name__ == "__main__":
    main()
