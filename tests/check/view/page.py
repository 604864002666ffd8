#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""page.py FOLDER: the page in headless Chromium, light, dark and as on a phone.
What came from a pipeline is text in it. Leaves the screenshots in FOLDER."""

import math
import os
import re
import shutil
import struct
import subprocess
import sys
import time
import unittest
import zlib

import viewers
from viewers import HOSTILE

FOLDER = sys.argv.pop() if len(sys.argv) > 1 else None
CHROMIUM = shutil.which("chromium")
SIZES = {"light": (1180, 800), "dark": (1180, 800), "phone": (500, 1200)}


def picture(path):
    """(width, height, how many bytes differ in its rows) of a PNG."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        if name == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    return (*struct.unpack_from(">II", data, 16),
            len(set(zlib.decompress(packed))))


class Page(viewers.Case):
    def chromium(self, *arguments):
        return subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--virtual-time-budget=3000",
             "--user-data-dir=" + os.path.join(self.folder, "profile"),
             *arguments, "http://127.0.0.1:%d/%s/" % (self.port, self.token)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            encoding="utf8", timeout=viewers.PATIENCE).stdout

    def feed(self, **names):
        """A minute of a session that meets congestion."""
        reporter, sent = self.report(**names), 0
        reporter.time = int((time.monotonic() - 60) * 1e6)
        for n in range(240):
            rate = 4e6 + 1e5 * math.sin(n / 7) - 2.8e6 * (80 < n < 160)
            sent += int(rate / 8 / 4)
            reporter.stats(**{
                "payload-bytes-sent": sent, "target-bitrate": int(rate * 1.1),
                "delivered-bitrate": int(rate * .98),
                "rtt": 30000000 + 40000000 * (80 < n < 90),
                "queue-time": 400000000 if 80 < n < 86 else 3000000})
            if n in (81, 82, 83, 130):
                reporter.event("delay", **{"target-bitrate": int(rate)})
        self.wait_for_points(240)

    def test_hostile(self):
        self.serve()
        self.feed(program=HOSTILE, element=HOSTILE, pipeline=HOSTILE)
        self.reporters[0].line(id=1, event="warning", fields={"text": HOSTILE})
        self.reporters[0].stats(**{"link-state": HOSTILE, HOSTILE: HOSTILE})
        self.wait_for_points(241)
        page = self.chromium("--dump-dom")
        self.assertIn("&lt;img src=x onerror=", page)
        self.assertNotIn("<img", page)
        self.assertIn("<title>gst-psp-view</title>", page)
        self.assertIn("1 element reports", page)
        self.assertGreaterEqual(len(re.findall('<path class="s', page)), 5)

    def test_pictures(self):
        self.serve()
        self.feed()
        for name, size in SIZES.items():
            path = os.path.join(FOLDER or self.folder, "view-%s.png" % name)
            dark = ["--blink-settings=preferredColorScheme=0"] \
                if name == "dark" else []
            self.chromium("--screenshot=" + path, "--window-size=%d,%d" % size,
                          *dark)
            width, height, values = picture(path)
            self.assertEqual((width, height), size)
            self.assertGreater(values, 100, "an empty page")


class Source(unittest.TestCase):
    def test_text_alone(self):
        """Nothing in the script makes markup or code of a string, and nothing
        is fetched from elsewhere."""
        folder = os.path.join(viewers.TOP, "tools", "view", "pspview", "page")
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf8") as file:
                text = file.read()
            self.assertIsNone(re.search(
                r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|"
                r"new Function|srcdoc|createContextualFragment", text), name)
            self.assertEqual(set(re.findall(r"https?://[^\s\"']+", text)) -
                             {"http://www.w3.org/2000/svg"}, set(), name)


if __name__ == "__main__":
    if not CHROMIUM or viewers.aiohttp_is_missing():
        print("skipped: chromium or aiohttp is missing (packages chromium, "
              "python3-aiohttp)")
        sys.exit(77)
    unittest.main()
