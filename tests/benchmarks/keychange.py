#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Keys that change while packets are lost: pspsink to pspsrc under SRTP over a
link that loses 5 %. Not a packet may be missing that the link has not lost.

    tests/benchmarks/keychange.py BUILD [--seconds 600] [--interval 5]
        [--keys passphrase,told]

With `passphrase`, keys change by themselves at srtp-soft-limit; with `told`, the
application sets another at pspsink, and pspsrc asks for it when it sees its MKI.
Both sessions run at the same time, 100 packets a second each. Exit status 1 says
that one lost more than the link."""

import argparse
import hashlib
import os
import struct
import sys
import tempfile

from pspbench.plugins import find_plugins
from pspbench.relay import Relay

RATE = 100                      # packets a second
PAYLOAD = 1000                  # bytes
CAPS = ("application/x-rtp,media=video,clock-rate=90000,encoding-name=X,"
        "payload=96")
SUITE = "aes-128-gcm"
KEY_SIZE = 28


def make_key(gst, mki):
    """Any function of the MKI that both ends know."""
    return gst.Buffer.new_wrapped(hashlib.sha256(b"key" + mki).digest()
                                  [:KEY_SIZE])


def bytes_of(buffer):
    return buffer.extract_dup(0, buffer.get_size())


class Session:
    def __init__(self, gst, build, folder, told, loss, interval):
        self.gst, self.told, self.n_keys, self.sent = gst, told, 0, 0
        self.received = set()
        self.src = gst.ElementFactory.make("pspsrc")
        self.sink = gst.ElementFactory.make("pspsink")
        self.src.set_property("address", "127.0.0.1")
        self.src.set_property("port", 0)
        self.src.set_property("caps", gst.Caps.from_string(CAPS))
        self.sink.set_property("host", "127.0.0.1")
        self.sink.set_property("controller", "fixed")
        self.sink.set_property("spacing", gst.MSECOND)
        self.sink.set_property("sync", False)
        for element in self.src, self.sink:
            gst.util_set_object_arg(element, "srtp-suite", SUITE)
        if told:
            self.src.connect("request-key", self.answer)
            self.src.set_property("srtp-mki", self.mki())
            self.change()
        else:
            for element in self.src, self.sink:
                element.set_property("passphrase", "told to both ends")
            self.sink.set_property("srtp-soft-limit", RATE * interval)
            self.sink.connect("soft-limit", self.count)
        self.play(build, folder, loss)

    def mki(self):
        return self.gst.Buffer.new_wrapped(struct.pack(">I", self.n_keys))

    def answer(self, element, mki):
        """At the start there is no MKI to see: the first is 0."""
        return make_key(self.gst, bytes_of(mki) if mki else bytes(4))

    def count(self, element):
        self.n_keys += 1

    def change(self):
        """Another key at the sender, if the application tells them."""
        if not self.told:
            return
        mki = self.mki()
        self.sink.set_property("srtp-mki", mki)
        self.sink.set_property("srtp-key", make_key(self.gst, bytes_of(mki)))
        self.n_keys += 1

    def play(self, build, folder, loss):
        gst = self.gst
        self.receiver, self.sender = gst.Pipeline(), gst.Pipeline()
        end = gst.ElementFactory.make("fakesink")
        end.set_property("sync", False)
        end.set_property("async", False)
        for element in self.src, end:
            self.receiver.add(element)
        self.src.link(end)
        end.get_static_pad("sink").add_probe(
            gst.PadProbeType.BUFFER | gst.PadProbeType.BUFFER_LIST, self.take)
        self.receiver.set_state(gst.State.PLAYING)
        self.link = Relay(
            os.path.join(build, "tests", "link", "relay", "psp-link-relay"),
            self.src.get_property("port"), "delay=20ms,loss=%g" % loss,
            "delay=20ms,loss=%g" % loss,
            os.path.join(folder, "told" if self.told else "passphrase"))
        self.source = gst.ElementFactory.make("appsrc")
        self.source.set_property("caps", gst.Caps.from_string(CAPS))
        self.source.set_property("format", gst.Format.TIME)
        self.sink.set_property("port", self.link.port)
        for element in self.source, self.sink:
            self.sender.add(element)
        self.source.link(self.sink)
        self.sender.set_state(gst.State.PLAYING)

    def take(self, pad, info):
        if info.type & self.gst.PadProbeType.BUFFER_LIST:
            packets = info.get_buffer_list()
            buffers = [packets.get(i) for i in range(packets.length())]
        else:
            buffers = [info.get_buffer()]
        for buffer in buffers:
            self.received.add(struct.unpack(">I", buffer.extract_dup(12, 4))[0])
        return self.gst.PadProbeReturn.OK

    def push(self):
        """A packet, which is a picture, with its number in the payload."""
        header = struct.pack(">BBHII", 0x80, 0x80 | 96, self.sent & 0xffff,
                             self.sent * 90000 // RATE & 0xffffffff, 7)
        body = struct.pack(">I", self.sent) + bytes(PAYLOAD - 4)
        buffer = self.gst.Buffer.new_wrapped(header + body)
        buffer.pts = self.sent * self.gst.SECOND // RATE
        self.source.emit("push-buffer", buffer)
        self.sent += 1

    def stop(self):
        """(packets that are missing, those that the link lost)."""
        stats = self.src.get_property("stats")
        self.sender.set_state(self.gst.State.NULL)
        rows = self.link.stop()
        self.receiver.set_state(self.gst.State.NULL)
        lost = sum(row.dropped for row in rows if row.size > PAYLOAD)
        refused = stats.get_value("unauthenticated"), \
            stats.get_value("replayed")
        return self.sent - len(self.received), lost, refused


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--interval", type=int, default=5)
    parser.add_argument("--loss", type=float, default=.05)
    parser.add_argument("--keys", default="passphrase,told")
    args = parser.parse_args()
    find_plugins(args.build)
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
    Gst.init(None)
    if not Gst.ElementFactory.find("pspsink"):
        sys.exit("there is no pspsink in " + args.build)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        sessions = {name: Session(Gst, args.build, folder, name == "told",
                                  args.loss, args.interval)
                    for name in args.keys.split(",")}
        loop, n = GLib.MainLoop(), 0

        def tick():
            nonlocal n
            n += 1
            for session in sessions.values():
                session.push()
                if n % (RATE * args.interval) == 0:
                    session.change()
            if n == args.seconds * RATE:
                GLib.timeout_add(1000, loop.quit)
                return False
            return True
        GLib.timeout_add(1000 // RATE, tick)
        loop.run()
        print("%-10s %5s %8s %9s %8s %s" % (
            "keys", "keys", "packets", "missing", "lost", "refused, replayed"))
        for name, session in sessions.items():
            missing, lost, refused = session.stop()
            failed |= missing != lost or session.n_keys < 2
            print("%-10s %5d %8d %9d %8d %s" % (
                name, session.n_keys, session.sent, missing, lost,
                "%d, %d" % refused), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
