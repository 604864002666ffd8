#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""rtpbin to rtpbin over an emulated link: a live encoder that obeys the network,
by transport-wide feedback and by RFC 8888's; one that does not and is held, with
retransmission; and two sessions over one link that share an estimate."""

import struct
import sys
from collections import Counter

from sessions import (Gst, Link, NUMBERED, TWCC, need, play, source, stats,
                      stop, wait_for)

CAPS = ("application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,"
        "payload=96")


def auxiliary(session, *elements):
    """What rtpbin takes as an auxiliary element: a bin whose pads have the
    session's number."""
    box = Gst.Bin()
    for element in elements:
        box.add(element)
    for one, other in zip(elements, elements[1:]):
        one.link(other)
    for element, name in (elements[0], "sink"), (elements[-1], "src"):
        box.add_pad(Gst.GhostPad.new("%s_%u" % (name, session),
                                     element.get_static_pad(name)))
    return box


def retransmission(name):
    element = Gst.ElementFactory.make(name)
    element.set_property("payload-type-map", Gst.Structure.from_string(
        "application/x-rtp-pt-map,96=(uint)97")[0])
    return element


def pipeline(text):
    """With an rtpbin that nothing is linked to yet: it asks for auxiliary
    elements when its pads are requested."""
    p = Gst.parse_launch(
        "rtpbin name=bin rtp-profile=avpf "
        "udpsrc name=rtcp-in address=127.0.0.1 port=0 reuse=false caps=application/x-rtcp "
        "funnel name=rtcp "
        "! udpsink name=rtcp-out host=127.0.0.1 sync=false async=false " + text)
    return p, p.get_by_name("bin")


def link_rtcp(p, rtpbin, port):
    p.get_by_name("rtcp-out").set_property("port", port)
    p.get_by_name("rtcp-in").link_pads("src", rtpbin, "recv_rtcp_sink_0")
    rtpbin.link_pads("send_rtcp_src_0", p.get_by_name("rtcp"), None)


