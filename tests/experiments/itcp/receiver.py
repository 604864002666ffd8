# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The receiving pipeline, of stock elements but for the depayloader; argument:
a JSON object. Says that it is ready, logs when each picture came and when it
was decoded."""

import json
import socket
import sys
import time

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst         # noqa: E402


class Receiver:
    def __init__(self, options):
        self.o, self.arrived, self.decoded = options, [], []
        self.sequence, self.gaps, self.failed = None, 0, None
        self.loop = GLib.MainLoop()
        self.pipeline = Gst.parse_launch(
            "tcpserversrc name=src host=%s port=%d ! application/x-rtp-stream,"
            "media=video,clock-rate=90000,encoding-name=MPV,payload=32 ! "
            "rtpstreamdepay name=packets ! rtpmpegvideodepay ! mpegvideoparse "
            "! avdec_mpeg2video name=decoder max-threads=1 ! "
            "fakesink sync=false" % (options["host"], options["port"]))
        for name, call in (("packets", self.packet),
                           ("decoder", self.picture)):
            self.pipeline.get_by_name(name).get_static_pad("src").add_probe(
                Gst.PadProbeType.BUFFER, call)
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.message)

    def packet(self, pad, info):
        header = info.get_buffer().extract_dup(0, 4)
        sequence = header[2] << 8 | header[3]
        if self.sequence is not None and \
                sequence != (self.sequence + 1) & 0xffff:
            self.gaps += 1
        self.sequence = sequence
        if header[1] & 0x80:
            self.arrived.append(time.monotonic_ns())
        return Gst.PadProbeReturn.OK

    def picture(self, pad, info):
        self.decoded.append(time.monotonic_ns())
        return Gst.PadProbeReturn.OK

    def message(self, bus, message):
        if message.type == Gst.MessageType.EOS:
            self.loop.quit()
        elif message.type == Gst.MessageType.ERROR:
            self.failed = message.parse_error()
            self.loop.quit()

    def run(self):
        # takes the cross traffic in, so that no ICMP goes back
        cross = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        cross.bind((self.o["host"], self.o["port"]))
        self.pipeline.set_state(Gst.State.PLAYING)
        self.pipeline.get_state(Gst.SECOND)
        print("ready", flush=True)
        self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        if self.failed:
            sys.exit("receiver: %s" % (self.failed,))
        with open(self.o["out"] + "/received.json", "w") as file:
            json.dump({"arrival": self.arrived, "decoded": self.decoded,
                       "gaps": self.gaps}, file)


if __name__ == "__main__":
    Gst.init(None)
    Receiver(json.loads(sys.argv[1])).run()
