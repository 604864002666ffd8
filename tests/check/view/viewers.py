# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Viewers of tests, and processes that report to them, as the tracer does."""

import fcntl
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import termios
import time
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
PROGRAM = os.path.join(TOP, "tools", "view", "gst-psp-view")
sys.path.insert(0, os.path.join(TOP, "tools", "view"))
PATIENCE = 60                   # s, then something hangs
# A name that would do harm as markup, in an attribute, in a script, in a
# terminal, and as a label of Prometheus'.
HOSTILE = "<img src=x onerror=\"document.title='owned'\">\x1b[2J\\\n\"'&\ud800"
SINK = {"controller": "poise", "target-bitrate": 2000000,
        "delivered-bitrate": 1500000, "rtt": 40000000, "loss": 0.01,
        "queue-time": 5000000, "payload-bytes-sent": 0, "packets-sent": 0,
        "packets-lost": 3, "dropped-pictures": 0, "link-state": "alive",
        "events": 7}


def aiohttp_is_missing():
    """Of the Python that runs this, and so the viewers."""
    try:
        import aiohttp  # noqa: F401
    except ImportError:
        return True
    return False


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("what was waited for did not come")
        time.sleep(.02)


class Reporter:
    """A process with one pspsink."""

    def __init__(self, path, program="test", element="pspsink0",
                 pipeline="pipeline0"):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.names = {"id": 1, "type": "pspsink", "element": element,
                      "pipeline": pipeline}
        self.time = int(time.monotonic() * 1e6)
        self.line(protocol=1, pid=4711, program=program)

    def raw(self, data):
        self.socket.sendall(data)

    def line(self, **fields):
        self.raw(json.dumps({"time": self.time, **fields}).encode() + b"\n")

    def stats(self, after=250000, **changed):
        self.time += after
        self.line(**self.names, stats={**SINK, **changed})

    def event(self, reason="delay", **fields):
        self.line(id=1, event="GstCongestion",
                  fields={"reason": reason, **fields})

    def is_hung_up(self):
        try:
            return self.socket.recv(1) == b""
        except socket.timeout:
            return False
        except OSError:
            return True

    def close(self):
        self.socket.close()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.path = os.path.join(self.folder, "own", "socket")
        self.started, self.reporters = [], []

    def tearDown(self):
        for process in self.started:
            process.kill()
            process.wait()
            process.stderr.close()
            process.stdout.close()
        for reporter in self.reporters:
            reporter.close()
        shutil.rmtree(self.folder)

    def view(self, *arguments, terminal=None, **environment):
        """It is in a session of its own, with this terminal if any."""
        def take_terminal():
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

        env = dict(os.environ, GST_PSP_VIEW_SOCKET=self.path,
                   PYTHONDONTWRITEBYTECODE="1", PYTHONIOENCODING="utf8",
                   **environment)
        process = subprocess.Popen(
            [sys.executable, PROGRAM, *arguments], env=env, text=True,
            encoding="utf8", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=take_terminal if terminal is not None else None)
        self.started.append(process)
        return process

    def serve(self, *arguments, **environment):
        """A viewer with a page: the process. Its first line is read."""
        process = self.view(*(arguments or ["--port", "0"]), **environment)
        said = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/", said)
        if not found:
            raise AssertionError(said + process.stderr.read())
        self.port, self.token = int(found[1]), found[2]
        return process

    def report(self, **names):
        def is_connected():
            try:
                self.reporters.append(Reporter(self.path, **names))
            except (FileNotFoundError, ConnectionRefusedError):
                return False            # the viewer is not that far
            return True
        wait_for(is_connected)
        return self.reporters[-1]

    def ask(self, path, method="GET", host=None, family="127.0.0.1"):
        connection = http.client.HTTPConnection(family, self.port,
                                                timeout=PATIENCE)
        headers = {"Host": host} if host else {}
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def own(self, name, **options):
        return self.ask("/%s/%s" % (self.token, name), **options)

    def data(self, after=0):
        return json.loads(self.own("data?after=%d" % after)[2])

    def wait_for_points(self, n):
        wait_for(lambda: sum(len(element["time"]) for element in
                             self.data()["elements"]) >= n)
