#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""pspsink and pspsrc against pylibsrtp, both ways, SRTP and SRTCP, each suite.
Skipped where the Python package pylibsrtp is not installed."""

import socket
import struct
import sys
import time

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    from pylibsrtp import Policy, Session
except (ImportError, ValueError) as reason:
    print("skipped: %s" % reason)
    sys.exit(77)

SUITES = {"aes-128-gcm": (28, Policy.SRTP_PROFILE_AEAD_AES_128_GCM),
          "aes-256-gcm": (44, Policy.SRTP_PROFILE_AEAD_AES_256_GCM),
          "aes-cm-128-hmac-sha1-80":
          (30, Policy.SRTP_PROFILE_AES128_CM_SHA1_80)}
CAPS = ("application/x-rtp,media=video,clock-rate=90000,encoding-name=X,"
        "payload=96")
PACKETS = 20
LONGEST = 20                    # s
SSRC = 0x01020304


def session(key, profile, inbound):
    return Session(policy=Policy(
        key=key, srtp_profile=profile, ssrc_type=Policy.SSRC_ANY_INBOUND
        if inbound else Policy.SSRC_ANY_OUTBOUND))


def keys_of(suite):
    size, profile = SUITES[suite]
    return bytes(range(size)), bytes(range(100, 100 + size)), profile


def set_keys(element, suite, media, feedback):
    Gst.util_set_object_arg(element, "srtp-suite", suite)
    element.set_property("srtp-feedback-key", Gst.Buffer.new_wrapped(feedback))
    element.set_property("srtp-key", Gst.Buffer.new_wrapped(media))


def packet(seq):
    return struct.pack(">BBHII", 0x80, 96, seq, 3000 * seq, SSRC) + \
        bytes([seq]) * 500


def wait_for(element, field, count):
    until = time.monotonic() + LONGEST
    while element.get_property("stats").get_value(field) < count:
        if time.monotonic() > until:
            sys.exit("failed: %s stays below %d" % (field, count))
        time.sleep(.01)


def report(ssrc, seq):
    """RFC 8888: one packet has arrived."""
    return struct.pack(">BBHIIHHHHI", 0x8b, 205, 5, 5, ssrc, seq, 1, 0x8000, 0,
                       1 << 16)


def is_rtcp(data):
    return 192 <= data[1] <= 223


def to_pspsrc(suite):
    media, feedback, profile = keys_of(suite)
    out, back = session(media, profile, False), session(feedback, profile, True)
    pipeline = Gst.parse_launch("pspsrc name=src address=127.0.0.1 port=0 ! "
                                "fakesink sync=false async=false")
    src = pipeline.get_by_name("src")
    src.set_property("caps", Gst.Caps.from_string(CAPS))
    set_keys(src, suite, media, feedback)
    pipeline.set_state(Gst.State.PLAYING)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.settimeout(LONGEST)
        for seq in range(PACKETS):
            peer.sendto(out.protect(packet(seq)),
                        ("127.0.0.1", src.get_property("port")))
        wait_for(src, "packets", PACKETS)
        clear = back.unprotect_rtcp(peer.recv(2000))
    if clear[1] not in (201, 205):
        sys.exit("failed: RTCP of type %d" % clear[1])
    if src.get_property("stats").get_value("unauthenticated"):
        sys.exit("failed: something was not authentic")
    pipeline.set_state(Gst.State.NULL)


def from_pspsink(suite):
    media, feedback, profile = keys_of(suite)
    inbound, back = session(media, profile, True), \
        session(feedback, profile, False)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("127.0.0.1", 0))
        peer.settimeout(LONGEST)
        pipeline = Gst.parse_launch(
            "appsrc name=src format=time ! pspsink name=sink host=127.0.0.1 "
            "port=%d controller=none sync=false" % peer.getsockname()[1])
        source, sink = pipeline.get_by_name("src"), pipeline.get_by_name("sink")
        source.set_property("caps", Gst.Caps.from_string(CAPS))
        set_keys(sink, suite, media, feedback)
        pipeline.set_state(Gst.State.PLAYING)
        for seq in range(PACKETS):
            source.emit("push-buffer", Gst.Buffer.new_wrapped(packet(seq)))
        seen = 0
        while seen < PACKETS:
            data, sender = peer.recvfrom(2000)
            if is_rtcp(data):
                inbound.unprotect_rtcp(data)
                continue
            clear = inbound.unprotect(data)
            seq, ssrc = struct.unpack(">H4xI", clear[2:12])
            if clear[12:] != packet(seq)[12:]:
                sys.exit("failed: packet %d is another" % seq)
            peer.sendto(back.protect_rtcp(report(ssrc, seq)), sender)
            seen += 1
        wait_for(sink, "packets-acked", PACKETS)
        if sink.get_property("stats").get_value("feedback-unauthenticated"):
            sys.exit("failed: a report was not authentic")
        pipeline.set_state(Gst.State.NULL)


Gst.init(None)
if not Gst.ElementFactory.find("pspsink"):
    sys.exit("failed: there is no pspsink")
for name in SUITES:
    to_pspsrc(name)
    from_pspsink(name)
    print("%s: both ways" % name)
