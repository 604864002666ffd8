#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""pspsink by receiver reports alone: a live encoder to rtpbin in gst-launch-1.0,
which sends no RFC 8888 feedback, over a link of 2, 0.8 and 2 Mb/s.

    tests/benchmarks/receiverreports.py BUILD [--profile avp,avpf] [--runs N]
        [--phase SECONDS]

Real time: a run takes three phases. The link has 40 ms one way and a queue of 60
packets; media and the sender's RTCP share it, reports come back beside it. "use"
is what arrived of what the link could carry, headers counted, "loss" the share of
packets that its queue dropped, and the last columns are the use of each phase."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

from pspbench.plugins import find_plugins
from pspbench.ports import free_ports
from pspbench.relay import OVERHEAD, Relay

RATES = (2000000, 800000, 2000000)      # bits/s
CAPS = ("application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,"
        "payload=96")


def receiver(profile, media, back):
    """rtpbin in a process of its own; RTP at `media`, RTCP at the next port."""
    return subprocess.Popen(
        ["gst-launch-1.0", "-q", "rtpbin", "name=b", "rtp-profile=" + profile,
         "udpsrc", "address=127.0.0.1", "port=%d" % media, "caps=" + CAPS,
         "!", "b.recv_rtp_sink_0",
         "udpsrc", "address=127.0.0.1", "port=%d" % (media + 1),
         "caps=application/x-rtcp", "!", "b.recv_rtcp_sink_0",
         "b.send_rtcp_src_0", "!", "udpsink", "host=127.0.0.1",
         "port=%d" % back, "sync=false", "async=false",
         "b.", "!", "fakesink", "sync=false", "async=false"])


def sender(gst, link, back):
    return gst.parse_launch(
        "videotestsrc is-live=true pattern=snow"
        " ! video/x-raw,width=320,height=180,framerate=30/1"
        " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=60"
        " bitrate=600 ! encoderbitrate"
        " ! rtph264pay mtu=1200 pt=96 config-interval=-1"
        " ! pspsink name=sink host=127.0.0.1 port=%d rtcp-port=%d"
        " bind-address=127.0.0.1 bind-port=%d start-target-bitrate=600000"
        % (link, link + 1, back))


def measure(rows, phase):
    """(use of all, loss, use of each phase) by the link's log."""
    end = len(RATES) * phase
    bits = [0] * len(RATES)
    for row in rows:
        if row.departure is not None and row.departure < end:
            bits[int(row.departure / phase)] += 8 * (row.size + OVERHEAD)
    offered = [row for row in rows if row.arrival < end]
    lost = sum(row.dropped for row in offered) / max(len(offered), 1)
    uses = [b / (r * phase) for b, r in zip(bits, RATES)]
    return sum(bits) / (sum(RATES) * phase), lost, uses


def run(gst, build, profile, phase):
    ports = free_ports(3)
    receiving = receiver(profile, ports, ports + 2)
    time.sleep(1)
    schedule = "/".join("%ds:%d" % (i * phase, r) for i, r in enumerate(RATES))
    with tempfile.TemporaryDirectory() as folder:
        link = Relay(os.path.join(build, "tests", "link", "relay",
                                  "psp-link-relay"),
                     ports, "schedule=%s,delay=40ms,queue=60p" % schedule,
                     "delay=0ms", os.path.join(folder, "log"), ports=2)
        sending = sender(gst, link.port, ports + 2)
        sending.set_state(gst.State.PLAYING)
        message = sending.get_bus().timed_pop_filtered(
            len(RATES) * phase * gst.SECOND, gst.MessageType.ERROR)
        stats = sending.get_by_name("sink").get_property("stats")
        feedback = stats.get_string("feedback")
        sending.set_state(gst.State.NULL)
        receiving.terminate()
        receiving.wait()
        rows = link.stop()
    if message:
        sys.exit("%s" % (message.parse_error(),))
    if feedback != "rr":
        sys.exit("the sender went by %s, not by receiver reports" % feedback)
    return measure(rows, phase)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--profile", default="avp,avpf")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--phase", type=int, default=60)
    args = parser.parse_args()
    find_plugins(args.build)
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    Gst.init(None)
    print("%-7s %5s %7s  %s" % ("profile", "use", "loss", "phases"))
    for _ in range(args.runs):
        for profile in args.profile.split(","):
            use, lost, uses = run(Gst, args.build, profile, args.phase)
            print("%-7s %5.3f %6.2f%%  %s" % (
                profile, use, 100 * lost,
                " ".join("%.2f" % u for u in uses)), flush=True)


if __name__ == "__main__":
    main()
