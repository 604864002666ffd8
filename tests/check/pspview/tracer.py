#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The tracer pspview in gst-launch-1.0: what it reports, and that no viewer, a
dead one, a slow one or a stranger's touches the pipeline. No time is asserted:
what is waited for comes sooner or later."""

import array
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
import unittest

PATIENCE = 90                   # s, then something hangs
H264 = "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264"
LIVE = "videotestsrc is-live=true ! video/x-raw,width=64,height=64 ! "
CODED = "x264enc tune=zerolatency bitrate=200"


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("what was waited for did not come")
        time.sleep(.05)


class Listener:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen(4)
        self.socket.settimeout(PATIENCE)
        self.path, self.connections = path, []

    def accept(self):
        connection = self.socket.accept()[0]
        connection.settimeout(PATIENCE)
        self.connections.append(connection)
        return connection

    def close(self):
        for one in [self.socket, *self.connections]:
            one.close()
        if os.path.exists(self.path):
            os.unlink(self.path)


def lines(connection):
    with connection.makefile("rb") as file:
        for line in file:
            yield json.loads(line)


def waiting(connection):
    """Bytes that can be read."""
    count = array.array("i", [0])
    fcntl.ioctl(connection, termios.FIONREAD, count)
    return count[0]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.path = os.path.join(self.folder, "socket")
        self.processes = []
        self.listener = None

    def tearDown(self):
        for process in self.processes:
            process.kill()
            process.wait()
        if self.listener:
            self.listener.close()
        shutil.rmtree(self.folder)

    def listen(self):
        self.listener = Listener(self.path)
        return self.listener

    def launch(self, line):
        env = dict(os.environ, GST_TRACERS="pspview",
                   GST_PSP_VIEW_SOCKET=self.path)
        process = subprocess.Popen(
            ["gst-launch-1.0", "-q", "-e", *line.split()], env=env)
        self.processes.append(process)
        return process

    def ends_well(self, process, by=None):
        if by:
            process.send_signal(by)
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_session(self):
        """Both ends of a session, in two processes."""
        listener, port = self.listen(), free_port()
        receiver = self.launch("pspsrc port=%d caps=%s ! fakesink" %
                               (port, H264))
        received = lines(listener.accept())
        hello = next(received)
        self.assertEqual((hello["protocol"], hello["program"], hello["pid"]),
                         (1, "gst-launch-1.0", receiver.pid))
        sender = self.launch(
            LIVE + CODED + " ! encoderbitrate name=rate ! rtph264pay ! "
            "pspsink name=out port=%d" % port)
        sent = lines(listener.accept())
        next(sent)
        types, event, acked = {}, None, 0
        while not (event and acked and len(types) == 2):
            line = next(sent)
            if "stats" in line:
                types[line["type"]] = (line["element"], line["pipeline"])
                acked = line["stats"].get("packets-acked", acked)
            elif line.get("event") == "GstCongestion":
                event = line["fields"]
        self.assertEqual(types, {"pspsink": ("out", "pipeline0"),
                                 "encoderbitrate": ("rate", "pipeline0")})
        self.assertIn("reason", event)
        self.assertIsInstance(event["target-bitrate"], int)
        while True:
            line = next(received)
            if line.get("type") == "pspsrc" and line["stats"]["packets"] > 0:
                break
        self.assertEqual(len(line["stats"]["streams"]), 1)
        self.ends_well(sender, signal.SIGINT)
        self.ends_well(receiver, signal.SIGINT)

    def test_warning(self):
        """An element's warning is an event."""
        listener = self.listen()
        sender = self.launch(
            LIVE + CODED + " ! rtph264pay ! pspsink port=%d "
            "min-target-bitrate=2000 max-target-bitrate=1000" % free_port())
        received = lines(listener.accept())
        texts = (line["fields"]["text"] for line in received
                 if line.get("event") == "warning")
        self.assertIn("target-bitrate", next(texts))
        # Before it plays, the signal would end gst-launch at once.
        while next(received).get("stats", {}).get("packets-sent", 0) == 0:
            pass
        self.ends_well(sender, signal.SIGINT)

    def test_many_elements(self):
        """More than a report holds: all of them have their turn, and each one's
        event comes after the viewer knows the element."""
        listener, n = self.listen(), 150
        sink = " t. ! pspsink async=false port=%d min-target-bitrate=2000 " \
            "max-target-bitrate=1000" % free_port()
        sender = self.launch(LIVE + CODED + " ! rtph264pay ! tee name=t" +
                             sink * n)
        known, warned, again, missed = set(), set(), set(), 0
        end = time.monotonic() + PATIENCE
        for line in lines(listener.accept()):
            if "stats" in line:
                (again if line["id"] in warned else known).add(line["id"])
            elif line.get("event") == "warning" and line["id"] in known:
                warned.add(line["id"])
            missed += line.get("missed-events", 0)
            if len(again) == n or time.monotonic() > end:
                break
        self.assertEqual((len(known), len(warned), len(again), missed),
                         (n, n, n, 0))
        self.ends_well(sender, signal.SIGINT)

    def test_nobody(self):
        self.ends_well(self.launch("videotestsrc num-buffers=20 ! " + CODED +
                                   " ! encoderbitrate ! fakesink"))

    def test_dead_viewer(self):
        """It goes on, and the next viewer learns of all."""
        listener = self.listen()
        sender = self.launch(LIVE + CODED + " ! encoderbitrate ! fakesink")
        next(line for line in lines(listener.accept()) if "stats" in line)
        listener.close()
        heard = lines(self.listen().accept())
        self.assertIn("protocol", next(heard))
        self.assertEqual(next(heard)["type"], "encoderbitrate")
        self.ends_well(sender, signal.SIGINT)

    def test_slow_viewer(self):
        """Reports are left out, and that is told. Many elements fill the
        socket soon."""
        listener = self.listen()
        sender = self.launch(LIVE + CODED + " ! encoderbitrate" * 60 +
                             " ! fakesink")
        connection = listener.accept()
        seen = []

        # For many reports: a busy machine may be late with one.
        def is_full():
            seen.append(waiting(connection))
            return len(seen) > 100 and seen[-100] == seen[-1] > 50000
        wait_for(is_full)
        end = time.monotonic() + PATIENCE
        missed = next(line for line in lines(connection)
                      if "missed-reports" in line or time.monotonic() > end)
        self.assertIn("missed-reports", missed)
        self.assertGreater(missed["missed-reports"], 0)
        self.ends_well(sender, signal.SIGINT)

    def test_stranger(self):
        """Another user's socket is told nothing."""
        if os.geteuid() != 0:
            self.skipTest("only root can listen as another user")
        os.chmod(self.folder, 0o777)
        self.listen()
        pid = os.fork()
        if pid == 0:
            os.setuid(65534)
            # Whose it is, is as of this call.
            self.listener.socket.listen(4)
            os._exit(0)
        os.waitpid(pid, 0)
        sender = self.launch("videotestsrc num-buffers=20 ! " + CODED +
                             " ! encoderbitrate ! fakesink")
        self.assertEqual(self.listener.accept().recv(1), b"")
        self.ends_well(sender)


if __name__ == "__main__":
    if not shutil.which("gst-launch-1.0"):
        print("skipped: gst-launch-1.0 is missing (gstreamer1.0-tools)")
        sys.exit(77)
    unittest.main()
