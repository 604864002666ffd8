# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Ends of a run of live.py that are rtpbin's: an element beside the session finds
the bandwidth by the receiver's transport-wide feedback. RTCP comes back on a port
of its own, and leaves by none."""

# By the element's name: whether encoders obey it by themselves.
ELEMENTS = {"rtpbandwidth": True, "rtpgccbwe": False}
RTCP_PORT = 5006
RECEIVED = "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264," \
    "payload=96"
NUMBERED = "extmap-3=(string)http://www.ietf.org/id/" \
    "draft-holmer-rmcat-transport-wide-cc-extensions-01"


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


def sender(Gst, head, o):
    """`head` ends in the payloader, with %s where encoders are set. Beside an
    element that they do not obey, its application sets them, as here."""
    estimator = Gst.ElementFactory.make(o["element"])
    estimator.set_property("estimated-bitrate", o["start"])
    pipeline = Gst.parse_launch(
        "rtpbin name=bin rtp-profile=avpf udpsrc name=rtcp port=%d "
        "caps=application/x-rtcp udpsink name=rtp host=%s port=%d sync=false "
        "async=false %s ! capsfilter name=numbered caps=application/x-rtp,%s" % (
            RTCP_PORT, o["host"], o["port"],
            head % ("encoderbitrate" if ELEMENTS[o["element"]] else "identity"),
            NUMBERED))
    rtpbin, coder = (pipeline.get_by_name(n) for n in ("bin", "coder"))
    rtpbin.connect("request-aux-sender", auxiliary(Gst, estimator))
    pipeline.get_by_name("numbered").link_pads("src", rtpbin, "send_rtp_sink_0")
    rtpbin.link_pads("send_rtp_src_0", pipeline.get_by_name("rtp"), "sink")
    pipeline.get_by_name("rtcp").link_pads("src", rtpbin, "recv_rtcp_sink_0")
    if not ELEMENTS[o["element"]]:
        # bit/s there, and kbit/s in x264enc.
        estimator.connect("notify::estimated-bitrate", lambda e, _:
                          coder.set_property("bitrate", max(
                              1, e.get_property("estimated-bitrate") // 1000)))
    return pipeline


def receiver(Gst, o):
    """Its media are those of the element `in`."""
    pipeline = Gst.parse_launch(
        "rtpbin name=bin rtp-profile=avpf udpsrc name=in address=%s port=%d "
        "caps=%s,%s ! bin.recv_rtp_sink_0 bin.send_rtcp_src_0 ! udpsink host=%s "
        "port=%d sync=false async=false fakesink name=out sync=false async=false"
        % (o["host"], o["port"], RECEIVED, NUMBERED, o["sender"], RTCP_PORT))
    out = pipeline.get_by_name("out").get_static_pad("sink")
    pipeline.get_by_name("bin").connect(
        "pad-added", lambda _, pad: out.is_linked() or
        pad.get_name().startswith("recv_rtp_src_") and pad.link(out))
    return pipeline
