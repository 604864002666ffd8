# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Both ends of one repaired stream: packets of numbered, timed transport stream
go in at a constant rate, and it is noted which come out, and when."""

import struct
import time

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

PACKET = 1316                   # bytes: seven transport packets, as SRT's
TS = 188
RTP_HEADER = 12
STAMP = struct.Struct("!Qd")    # number, monotonic time in s

RTP = ("caps=application/x-rtp,media=video,clock-rate=90000,"
       "encoding-name=MP2T,payload=33")
# What the guide's recipe says of the jitter buffer.
JITTERBUFFER = ("rtpjitterbuffer name=jitter latency=%(latency)d"
                " do-retransmission=true rtx-next-seqnum=false rtx-delay=0"
                " rtx-retry-timeout=25 rtx-min-retry-timeout=10"
                " rtx-retry-period=%(period)d")
# Sender, receiver, ports. What goes in has a time stamp, so sync=true paces it.
WAYS = {
    "pspsink": (
        "rtpmp2tpay mtu=1400 ! pspsink name=sink host=127.0.0.1 port=%(to)d"
        " rtx-payload-type=97 start-target-bitrate=4000000"
        " repair-share=%(share)s repair-deadline=%(latency)d000000",
        "pspsrc name=source address=127.0.0.1 port=%(port)d " + RTP
        + " ! rtprtxreceive payload-type-map=\"map,33=(uint)97\" ! "
        + JITTERBUFFER + " ! rtpmp2tdepay", 1),
    "ulpfec": (
        "rtpulpfecenc pt=122 percentage=%(percentage)d"
        " percentage-important=%(percentage)d multipacket=true"
        " ! pspsink name=sink host=127.0.0.1 port=%(to)d fec-payload-type=122"
        " start-target-bitrate=4000000",
        "pspsrc name=source address=127.0.0.1 port=%(port)d " + RTP
        + ",ssrc=(uint)4321 ! rtpstorage name=storage size-time=%(storage)d"
        " ! rtpjitterbuffer name=jitter latency=%(latency)d do-lost=true"
        " ! rtpulpfecdec name=fec pt=122", 1),
    "srtsink": (
        "srtsink name=sink latency=%(latency)d"
        " uri=srt://127.0.0.1:%(to)d?mode=caller",
        "srtsrc name=source latency=%(latency)d"
        " uri=srt://127.0.0.1:%(port)d?mode=listener", 1),
    "ristsink": (
        "rtpmp2tpay mtu=1400 ! ristsink name=sink address=127.0.0.1"
        " port=%(to)d sender-buffer=%(latency)d",
        "ristsrc name=source address=127.0.0.1 port=%(port)d"
        " receiver-buffer=%(latency)d ! rtpmp2tdepay", 2),
}


# Ways whose redundancy is made for pictures: they are given RTP, a picture in so
# many packets.
OF_PICTURES = ("ulpfec",)
PICTURE = 6
SSRC = 4321


def rtp_header(number, period):
    """Of a picture's packet, where packets are so many seconds apart."""
    first = number - number % PICTURE
    return struct.pack("!BBHII", 0x80,
                       33 | (0x80 if number % PICTURE == PICTURE - 1 else 0),
                       number & 0xffff, int(first * period * 90000), SSRC)


def packet(number):
    """Null packets of PID 0x100, the first with number and time."""
    data = bytearray((b"\x47\x41\x00\x10" + bytes(TS - 4)) * (PACKET // TS))
    STAMP.pack_into(data, 4, number, time.monotonic())
    return bytes(data)


class Ends:
    """One sender and one receiver; `to` is the port that the sender sends to,
    `port` the receiver's."""

    def __init__(self, way, to, port, latency, share=0.5, percentage=100):
        values = {"to": to, "port": port, "latency": latency, "share": share,
                  "period": latency - 10, "percentage": percentage,
                  "storage": (latency + 50) * 1000000}
        sender, receiver, _ = WAYS[way]
        self.came = {}          # number: s on the way
        self.sent = 0
        self.receiver = Gst.parse_launch(
            receiver % values + " ! fakesink name=out sync=false")
        self.rtp = way in OF_PICTURES
        self.sender = Gst.parse_launch(
            "appsrc name=in format=time is-live=true do-timestamp=true caps="
            + (RTP[len("caps="):] if self.rtp else
               "video/mpegts,systemstream=true,packetsize=188")
            + " ! " + sender % values)
        pad = next(iter(self.receiver.get_by_name("out").iterate_sink_pads()))
        pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
                      self._on_data)
        if way == "ulpfec":
            self.receiver.get_by_name("fec").set_property(
                "storage", self.receiver.get_by_name("storage").get_property(
                    "internal-storage"))
        self.receiver.set_state(Gst.State.PLAYING)

    def _on_data(self, pad, info):
        now = time.monotonic()
        if info.type & Gst.PadProbeType.BUFFER_LIST:
            buffers = info.get_buffer_list()
            for i in range(buffers.length()):
                self._note(buffers.get(i), now)
        else:
            self._note(info.get_buffer(), now)
        return Gst.PadProbeReturn.OK

    def _note(self, buffer, now):
        data = buffer.extract_dup(0, buffer.get_size())
        begin = RTP_HEADER if self.rtp else 0
        for at in range(begin, len(data) - PACKET + 1, PACKET):
            number, sent = STAMP.unpack_from(data, at + 4)
            self.came.setdefault(number, now - sent)

    def _complain(self):
        for pipeline in (self.sender, self.receiver):
            message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            if message:
                raise RuntimeError(str(message.parse_error()))

    def run(self, packets, bitrate, rest=1):
        """Sends so many packets, and waits so many s for the last."""
        source = self.sender.get_by_name("in")
        period = 8 * PACKET / bitrate
        self.sender.set_state(Gst.State.PLAYING)
        time.sleep(1)           # SRT joins hands
        begun = time.monotonic()
        for number in range(packets):
            wait = begun + number * period - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            header = rtp_header(number, period) if self.rtp else b""
            if source.emit("push-buffer", Gst.Buffer.new_wrapped(
                    header + packet(number))) != Gst.FlowReturn.OK:
                break
            self.sent += 1
            if number % 100 == 0:
                self._complain()
        time.sleep(rest)

    def stats(self, end, name):
        element = (self.sender if end == "sender" else self.receiver
                   ).get_by_name(name)
        stats = element.get_property("stats")
        return {stats.nth_field_name(i): stats.get_value(stats.nth_field_name(i))
                for i in range(stats.n_fields())
                if stats.get_field_type(stats.nth_field_name(i)).name
                not in ("GValueArray", "GstValueArray")}

    def stop(self):
        self.sender.set_state(Gst.State.NULL)
        self.receiver.set_state(Gst.State.NULL)
