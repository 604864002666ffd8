# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A repaired stream whose sender stops, one whose link becomes too slow, and one
whose sender is held by the clock and a full queue. Each function is to run in a process of its own, and returns what came of it."""

import os
import tempfile
import time

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

from . import repairends
from .ports import free_ports
from .relay import OVERHEAD, Relay

RELAY = "tests/link/relay/psp-link-relay"
STOPPED = 5                     # s


# What the guide says of the jitter buffer; the same, and it asks for the packet
# that it expects next, too; as it is by default.
STOPS = {
    "guide": {},
    "next-seqnum": {"rtx-next-seqnum": True},
    "defaults": {"rtx-next-seqnum": True, "rtx-delay": -1,
                 "rtx-retry-timeout": -1, "rtx-min-retry-timeout": -1,
                 "rtx-retry-period": -1},
}


def stop(build, settings):
    """Of 10 s of 2 Mb/s with 5 % loss, and then of 5 s in which nothing is sent.
    CPU time is the whole process's: the sender has nothing to do."""
    port = free_ports(1)
    with tempfile.TemporaryDirectory() as out:
        relay = Relay(os.path.join(build, RELAY), port,
                      "delay=20ms,loss=5%,seed=1", "delay=20ms,loss=5%,seed=2",
                      os.path.join(out, "log.csv"))
        ends = repairends.Ends("pspsink", relay.port, port, 120)
        jitterbuffer = ends.receiver.get_by_name("jitter")
        for name, value in STOPS[settings].items():
            jitterbuffer.set_property(name, value)
        ends.run(1900, 2_000_000, rest=0)
        before, cpu = _asked(ends), time.process_time()
        time.sleep(STOPPED)
        cpu, after = time.process_time() - cpu, _asked(ends)
        ends.stop()
        relay.stop()
    return {"wanted": after[0] - before[0], "asked": after[1] - before[1],
            "cpu": cpu / STOPPED}


def _asked(ends):
    """What the jitter buffer wanted, and of how many packets NACKs spoke."""
    return (ends.stats("receiver", "jitter")["rtx-count"],
            ends.stats("receiver", "source")["packets-requested"])


PERIOD = 0.005                  # s from one packet to the next
PATH = 0.02                     # s, one way
NACK_SIZE = 16                  # bytes of one that names one run of packets
PICTURE = 40                    # packets; five pictures take a second


