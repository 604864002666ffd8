# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The sending pipeline; argument: a JSON object. Says that it is ready, reads
when to begin, logs what happens to each picture, and the events, as CSV."""

import csv
import json
import sys
import time

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst         # noqa: E402

SHOWN = "unsent-bytes", "unacked-bytes", "rtt"


class Pictures:
    """Reads headers: picture type, and the place in display order."""

    def __init__(self):
        self.before = self.in_group = 0

    def read(self, data):
        """(place, type) of the first picture in data."""
        kind = place = None
        at = data.find(b"\0\0\1")
        while at >= 0 and at + 6 <= len(data):
            if data[at + 3] == 0xb8:
                self.before += self.in_group
                self.in_group = 0
            elif data[at + 3] == 0:
                bits = data[at + 4] << 8 | data[at + 5]
                place = self.before + (bits >> 6)
                kind = "?IPBD???"[bits >> 3 & 7]
                self.in_group += 1
                return place, kind
            at = data.find(b"\0\0\1", at + 3)
        raise ValueError("a buffer without a picture")


class Sender:
    def __init__(self, options):
        self.o, self.rows, self.events = options, [], []
        self.coded = self.handed = 0
        self.begins = True          # a picture, with the next packet
        self.pictures, self.loop = Pictures(), GLib.MainLoop()
        self.failed = None
        self.pipeline = Gst.parse_launch(
            "filesrc location=%s ! mpegvideoparse name=parse ! "
            "identity name=release sync=true ! "
            "mpegscaler name=scaler mode=requantize ! "
            "rtpmpegvideopay mtu=1400 ! rtpstreampay ! "
            "itcpsink name=sink host=%s port=%d sync=false "
            "congestion-algorithm=%s max-target-bitrate=%d "
            "increase-interval=%d max-queue-time=%d timeout=0 auto-reconnect=false" % (
                options["clip"], options["host"], options["port"],
                options["algorithm"], options["bitrate"],
                options["group"] * options["period"], options["unsent"]))
        self.sink = self.pipeline.get_by_name("sink")
        for name, value in options["sink"].items():
            Gst.util_set_object_arg(self.sink, name, str(value).lower())
        self.probe("parse", "src", self.parsed)
        self.probe("scaler", "src", self.scaled)
        self.probe("sink", "sink", self.sent)
        bus = self.pipeline.get_bus()
        bus.enable_sync_message_emission()
        bus.connect("sync-message::element", self.told)
        bus.add_signal_watch()
        bus.connect("message", self.message)

    def probe(self, element, pad, call):
        self.pipeline.get_by_name(element).get_static_pad(pad).add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, call)

    def since(self):
        return time.monotonic_ns() - self.o["start"]

    def parsed(self, pad, info):
        buffer, n = info.get_buffer(), len(self.rows)
        place, kind = self.pictures.read(buffer.extract_dup(
            0, min(buffer.get_size(), 256)))
        buffer.dts = n * self.o["period"]
        buffer.pts = (place + 1) * self.o["period"]
        buffer.duration = self.o["period"]
        self.rows.append({"frame": place, "type": kind, "coded": n,
                          "release": buffer.dts})
        return Gst.PadProbeReturn.OK

    def scaled(self, pad, info):
        row = self.rows[self.coded]
        self.coded += 1
        # of a second at the released rate
        target = self.sink.props.estimated_bitrate or self.o["bitrate"]
        row["target_bits"] = target // 30
        row["actual_bits"] = info.get_buffer().get_size() * 8
        return Gst.PadProbeReturn.OK

    def sent(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER_LIST:
            listed = info.get_buffer_list()
            for n in range(listed.length()):
                self.packet(listed.get(n))
        else:
            self.packet(info.get_buffer())
        return Gst.PadProbeReturn.OK

    def packet(self, buffer):
        if self.begins:
            row = self.rows[self.handed]
            row["departure"] = self.since()
            stats = self.sink.props.stats
            for name in SHOWN:
                row[name] = stats.get_uint64(name)[1]
        marker = buffer.extract_dup(3, 1)[0] & 0x80     # behind the length
        self.begins = bool(marker)
        self.handed += self.begins

    def told(self, bus, message):
        s = message.get_structure()
        if s.get_name() != "GstCongestion":
            return
        self.events.append({
            "time": self.since(), "kind": s.get_string("reason"),
            "target": s.get_uint64("target-bitrate")[1],
            "delay": self.sink.props.stats.get_uint64("event-delay")[1]})

    def message(self, bus, message):
        if message.type == Gst.MessageType.EOS:
            self.loop.quit()
        elif message.type == Gst.MessageType.ERROR:
            self.failed = message.parse_error()
            self.loop.quit()

    def run(self):
        print("ready", flush=True)
        self.o["start"] = int(sys.stdin.readline())
        self.pipeline.set_start_time(Gst.CLOCK_TIME_NONE)
        self.pipeline.use_clock(Gst.SystemClock.obtain())
        self.pipeline.set_base_time(self.o["start"])
        self.pipeline.set_state(Gst.State.PLAYING)
        self.loop.run()
        stats = self.sink.props.stats
        scaler = self.pipeline.get_by_name("scaler").props.stats
        self.pipeline.set_state(Gst.State.NULL)
        if self.failed:
            sys.exit("sender: %s" % (self.failed,))
        self.write(stats, scaler)

    def write(self, stats, scaler):
        write_rows(self.o["out"] + "/sent.csv", [
            "frame", "type", "coded", "release", "departure", "target_bits",
            "actual_bits", *SHOWN], self.rows)
        write_rows(self.o["out"] + "/events.csv",
                   ["time", "kind", "target", "delay"], self.events)
        with open(self.o["out"] + "/sender.txt", "w") as file:
            file.write("%s\n%s\n" % (stats.to_string(), scaler.to_string()))


def write_rows(path, names, rows):
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, names, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


if __name__ == "__main__":
    Gst.init(None)
    Sender(json.loads(sys.argv[1])).run()
