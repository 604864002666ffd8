#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""chromium.py [FOLDER]: webrtcbin sends to headless Chromium, as it is, over an
emulated link whose rate rises. What the browser answers (transport-wide feedback)
drives the encoder; its getStats() and the picture that it shows say what came.
FOLDER gets a screenshot.

Each end is in a network namespace of its own. The browser is driven through the
pipe of its DevTools protocol, which is the signalling, too."""

import base64
import fcntl
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

from sessions import Gst, LONGEST, need
import webrtc

CHROMIUM = shutil.which("chromium")
HERE = os.path.dirname(os.path.abspath(__file__))
# To see on the screenshot that it is no noise of ours.
CLOCK = "timeoverlay auto-resize=false shaded-background=true halignment=center"
LEAST_FRAMES = 300              # of 20 s of 30 a second, and of a start


def far(end):
    """The same end of a pipe, but not 3 or 4, where Chromium has its own."""
    moved = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(end)
    return moved


class Browser:
    """Chromium in a namespace, with one page."""

    def __init__(self, namespace, page, profile):
        pipes = [far(end) for end in (*os.pipe(), *os.pipe())]
        commands, self.commands, self.replies, replies = pipes

        def hand_on():
            os.dup2(commands, 3)
            os.dup2(replies, 4)
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", namespace, CHROMIUM, "--headless=new",
             "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--hide-scrollbars",
             "--window-size=700,760", "--user-data-dir=" + profile,
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=hand_on, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(replies)
        self.n, self.read, self.session = 0, b"", None
        target = self.call("Target.createTarget", url="file://" + page)
        self.session = self.call(
            "Target.attachToTarget", targetId=target["targetId"],
            flatten=True)["sessionId"]
        self.evaluate("new Promise(resolve => document.readyState == 'complete'"
                      " ? resolve() : addEventListener('load', resolve))")

    def close(self):
        self.process.terminate()
        self.process.wait()

    def message(self):
        while b"\0" not in self.read:
            more = os.read(self.replies, 1 << 16)
            if not more:
                sys.exit("failed: Chromium ended")
            self.read += more
        line, self.read = self.read.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **params):
        self.n += 1
        what = {"id": self.n, "method": method, "params": params}
        if self.session:
            what["sessionId"] = self.session
        os.write(self.commands, json.dumps(what).encode() + b"\0")
        while True:
            reply = self.message()
            if reply.get("id") == self.n:
                break
        if "error" in reply:
            sys.exit("failed: %s: %s" % (method, reply["error"]))
        return reply["result"]

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression,
                           awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit("failed: %s" % result["exceptionDetails"])
        return result["result"].get("value")

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


class Session:
    """The sender's process, which is `script`, and the browser."""

    def __init__(self, browser, script):
        self.browser = browser
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", os.environ["LINK_NS_A"], sys.executable,
             script, "sender"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()
        self.early, self.answered = [], False

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def add(self, what):
        self.browser.evaluate("add(%d, %s)" % (
            what["line"], json.dumps(what["candidate"])))

    def hear(self, what):
        if "sdp" in what:
            sdp = self.browser.evaluate("answer(%s)" % json.dumps(what["sdp"]))
            self.answered = True
            print(json.dumps({"sdp": sdp}), file=self.process.stdin, flush=True)
            for candidate in self.early:
                self.add(candidate)
        elif self.answered:
            self.add(what)
        else:
            self.early.append(what)

    def run(self, screenshot, least):
        """What the browser knew last; looks at it after half the `least` frames."""
        known, colours = {}, 0
        while True:
            try:
                what = self.lines.get(timeout=1)
                if what is None:
                    break
                self.hear(what)
            except queue.Empty:
                if self.answered:
                    known = self.browser.evaluate("statistics()")
                if known.get("framesDecoded", 0) > least // 2 \
                        and not colours:
                    colours = self.browser.evaluate("colours()")
                    self.browser.screenshot(screenshot)
        return self.process.wait(), known, colours


def judge(status, known, colours, least):
    """None, or what is wrong."""
    received, lost = (known.get(name, 0)
                      for name in ("packetsReceived", "packetsLost"))
    if status:
        return "the sender's end"
    if known.get("framesDecoded", 0) < least:
        return "few frames were decoded"
    if lost > .05 * (received + lost):
        return "much was lost"
    return None if colours > 100 else "the picture is empty"


def both(script, folder, least):
    """In the command of psp-link-tun, which has made two namespaces."""
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(os.environ["LINK_NS_B"],
                          os.path.join(HERE, "receiver.html"), profile)
        try:
            status, known, colours = Session(browser, script).run(
                os.path.join(folder or profile, os.path.basename(
                    script).replace(".py", ".png")), least)
        finally:
            browser.close()
    print("the browser:", json.dumps(known), "colours:", colours)
    why = judge(status, known, colours, least)
    return "failed: " + why if why else 0


def main(script, send, least=LEAST_FRAMES):
    """As `script` was told to. send: what its sender does; least: frames that the
    browser decodes."""
    if not CHROMIUM:
        print("skipped: there is no Chromium (Debian's package chromium)")
        return 77
    role, folder = (sys.argv[1:] + [None, None])[:2]
    if role == "sender":
        return send()
    if role == "both":
        return both(script, folder, least)
    return subprocess.call(
        [os.environ["PSP_LINK_TUN"], "--forward", webrtc.FORWARD, "--back",
         "delay=20ms", "--", sys.executable, script, "both",
         *([role] if role else [])], timeout=3 * LONGEST)


if __name__ == "__main__":
    Gst.init(None)
    need("timeoverlay", *webrtc.ELEMENTS)
    sys.exit(main(__file__, lambda: webrtc.send(CLOCK)))