class Watch:
    """What passes a pad: packets of media by their RTP time, their numbers, and
    the numbers that retransmissions stand for, with their times."""

    def __init__(self, pad):
        self.pictures, self.numbers, self.again = Counter(), [], []
        pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
                      self.on_data)

    def on_data(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER_LIST:
            packets = info.get_buffer_list()
            for i in range(packets.length()):
                self.on_packet(packets.get(i))
        else:
            self.on_packet(info.get_buffer())
        return Gst.PadProbeReturn.OK

    def on_packet(self, packet):
        data = packet.extract_dup(0, packet.get_size())
        flags, kind, number, time = struct.unpack_from(">BBHL", data)
        if kind & 0x7f == 96:
            self.pictures[time] += 1
            self.numbers.append(number)
            return
        start = 12 + 4 * (flags & 15)
        if flags & 0x10:
            start += 4 + 4 * struct.unpack_from(">2xH", data, start)[0]
        self.again.append((struct.unpack_from(">H", data, start)[0], time))


def gaps(numbers):
    """Places where one does not follow the one before."""
    return sum((b - a) & 0xffff != 1 for a, b in zip(numbers, numbers[1:]))


class Session:
    """Over a link of its own, or over that which `cross` is given."""

    def __init__(self, link, bitrate, obeys, rfc8888=False, share=1,
                 **properties):
        self.receiver, receiving = pipeline(
            "udpsrc name=rtp address=127.0.0.1 port=0 reuse=false ! %s name=in "
            "fakesink name=media sync=false async=false"
            % ("rtpccfb" if rfc8888 else "identity"))
        self.receiver.get_by_name("rtp").set_property(
            "caps", Gst.Caps.from_string(CAPS if rfc8888 else CAPS +
                                         ",extmap-3=(string)\"%s\"" % TWCC))
        self.into = self.receiver.get_by_name("in")
        if rfc8888:
            self.into.link_pads("rtcp_src", self.receiver.get_by_name("rtcp"),
                                None)
        receiving.set_property("do-retransmission", True)
        # rtpbin asks when its turn for RTCP comes, some 400 ms apart.
        receiving.set_property("latency", 1000)
        self.jitterbuffers = []
        receiving.connect("new-jitterbuffer", self.on_jitterbuffer)
        receiving.connect("request-aux-receiver", lambda b, session: auxiliary(
            session, retransmission("rtprtxreceive")))
        receiving.connect("pad-added", self.on_pad_added)
        self.into.link_pads("src", receiving, "recv_rtp_sink_0")

        self.bandwidth = Gst.ElementFactory.make("rtpbandwidth")
        for name, value in properties.items():
            self.bandwidth.set_property(name.replace("_", "-"), value)
        self.sender, sending = pipeline(
            "udpsink name=rtp host=127.0.0.1 sync=false async=false")
        self.retransmit = retransmission("rtprtxsend")
        self.retransmit.set_property("max-size-packets", 1000)
        sending.connect("request-aux-sender", lambda b, session: auxiliary(
            session, self.retransmit, self.bandwidth))
        encoder = Gst.parse_bin_from_description(
            source(bitrate, obeys).replace(
                "encoderbitrate", "encoderbitrate name=part share=%g" % share)
            + ("" if rfc8888 else NUMBERED), True)
        self.sender.add(encoder)
        self.encoder = encoder.get_by_name("encoder")
        self.part = encoder.get_by_name("part")
        encoder.link_pads("src", sending, "send_rtp_sink_0")
        sending.link_pads("send_rtp_src_0", self.sender.get_by_name("rtp"),
                          "sink")
        self.link = None
        self.made = Watch(encoder.get_static_pad("src"))
        self.left = Watch(self.sender.get_by_name("rtp").get_static_pad("sink"))
        self.prepare(receiving, sending)
        if link:
            self.link = Link(self.port, link)
            self.cross(self.link.port)

    def on_jitterbuffer(self, rtpbin, jitterbuffer, session, ssrc):
        # What waited at the sender is not asked for, nor anything twice before
        # an answer can have come.
        jitterbuffer.set_property("rtx-delay", 250)
        jitterbuffer.set_property("rtx-retry-timeout", 500)
        self.jitterbuffers.append(jitterbuffer)

    def on_pad_added(self, rtpbin, pad):
        if pad.get_name().startswith("recv_rtp_src_"):
            pad.link(self.receiver.get_by_name("media").get_static_pad("sink"))

    def prepare(self, receiving, sending):
        # Ports are known once they are bound.
        for p in self.receiver, self.sender:
            for name in "rtp", "rtcp-in":
                if p.get_by_name(name).get_factory().get_name() == "udpsrc":
                    p.get_by_name(name).set_state(Gst.State.READY)
        port = {(p, name): p.get_by_name(name).get_property("port")
                for p in (self.receiver, self.sender)
                for name in ("rtp", "rtcp-in")}
        self.port = port[self.receiver, "rtp"]
        link_rtcp(self.receiver, receiving, port[self.sender, "rtcp-in"])
        link_rtcp(self.sender, sending, port[self.receiver, "rtcp-in"])

    def cross(self, port):
        self.sender.get_by_name("rtp").set_property("port", port)
        play(self.receiver, self.sender)

    def stats(self):
        return stats(self.bandwidth)

    def wait_for(self, what, condition):
        wait_for(what, condition, self.sender, self.receiver)

    def jitterbuffer(self):
        """Sums of all streams."""
        sums = {}
        for j in self.jitterbuffers:
            for field, value in stats(j).items():
                sums[field] = sums.get(field, 0) + value
        return sums

    def stop(self):
        result = self.stats(), self.jitterbuffer()
        stop(self.sender, self.receiver)
        return *result, self.link and self.link.close()["forward"]


def obeys(rfc8888):
    """The link carries half of what the encoder starts with."""
    s = Session("rate=600k,delay=20ms,queue=60p", 1200000, True, rfc8888,
                estimated_bitrate=1200000)
    s.wait_for("told to the encoder", lambda:
               s.encoder.get_property("bitrate") < 600)
    s.wait_for("in use", lambda: s.stats()["packets-acked"] > 1000
               and 300000 < s.stats()["delivered-bitrate"] < 600000
               and s.stats()["link-state"] == "alive")
    reports = stats(s.into) if rfc8888 else {}
    sent, received, _ = s.stop()
    print("obeys:", sent, received, reports)
    if sent["feedback"] != ("ccfb" if rfc8888 else "twcc"):
        sys.exit("failed: it listens to %(feedback)s" % sent)
    if sent["packets-lost"] > 0.05 * sent["packets-acked"]:
        sys.exit("failed: too much is lost")


def judge_shed(sent, made, left):
    """Ends the demo where shedding is not what it has to be."""
    shed = sent["dropped-packets"] / sum(made.pictures.values())
    numbers = set(left.numbers)
    print("of what was made %.1f %% was shed; %d packets left, %d again"
          % (100 * shed, len(left.numbers), len(left.again)))
    if not .14 < shed < .26:
        sys.exit("failed: about a fifth is more than may leave")
    if gaps(left.numbers):
        sys.exit("failed: numbers of what left have gaps")
    # The last picture may still wait in part.
    torn = [time for time in left.pictures if time != max(left.pictures)
            and left.pictures[time] != made.pictures[time]]
    if torn:
        sys.exit("failed: %d pictures left in part" % len(torn))
    if any(number not in numbers or left.pictures[time] == 0
           for number, time in left.again):
        sys.exit("failed: what was shed left when it was asked for again")


def is_held():
    """The encoder makes a quarter more than may leave, and packets are lost:
    whole pictures are left out, and nobody waits for them. What the link loses is
    sent again."""
    s = Session("delay=20ms,loss=0.02", 500000, False, estimated_bitrate=400000,
                max_bitrate=400000, max_queue_time=100 * Gst.MSECOND)
    s.wait_for("held", lambda: s.stats()["dropped-pictures"] > 60)
    sent, received, link = s.stop()
    print("is held:", sent, received, link)
    judge_shed(sent, s.made, s.left)
    # On a busy machine something may come too late.
    if received["num-lost"] > link["lost"] / 2 + received["num-late"]:
        sys.exit("failed: the receiver misses %d packets, and the link lost %d"
                 % (received["num-lost"], link["lost"]))
    if received["rtx-count"] > sent["dropped-packets"] / 2:
        sys.exit("failed: the receiver asks for what was shed")


def parted(large, small):
    """Whether the encoders' parts are three to one of what the link carries."""
    parts = [stats(s.part)["share-bitrate"] for s in (large, small)]
    return .98 < parts[0] / max(1, 3 * parts[1]) < 1.02 \
        and .6e6 < sum(parts) < 1e6


def share_an_estimate():
    """What a link of 1 Mb/s carries is parted between two sessions, three to one,
    by one estimate; both begin with all of it."""
    sessions = [Session(None, 1000000, True, share=share, group="call",
                        estimated_bitrate=1000000) for share in (.75, .25)]
    link = Link(sessions[0].port, "rate=1M,delay=20ms,queue=60p",
                and_to=[sessions[1].port])
    for session, port in zip(sessions, link.ports):
        session.cross(port)
    for session in sessions:
        session.wait_for("alive", lambda: session.stats()["link-state"] == "alive"
                         and session.stats()["packets-acked"] > 1000)
    watched = [Watch(s.receiver.get_by_name("media").get_static_pad("sink"))
               for s in sessions]
    for session, watch in zip(sessions, watched):
        session.wait_for("5 s more", lambda: len(watch.pictures) > 150)
    # Each hears of a change in its own time.
    sessions[0].wait_for("parted", lambda: parted(*sessions))
    results = [s.stop() for s in sessions]
    carried = link.close()["forward"]
    print("share an estimate:", results, carried)
    if carried["delivered"] < .95 * carried["offered"]:
        sys.exit("failed: too much is lost")


Gst.init(None)
need("x264enc", "rtpbandwidth", "encoderbitrate")
obeys(rfc8888=False)
obeys(rfc8888=True)
is_held()
share_an_estimate()
