#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Redundancy where the round trip leaves no time to send again what is lost: both
ends in one application, over an emulated link that loses packets both ways. It
plays until the loss was told and packets were recovered.

    fec.py ulpfec|rows LINK     # LINK: psp-link-relay of the build directory

`ulpfec` is rtpulpfecenc and rtpulpfecdec: redundancy in the media's own stream,
made at the end of each picture. Behind a payloader that sets no marker (rtpmp2tpay)
it makes none. `rows` is SMPTE 2022-1, for any payload: two streams beside the
media's, whose SSRC has to be 0. How much of it is sent follows the loss."""

import argparse
import subprocess
import sys
import time

import gi
gi.require_version("Gst", "1.0")
try:
    gi.require_version("GstCongestion", "1.0")
except ValueError as error:
    print("skipped: built without introspection: %s" % error)
    sys.exit(77)
from gi.repository import GLib, Gst  # noqa: E402

import redundancy  # noqa: E402

LATENCY = 100           # ms, less than the round trip
PATH = "delay=75ms,loss=5%,seed=1"
LONGEST = 45            # s; a busy machine is slow

SOURCE = """
    videotestsrc is-live=true pattern=snow
    ! video/x-raw,format=I420,width=160,height=120,framerate=30/1
    ! x264enc tune=zerolatency speed-preset=ultrafast
    ! encoderbitrate min-bitrate=300000 max-bitrate=600000
    ! rtph264pay mtu=600 pt=96 config-interval=-1 ssrc=%d """
SINK = " pspsink name=sink host=127.0.0.1 start-target-bitrate=600000 "
RTP = """
    pspsrc name=source address=127.0.0.1 port=0
      caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,
        payload=96,ssrc=(uint)%d" """
SHOWN = " ! rtph264depay ! fakesink sync=false async=false "

# rtpulpfecdec has to know the SSRC, and finds in rtpstorage what it combines. The
# jitterbuffer may tell of a loss long after its latency: frames of the start that come
# late make it late, and it does not correct that while redundancy, which rtpstorage
# keeps, leaves gaps in the numbers. So the storage is long.
ULPFEC = (
    SOURCE % 1 + "! rtpulpfecenc name=fec pt=122 ! "
    + SINK + "fec-payload-type=122",
    RTP % 1 + """
    ! rtpstorage name=storage size-time=%d
    ! rtpjitterbuffer latency=%d do-lost=true
    ! rtpulpfecdec name=repair pt=122""" % (
        (LATENCY + 1000) * Gst.MSECOND, LATENCY) + SHOWN)
# rtpmux gives each stream of redundancy the SSRC that tells them apart.
ROWS = (
    "rtpfunnel name=all ! " + SINK + "fec-payload-type=122 "
    + SOURCE % 0 + """
    ! rtpst2022-1-fecenc name=fec columns=5 rows=5 pt=122 ! all.
    fec.fec_0 ! rtpmux ssrc=2 ! all.
    fec.fec_1 ! rtpmux ssrc=3 ! all.""",
    RTP % 0 + "! rtpssrcdemux name=streams"
    " rtpst2022-1-fecdec name=repair size-time=1000000000"
    " ! rtpjitterbuffer latency=%d" % LATENCY + SHOWN)


class App:
    def __init__(self, way, link):
        sender, receiver = ULPFEC if way == "ulpfec" else ROWS
        self.loop = GLib.MainLoop()
        self.failed = False
        self.came, self.left = set(), set()     # numbers in and out
        self.receiver = Gst.parse_launch(receiver)
        self.sender = Gst.parse_launch(sender)
        repair = self.receiver.get_by_name("repair")
        encoder = self.sender.get_by_name("fec")
        if way == "ulpfec":
            storage = self.receiver.get_by_name("storage")
            repair.set_property("storage",
                                storage.get_property("internal-storage"))
            self.driver = redundancy.UlpFec(encoder, LATENCY)
            self.recovered = lambda: repair.get_property("recovered")
        else:
            self.receiver.get_by_name("streams").connect(
                "new-ssrc-pad", self.on_stream)
            for name in "sink", "src":
                repair.get_static_pad(name).add_probe(
                    Gst.PadProbeType.BUFFER, self.on_packet, name)
            self.driver = redundancy.RowsAndColumns(encoder, LATENCY)
            self.recovered = lambda: len(self.left - self.came)
        self.receiver.set_state(Gst.State.PLAYING)
        self.link = subprocess.Popen(
            [link, "--listen", "127.0.0.1:0", "--to", "127.0.0.1:%d"
             % self.receiver.get_by_name("source").get_property("port"),
             "--forward", PATH, "--back", PATH, "--duration", "300"],
            stdout=subprocess.PIPE, text=True)
        self.sink = self.sender.get_by_name("sink")
        self.sink.set_property(
            "port", int(self.link.stdout.readline().rsplit(":", 1)[1]))

    def on_stream(self, demux, ssrc, pad):
        repair = self.receiver.get_by_name("repair")
        pad.link(repair.get_static_pad("sink") if ssrc == 0 else
                 repair.request_pad_simple("fec_%d" % (ssrc - 2)))

    def on_packet(self, pad, info, name):
        number = int.from_bytes(info.get_buffer().extract_dup(2, 2), "big")
        (self.came if name == "sink" else self.left).add(number)
        return Gst.PadProbeReturn.OK

    def on_error(self, bus, message):
        print(message.parse_error(), file=sys.stderr)
        self.failed = True
        self.loop.quit()

    def look(self):
        if self.recovered() >= 20 and self.driver.is_needed():
            self.loop.quit()
        elif time.monotonic() > self.begun + LONGEST:
            print("too little was recovered", file=sys.stderr)
            self.failed = True
            self.loop.quit()
        return GLib.SOURCE_CONTINUE

    def run(self):
        for pipeline in self.sender, self.receiver:
            bus = pipeline.get_bus()
            bus.add_signal_watch()
            bus.connect("message::error", self.on_error)
            bus.connect("message::element", self.driver.on_message)
        self.begun = time.monotonic()
        GLib.timeout_add(100, self.look)
        self.sender.set_state(Gst.State.PLAYING)
        self.loop.run()
        stats = self.sink.get_property("stats")
        print("%.3f lost, round trip %.0f ms: %s; %d recovered; of the target "
              "%d b/s are for redundancy" % (
                  self.driver.loss, 1e3 * self.driver.rtt, self.driver.shown(),
                  self.recovered(), stats.get_value("reserved-bitrate")))
        self.sender.set_state(Gst.State.NULL)
        self.receiver.set_state(Gst.State.NULL)
        self.link.terminate()
        self.link.communicate()
        return not self.failed and stats.get_value("reserved-bitrate") > 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("way", choices=("ulpfec", "rows"))
    parser.add_argument("link")
    args = parser.parse_args()
    Gst.init(None)
    for name in ("x264enc", "rtpulpfecenc", "rtpst2022-1-fecenc"):
        if not Gst.ElementFactory.find(name):
            print("skipped: GStreamer has no %s here" % name)
            return 77
    return 0 if App(args.way, args.link).run() else 1


if __name__ == "__main__":
    sys.exit(main())
