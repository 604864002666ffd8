#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Plays from rtspserver.c with a stock rtspsrc, until the server knows a rate,
which it does not before feedback.

    test_rtspserver.py SERVER       # example-rtspserver of the build directory"""

import subprocess
import sys
import threading

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

LONGEST = 45            # s; a busy machine is slow


def main():
    Gst.init(None)
    for name in ("x264enc", "rtspsrc"):
        if not Gst.ElementFactory.find(name):
            print("skipped: GStreamer has no %s here" % name)
            return 77
    server = subprocess.Popen([sys.argv[1], "0"], stdout=subprocess.PIPE,
                              text=True)
    watchdog = threading.Timer(LONGEST, server.kill)
    watchdog.start()
    url = server.stdout.readline().strip()
    client = Gst.parse_launch(
        "rtspsrc location=%s protocols=udp latency=100"
        " ! fakesink sync=false" % url)
    client.set_state(Gst.State.PLAYING)
    told = server.stdout.readline().strip()
    client.set_state(Gst.State.NULL)
    watchdog.cancel()
    server.kill()
    server.wait()
    print(url, told, sep="\n")
    return 0 if told.endswith("bit/s fit") else "failed: no rate was told"


if __name__ == "__main__":
    sys.exit(main())