def departure(build, seconds):
    """Of a stream that waits for the clock and in a full queue, with 2 % loss: how
    long after a NACK has come what it asks for leaves, in packet periods."""
    size = 1000
    port = free_ports(1)
    with tempfile.TemporaryDirectory() as out:
        relay = Relay(os.path.join(build, RELAY), port,
                      "delay=20ms,loss=2%,seed=3", "delay=20ms",
                      os.path.join(out, "log.csv"))
        receiver = Gst.parse_launch(
            "pspsrc address=127.0.0.1 port=%d %s"
            " ! rtprtxreceive payload-type-map=\"map,33=(uint)97\""
            " ! rtpjitterbuffer latency=500 do-retransmission=true"
            " rtx-next-seqnum=false rtx-delay=0 rtx-retry-timeout=100"
            " ! fakesink sync=false" % (port, repairends.RTP))
        sender = Gst.parse_launch(
            "appsrc name=in format=time block=true max-buffers=4 caps=%s"
            " ! pspsink host=127.0.0.1 port=%d controller=fixed spacing=%d"
            " max-queue-time=100000000 rtx-payload-type=97"
            % (repairends.RTP[len("caps="):], relay.port, PERIOD * Gst.SECOND))
        receiver.set_state(Gst.State.PLAYING)
        sender.set_state(Gst.State.PLAYING)
        for number in range(int(seconds / PERIOD)):
            picture = number // PICTURE
            buffer = Gst.Buffer.new_wrapped(repairends.rtp_header(
                number, PERIOD) + bytes(size))
            buffer.pts = int(picture * PICTURE * PERIOD * Gst.SECOND)
            if sender.get_by_name("in").emit("push-buffer", buffer) != \
                    Gst.FlowReturn.OK:
                raise RuntimeError("the sender has failed")
        time.sleep(1)
        sender.set_state(Gst.State.NULL)
        receiver.set_state(Gst.State.NULL)
        relay.stop()
        rows = list(relay.all_rows())
    repairs = sorted(r.arrival for way, r in rows if way == "forward"
                     and r.size == repairends.RTP_HEADER + size + 2)
    waits = []
    for way, row in rows:
        came = row.arrival + PATH
        left = next((at for at in repairs if at >= came), None)
        if way != "forward" and row.size == NACK_SIZE and left is not None:
            waits.append((left - came) / PERIOD)
    waits.sort()
    return {"nacks": len(waits), "repairs": len(repairs),
            "p50": waits[len(waits) // 2], "p95": waits[int(.95 * len(waits))],
            "most": waits[-1]}


def pictures(folder, seconds, bitrate=2_000_000):
    """A file of MPEG-2 video that is no shorter, of about this rate."""
    clip = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                        "files", "walk-720x480p30-4M.m2v")
    whole = os.path.join(folder, "whole.m2v")
    made = os.path.join(folder, "pictures.m2v")
    with open(clip, "rb") as f, open(whole, "wb") as out:
        data = f.read()
        # It lasts 8 s.
        out.write(data * (seconds // 8 + 1))
    pipeline = Gst.parse_launch(
        "filesrc location=%s ! mpegvideoparse ! mpegscaler mode=auto"
        " follow-events=false target-bitrate=%d ! filesink location=%s"
        % (whole, bitrate, made))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        raise RuntimeError(str(message.parse_error()))
    return made


VIDEO = "filesrc location=%(pictures)s ! mpegvideoparse ! "
CONGESTED = {
    "pspsink": (
        VIDEO + "mpegscaler mode=auto ! rtpmpegvideopay pt=96 mtu=1200"
        " ! pspsink name=sink host=127.0.0.1 port=%(to)d rtx-payload-type=97"
        " start-target-bitrate=1500000 repair-deadline=%(latency)d000000"
        " max-queue-time=%(queue)d000000",
        "pspsrc name=source address=127.0.0.1 port=%(port)d"
        " caps=application/x-rtp,media=video,clock-rate=90000,"
        "encoding-name=MPV,payload=96"
        " ! rtprtxreceive payload-type-map=\"map,96=(uint)97\" ! "
        + repairends.JITTERBUFFER),
    "srtsink": (
        VIDEO + "mpegtsmux alignment=7 ! clocksync ! "
        + repairends.WAYS["srtsink"][0], repairends.WAYS["srtsink"][1]),
    "ristsink": (
        VIDEO + "mpegtsmux alignment=7 ! clocksync name=mark ! "
        + repairends.WAYS["ristsink"][0], repairends.WAYS["ristsink"][1]),
}


class Marks:
    """When each packet went in and which came out. RTP is known by number and time
    stamp, others by what they contain."""

    def __init__(self, rtp):
        self.rtp = rtp
        self.sent, self.came = {}, set()

    def _names(self, info):
        if info.type & Gst.PadProbeType.BUFFER_LIST:
            buffers = [info.get_buffer_list().get(i)
                       for i in range(info.get_buffer_list().length())]
        else:
            buffers = [info.get_buffer()]
        for b in buffers:
            if self.rtp:
                yield b.extract_dup(2, 6)
            else:
                yield hash(b.extract_dup(0, b.get_size()))

    def on_sent(self, pad, info):
        now = time.monotonic()
        for name in self._names(info):
            self.sent.setdefault(name, now)
        return Gst.PadProbeReturn.OK

    def on_came(self, pad, info):
        self.came.update(self._names(info))
        return Gst.PadProbeReturn.OK


class MediaBits:
    """Of RTP packets that arrive, repairs not counted, by when they come."""

    def __init__(self):
        self.rows = []

    def on_packet(self, pad, info):
        b = info.get_buffer()
        if b.extract_dup(1, 1)[0] & 0x7f == 96:
            self.rows.append((time.monotonic(),
                              8 * (b.get_size() + OVERHEAD)))
        return Gst.PadProbeReturn.OK

    def between(self, start, end):
        return sum(bits for at, bits in self.rows if start <= at < end)


def congestion(build, way, pictures, third, latency, queue=1000):
    """The link carries 2.4, 0.9 and 2.4 Mb/s for so many s each, with a queue of
    10 packets. Of the middle third: the share of packets that came, and what
    media used of the link (pspsink's alone)."""
    kinds = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST
    ports = repairends.WAYS[way][2]
    port = free_ports(ports)
    with tempfile.TemporaryDirectory() as out:
        relay = Relay(os.path.join(build, RELAY), port,
                      "schedule=0s:2400k/%ds:900k/%ds:2400k,delay=20ms,"
                      "queue=10p" % (third, 2 * third), "delay=20ms",
                      os.path.join(out, "log.csv"), ports)
        values = {"pictures": pictures, "to": relay.port, "port": port,
                  "latency": latency, "period": latency - 10, "queue": queue}
        sender, receiver = (part % values for part in CONGESTED[way])
        receiver = Gst.parse_launch(
            receiver + " ! fakesink name=out sync=false async=false")
        sender = Gst.parse_launch(sender)
        marks, media = Marks(way == "pspsink"), MediaBits()
        # Of what ristsink gets, RTP, its receiver gives the payload.
        last = sender.get_by_name("mark") or sender.get_by_name("sink")
        next(iter(last.iterate_sink_pads())).add_probe(kinds, marks.on_sent)
        receiver.get_by_name("out").get_static_pad("sink").add_probe(
            kinds, marks.on_came)
        if way == "pspsink":
            receiver.get_by_name("source").get_static_pad("src").add_probe(
                Gst.PadProbeType.BUFFER, media.on_packet)
        receiver.set_state(Gst.State.PLAYING)
        sender.set_state(Gst.State.PLAYING)
        time.sleep(3 * third + 1)
        sender.set_state(Gst.State.NULL)
        receiver.set_state(Gst.State.NULL)
        relay.stop()
    begun = min(marks.sent.values())
    middle = [n for n, at in marks.sent.items()
              if begun + third <= at < begun + 2 * third]
    result = {"sent": len(middle),
              "came": sum(n in marks.came for n in middle) / len(middle)}
    if way == "pspsink":
        result["use"] = media.between(begun + third, begun + 2 * third) / (
            900e3 * third)
    return result
