#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""rtpbin to rtpbin over an emulated link: a live encoder that obeys the network,
by transport-wide feedback and by RFC 8888's, and one that does not and is held,
with retransmission."""

import sys

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


class Session:
    def __init__(self, link, bitrate, obeys, rfc8888=False, **properties):
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
        self.jitterbuffers = []
        receiving.connect("new-jitterbuffer",
                          lambda b, j, s, i: self.jitterbuffers.append(j))
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
            source(bitrate, obeys) + ("" if rfc8888 else NUMBERED), True)
        self.sender.add(encoder)
        self.encoder = encoder.get_by_name("encoder")
        encoder.link_pads("src", sending, "send_rtp_sink_0")
        sending.link_pads("send_rtp_src_0", self.sender.get_by_name("rtp"),
                          "sink")
        self.start(receiving, sending, link)

    def on_pad_added(self, rtpbin, pad):
        if pad.get_name().startswith("recv_rtp_src_"):
            pad.link(self.receiver.get_by_name("media").get_static_pad("sink"))

    def start(self, receiving, sending, link):
        # Ports are known once they are bound.
        for p in self.receiver, self.sender:
            for name in "rtp", "rtcp-in":
                if p.get_by_name(name).get_factory().get_name() == "udpsrc":
                    p.get_by_name(name).set_state(Gst.State.READY)
        port = {(p, name): p.get_by_name(name).get_property("port")
                for p in (self.receiver, self.sender)
                for name in ("rtp", "rtcp-in")}
        self.link = Link(port[self.receiver, "rtp"], link)
        self.sender.get_by_name("rtp").set_property("port", self.link.port)
        link_rtcp(self.receiver, receiving, port[self.sender, "rtcp-in"])
        link_rtcp(self.sender, sending, port[self.receiver, "rtcp-in"])
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
        return *result, self.link.close()["forward"]


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


def is_held():
    """The encoder makes a quarter more than may leave, and packets are lost:
    whole pictures are left out, and nobody waits for them."""
    s = Session("delay=20ms,loss=0.02", 500000, False, estimated_bitrate=400000,
                max_bitrate=400000, max_queue_time=100 * Gst.MSECOND)
    s.wait_for("held", lambda: s.stats()["dropped-pictures"] > 60)
    sent, received, link = s.stop()
    print("is held:", sent, received, link)
    # A fifth would be missing if numbers had gaps. Of what the link lost most
    # is repaired. On a busy machine something may come too late.
    if received["num-lost"] > link["lost"] + received["num-late"]:
        sys.exit("failed: the receiver misses %d packets, and the link lost %d"
                 % (received["num-lost"], link["lost"]))
    if received["rtx-success-count"] == 0:
        sys.exit("failed: nothing was repaired")


Gst.init(None)
need("x264enc", "rtpbandwidth", "encoderbitrate")
obeys(rfc8888=False)
obeys(rfc8888=True)
is_held()
