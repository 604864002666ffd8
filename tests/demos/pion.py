#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""pion.py twcc|rfc8888: webrtcbin sends to pion, the WebRTC stack in Go, which
answers by transport-wide feedback or by RFC 8888's, each 50 ms. The rate of the
emulated link between them falls; the encoder follows it.

Each end is in a network namespace of its own. pion/main.go is the receiver."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

from sessions import (Gst, LONGEST, NUMBERED, need, play, source, stop,
                      wait_for)
import webrtc

HERE = os.path.dirname(os.path.abspath(__file__))
GO = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
# bits/s; of the link, at first and after FALLS_AT seconds.
HIGH, LOW, FALLS_AT = 2000000, 1000000, 40
FORWARD = "schedule=0s:%d/%ds:%d,delay=20ms,queue=60p" % (HIGH, FALLS_AT, LOW)
USE = .85                       # of the link
LOOK = 3                        # s, of the receiver's rate
LONGEST_WAIT = 300              # ms, after the step; the queue holds 600
FEEDBACK = {"twcc": "twcc", "rfc8888": "ccfb"}


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def go(*arguments, **more):
    return subprocess.run([GO, *arguments], cwd=os.path.join(HERE, "pion"),
                          env=dict(os.environ, GOTOOLCHAIN="local"), text=True,
                          stderr=subprocess.PIPE, **more)


def build(program):
    if not GO:
        skip("there is no Go (Debian's package golang-go)")
    try:
        modules = go("mod", "download", timeout=LONGEST)
    except subprocess.TimeoutExpired:
        skip("Go's modules for pion do not come")
    if modules.returncode:
        skip("Go's modules for pion cannot be had: %s"
             % (modules.stderr.strip().splitlines() or ["no reason given"])[-1])
    built = go("build", "-buildvcs=false", "-o", program, ".")
    if built.returncode:
        sys.exit("failed: " + built.stderr)


def send(kind):
    """Until what is sent has used the link, HIGH and then LOW."""
    end = webrtc.Sender(source(300000) + (NUMBERED if kind == "twcc" else ""),
                        estimated_bitrate=300000)
    end.listen()

    def uses(link):
        now = end.stats()
        return all(USE * link <= now[field] <= link
                   for field in ("target-bitrate", "delivered-bitrate"))

    def still(link, seconds):
        """It goes on for so long with what it is allowed to send."""
        least = end.stats()["payload-bytes-sent"] + seconds * link / 8
        wait_for("sent for a while", lambda:
                 end.stats()["payload-bytes-sent"] >= least, end.pipeline)
    play(end.pipeline)
    wait_for("up to the link", lambda: uses(HIGH), end.pipeline)
    still(HIGH, LOOK)
    print("at first:", end.bitrate(), end.stats(), file=sys.stderr)
    wait_for("down with the link", lambda: end.stats()["target-bitrate"] < LOW
             and end.bitrate() < LOW, end.pipeline)
    wait_for("in use as it is then", lambda: uses(LOW), end.pipeline)
    still(LOW, 2 * LOOK)
    last = end.stats()
    print("then:", end.bitrate(), last, file=sys.stderr)
    stop(end.pipeline)
    if last["feedback"] != FEEDBACK[kind]:
        sys.exit("failed: it listens to %(feedback)s" % last)
    if last["feedback-malformed"] or last["feedback-never-sent"]:
        sys.exit("failed: reports were refused")
    if last["packets-lost"] > .05 * last["packets-acked"]:
        sys.exit("failed: too much is lost")


def both(kind, program, came):
    """In the command of psp-link-tun, which has made two namespaces."""
    to_receiver, to_sender = os.pipe(), os.pipe()
    ends = [subprocess.Popen(["ip", "netns", "exec", os.environ[namespace],
                              *command], stdin=read, stdout=write)
            for namespace, command, read, write in (
                ("LINK_NS_A", [sys.executable, __file__, "sender", kind],
                 to_sender[0], to_receiver[1]),
                ("LINK_NS_B", [program, kind, came],
                 to_receiver[0], to_sender[1]))]
    for descriptor in to_receiver + to_sender:
        os.close(descriptor)
    # The sender's end ends what the receiver reads.
    status = [end.wait() for end in ends]
    return status[0] or status[1]


def longest_wait(log):
    """ms in the queue; of packets that came when the link carried less."""
    with open(log) as lines:
        return max((int(row["wait"]) for row in csv.DictReader(lines)
                    if row["direction"] == "forward" and row["wait"]
                    and int(row["arrived"]) > FALLS_AT * Gst.SECOND),
                   default=0) / Gst.MSECOND


def judge(came, wait):
    """None, or what is wrong."""
    # The last second is not whole.
    rates = came["rates"][:-1]
    means = [sum(rates[i:i + LOOK]) / LOOK
             for i in range(len(rates) - LOOK + 1)] or [0]
    print("received at most %d and in the end %d bits/s; the longest wait after "
          "the step was %d ms; %d pictures, %d packets were missing"
          % (max(means), means[-1], wait, came["pictures"], came["missing"]))
    if came["codec"] != "video/H264" or came["pictures"] < 30 * FALLS_AT / 2:
        return "little video came"
    if max(means) < USE * HIGH:
        return "little of the link was used"
    if not USE * LOW <= means[-1] <= LOW:
        return "it did not follow the link"
    return "much waited" if wait > LONGEST_WAIT else None


def main(kind):
    with tempfile.TemporaryDirectory() as folder:
        program, came, log = (os.path.join(folder, name)
                              for name in ("main", "came", "log"))
        build(program)
        status = subprocess.call(
            [os.environ["PSP_LINK_TUN"], "--forward", FORWARD, "--back",
             "delay=20ms", "--log", log, "--", sys.executable, __file__, "both",
             kind, program, came])
        if status:
            return status
        with open(came) as file:
            why = judge(json.load(file), longest_wait(log))
    return "failed: " + why if why else 0


Gst.init(None)
need(*webrtc.ELEMENTS)
if len(sys.argv) == 2 and sys.argv[1] in FEEDBACK:
    sys.exit(main(sys.argv[1]))
sys.exit({"both": both, "sender": send}[sys.argv[1]](*sys.argv[2:]))
