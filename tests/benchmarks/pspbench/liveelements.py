# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Ends of a run of live.py without pspsink: an element finds the bandwidth, by what
its kind of receiver reports to a port of its own."""

# By the element's name: whether encoders obey it by themselves.
ELEMENTS = {"rtpbandwidth": True, "rtpgccbwe": False, "screamtx": False}
REPORTS = 5006          # port
RECEIVED = "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264," \
    "payload=96"
NUMBERED = "extmap-3=(string)http://www.ietf.org/id/" \
    "draft-holmer-rmcat-transport-wide-cc-extensions-01"
OUT = "udpsink name=rtp host=%s port=%d sync=false async=false"
IN = "udpsrc name=in address=%s port=%d caps=%s"
BACK = "udpsink host=%s port=%d sync=false async=false"


def auxiliary(Gst, element):
    """What rtpbin's request-aux-sender returns."""
    def box(_, session):
        found = Gst.Bin()
        found.add(element)
        for name in "sink", "src":
            found.add_pad(Gst.GhostPad.new("%s_%u" % (name, session),
                                           element.get_static_pad(name)))
        return found
    return box


def rtpbin_sender(Gst, head, o):
    estimator = Gst.ElementFactory.make(o["element"])
    estimator.set_property("estimated-bitrate", o["start"])
    pipeline = Gst.parse_launch(
        "rtpbin name=bin rtp-profile=avpf udpsrc name=rtcp port=%d "
        "caps=application/x-rtcp %s %s ! capsfilter name=numbered "
        "caps=application/x-rtp,%s" % (REPORTS, OUT % (o["host"], o["port"]),
                                       head, NUMBERED))
    rtpbin = pipeline.get_by_name("bin")
    rtpbin.connect("request-aux-sender", auxiliary(Gst, estimator))
    pipeline.get_by_name("numbered").link_pads("src", rtpbin, "send_rtp_sink_0")
    rtpbin.link_pads("send_rtp_src_0", pipeline.get_by_name("rtp"), "sink")
    pipeline.get_by_name("rtcp").link_pads("src", rtpbin, "recv_rtcp_sink_0")
    return pipeline, estimator, lambda: estimator.get_property(
        "estimated-bitrate") // 1000


def scream_sender(Gst, head, o):
    pipeline = Gst.parse_launch(
        "%s ! queue ! screamtx name=estimator params=\"-nosummary -initrate %d "
        "-minrate 30 -maxrate 20000\" estimator.src ! queue ! %s "
        "udpsrc port=%d caps=application/x-rtcp ! estimator.rtcp_sink "
        "estimator.rtcp_src ! fakesink async=false" % (
            head, o["start"] // 1000, OUT % (o["host"], o["port"]), REPORTS))
    estimator = pipeline.get_by_name("estimator")
    return pipeline, estimator, lambda: estimator.get_property(
        "current-max-bitrate")


def sender(Gst, head, o):
    """`head` ends in the payloader, with %s where encoders are set. Beside an
    element that they do not obey, its application sets them, as here."""
    obeys = ELEMENTS[o["element"]]
    make = scream_sender if o["element"] == "screamtx" else rtpbin_sender
    pipeline, estimator, kbits = make(
        Gst, head % ("encoderbitrate" if obeys else "identity"), o)
    coder = pipeline.get_by_name("coder")
    if not obeys:
        estimator.connect(
            "notify::current-max-bitrate" if make is scream_sender else
            "notify::estimated-bitrate",
            lambda *_: coder.set_property("bitrate", max(1, kbits())))
    return pipeline


def receiver(Gst, o):
    """Its media are those of the element `in`."""
    address, back = (o["host"], o["port"]), BACK % (o["sender"], REPORTS)
    if o["element"] == "screamtx":
        return Gst.parse_launch(
            "%s ! screamrx name=estimator estimator.src "
            "! fakesink sync=false async=false estimator.rtcp_src ! %s" % (
                IN % (*address, RECEIVED), back))
    pipeline = Gst.parse_launch(
        "rtpbin name=bin rtp-profile=avpf %s ! bin.recv_rtp_sink_0 "
        "bin.send_rtcp_src_0 ! %s fakesink name=out sync=false async=false" % (
            IN % (*address, RECEIVED + "," + NUMBERED), back))
    out = pipeline.get_by_name("out").get_static_pad("sink")
    pipeline.get_by_name("bin").connect(
        "pad-added", lambda _, pad: out.is_linked() or
        pad.get_name().startswith("recv_rtp_src_") and pad.link(out))
    return pipeline


def as_left(made, left):
    """What the encoder made, [number, time stamp, octets, time], with the numbers
    that it left with: behind a picture that was left out others follow at once. A
    packet that did not leave has none. left: without the time."""
    at, out = {}, {stamp for _, stamp, _ in left}
    for _, stamp, _, time in made:
        at.setdefault(stamp, time)
    return [[number, stamp, octets, at[stamp]] for number, stamp, octets in left
            if stamp in at] + [[None, *row[1:]] for row in made
                               if row[1] not in out]
