# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Sessions whose calls are traced: a film over loopback through a link that
becomes too narrow for it, and a film that is requantized."""

import collections
import os
import select
import socket
import subprocess
import threading
import time

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "files")
FILM = "walk-720x480p30-4M.m2v"         # 3.6 Mb/s
SMALL = "ocean-176x96p30-500k.m2v"
SMALL_BYTES = 60000                     # some 28 pictures
NARROW_AFTER = 1        # s
NARROW_BITRATE = 1.5e6
QUEUE = 0.1             # s: what would wait longer is lost
DELAY = 0.01            # s, either way
MAX_BITRATE = 8000000   # of the controller: all passes, until it is narrow
DURATION = 7            # s


class Path:
    """One direction: a queue, a rate (0 = any) and a delay."""

    def __init__(self, send):
        self.send, self.bitrate, self.free = send, 0, 0
        self.waiting = collections.deque()      # (departure, datagram)

    def take(self, data, now):
        if self.bitrate:
            if self.free - now > QUEUE:
                return
            self.free = max(self.free, now) + 8 * len(data) / self.bitrate
        self.waiting.append((max(self.free, now) + DELAY, data))

    def step(self, now):
        """Sends what is due; when the next is, in s from now."""
        while self.waiting and self.waiting[0][0] <= now:
            try:
                self.send(self.waiting.popleft()[1])
            except ConnectionRefusedError:
                pass            # the receiver has not begun yet
        return self.waiting[0][0] - now if self.waiting else 0.1


class Link:
    """Relays datagrams; the way to the receiver becomes narrow in a while."""

    def __init__(self, to_port):
        self.near, self.far = bound(), bound()
        self.far.connect(("127.0.0.1", to_port))
        self.port = self.near.getsockname()[1]
        self.sender, self.ended = None, False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        forward = Path(self.far.send)
        back = Path(lambda data: self.near.sendto(data, self.sender))
        began, timeout = None, 0.1
        while not self.ended:
            ready, _, _ = select.select([self.near, self.far], [], [], timeout)
            now = time.monotonic()
            if self.near in ready:
                data, self.sender = self.near.recvfrom(65536)
                began = began or now
                if now - began > NARROW_AFTER:
                    forward.bitrate = NARROW_BITRATE
                forward.take(data, now)
            if self.far in ready:
                try:
                    back.take(self.far.recv(65536), now)
                except ConnectionRefusedError:
                    pass
            timeout = max(0, min(forward.step(now), back.step(now), 0.1))

    def stop(self):
        self.ended = True
        self.thread.join()


def bound():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 0))
    return s


class Traced:
    """Programs on the plugins of a build, one of them traced."""

    def __init__(self, build, scratch):
        self.scratch = scratch
        self.library = os.path.join(scratch, "trace.so")
        subprocess.run(
            [os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-pthread",
             "-o", self.library,
             os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          "trace.c")], check=True)
        self.env = dict(os.environ, GST_PLUGIN_PATH_1_0=os.pathsep.join(
            [os.path.join(build, "gst"),
             os.environ.get("GST_PLUGIN_PATH_1_0", "")]).rstrip(os.pathsep),
            GST_REGISTRY=os.path.join(scratch, "registry"))
        # So that what is traced need not scan for plugins.
        subprocess.run(["gst-inspect-1.0", "pspsink"], env=self.env,
                       stdout=subprocess.DEVNULL, check=True)

    def launch(self, pipeline, trace=None):
        env = self.env
        if trace:
            os.makedirs(trace)
            env = dict(env, JOURNEYS_TRACE=trace, LD_PRELOAD=self.library,
                       GST_REGISTRY_UPDATE="no")
        return subprocess.Popen(["gst-launch-1.0", "-q", "-e",
                                 *pipeline.split()], env=env,
                                stdout=subprocess.DEVNULL)

    def _end(self, process):
        process.send_signal(2)
        if process.wait(timeout=20) != 0:
            raise RuntimeError("gst-launch-1.0 failed")

    def stream(self):
        """The folder of a trace of mpegscaler and pspsink, dropping."""
        folder = os.path.join(self.scratch, "stream")
        free = bound()
        port = free.getsockname()[1]
        free.close()
        receiver = self.launch("pspsrc address=127.0.0.1 port=%d ! fakesink" %
                               port)
        link = Link(port)
        time.sleep(0.5)         # until the receiver listens
        sender = self.launch(
            "filesrc location=%s ! mpegvideoparse ! mpegscaler ! "
            "rtpmpegvideopay ! pspsink host=127.0.0.1 port=%d "
            "start-target-bitrate=%d max-target-bitrate=%d" %
            (os.path.join(FILES, FILM), link.port, MAX_BITRATE, MAX_BITRATE),
            folder)
        time.sleep(DURATION)
        self._end(sender)
        self._end(receiver)
        link.stop()
        return folder

    def requantize(self):
        """The folder of a trace of mpegscaler, requantizing to half."""
        folder = os.path.join(self.scratch, "requantize")
        process = self.launch(
            "filesrc location=%s blocksize=%d num-buffers=1 ! mpegvideoparse ! "
            "mpegscaler mode=requantize follow-events=false "
            "target-bitrate=250000 ! fakesink" %
            (os.path.join(FILES, SMALL), SMALL_BYTES), folder)
        if process.wait(timeout=60) != 0:
            raise RuntimeError("gst-launch-1.0 failed")
        return folder
