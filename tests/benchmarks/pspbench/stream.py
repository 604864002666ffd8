# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A stream from a clip to a viewer, accounted packet by packet."""

import threading

from .frames import Gst, Viewer, decibel, np

RTP_CLOCK = 90000


def rtp_packets(info):
    """(sequence number, timestamp, size, buffer) of each RTP packet in a pad
    probe."""
    if info.type & Gst.PadProbeType.BUFFER_LIST:
        buffers = info.get_buffer_list()
        buffers = [buffers.get(i) for i in range(buffers.length())]
    else:
        buffers = [info.get_buffer()]
    for buffer in buffers:
        head = buffer.extract_dup(0, 8)
        yield (int.from_bytes(head[2:4], "big"),
               int.from_bytes(head[4:8], "big"), buffer.get_size(), buffer)


class Stream:
    """Sender and receiver are launch descriptions with elements named `in`
    (appsrc), `pay`, `jitter`, `depay` and `out` (appsink). What a subclass
    adds: `picture`, the number in the order of display that an RTP timestamp
    stands for; `feed`; `decodable`."""

    def __init__(self, name, clip, sender, receiver, with_ssim=False):
        self.name, self.clip = name, clip
        self.viewer = Viewer(clip, with_ssim)
        self.lock = threading.Lock()
        self.packets_of = {}    # picture → its sequence numbers
        self.bytes_of = {}      # picture → its RTP payload, bytes
        self.arrived = set()    # (picture, sequence number)
        self.bytes_sent = self.bytes_arrived = 0
        self.picture_at = {}    # presentation time at the receiver → picture
        self.targets = []       # (running time of the sender, bits/s)
        self.n_pictures = 0
        self.errors = []
        self.receiver = Gst.parse_launch(receiver)
        self.sender = Gst.parse_launch(sender)
        self._watch()

    def _watch(self):
        out = self.receiver.get_by_name("out")
        out.connect("new-sample", self._on_sample)
        both = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST
        jitter = self.receiver.get_by_name("jitter")
        jitter.get_static_pad("sink").add_probe(both, self._on_arrival)
        depay = self.receiver.get_by_name("depay")
        depay.get_static_pad("sink").add_probe(both, self._on_play)
        pay = self.sender.get_by_name("pay")
        pay.get_static_pad("src").add_probe(both, self._on_packet)
        for pipeline in (self.sender, self.receiver):
            bus = pipeline.get_bus()
            bus.enable_sync_message_emission()
            bus.connect("sync-message", self._on_message)

    def _on_message(self, bus, message):
        if message.type == Gst.MessageType.ERROR:
            self.errors.append("%s: %s" % (self.name, message.parse_error()))
        elif message.type == Gst.MessageType.ELEMENT:
            s = message.get_structure()
            if s.get_name() == "GstCongestion" and \
                    s.has_field("target-bitrate"):
                base = self.sender.get_base_time()      # 0 before PLAYING
                now = self.sender.get_pipeline_clock().get_time() - base \
                    if base else 0
                self.targets.append((now / Gst.SECOND,
                                     s.get_value("target-bitrate")))

    def _on_packet(self, pad, info):
        with self.lock:
            for seq, timestamp, size, _ in rtp_packets(info):
                picture = self.picture(timestamp)
                self.packets_of.setdefault(picture, []).append(seq)
                self.bytes_of[picture] = \
                    self.bytes_of.get(picture, 0) + size - 12
                self.bytes_sent += size
        return Gst.PadProbeReturn.OK

    def _on_arrival(self, pad, info):
        with self.lock:
            for seq, timestamp, size, _ in rtp_packets(info):
                self.bytes_arrived += size
        return Gst.PadProbeReturn.OK

    def _on_play(self, pad, info):
        with self.lock:
            for seq, timestamp, size, buffer in rtp_packets(info):
                picture = self.picture(timestamp)
                self.arrived.add((picture, seq))
                self.picture_at[buffer.pts] = picture
        return Gst.PadProbeReturn.OK

    def _on_sample(self, sink):
        sample = sink.emit("pull-sample")
        buffer = sample.get_buffer()
        with self.lock:
            picture = self.picture_at.get(buffer.pts)
        if picture is not None:
            size = self.clip.width * self.clip.height
            luma = np.frombuffer(buffer.extract_dup(0, size), np.uint8)
            self.viewer.show(picture, luma)
        return Gst.FlowReturn.OK

    def start(self):
        self.receiver.set_state(Gst.State.PLAYING)
        self.receiver.get_state(5 * Gst.SECOND)
        self.sender.set_state(Gst.State.PLAYING)

    def finish(self, timeout=10):
        bus = self.sender.get_bus()
        bus.timed_pop_filtered(timeout * Gst.SECOND,
                               Gst.MessageType.EOS | Gst.MessageType.ERROR)

    def stop(self):
        self.sender.set_state(Gst.State.NULL)
        self.receiver.set_state(Gst.State.NULL)

    def whole(self, picture):
        seqs = self.packets_of.get(picture, [])
        return bool(seqs) and all(
            (picture, seq) in self.arrived for seq in seqs)

    def score(self):
        """Pictures delivered whole, decodable (whole, and so is all that they
        refer to), their bytes, and how every picture of the source looked."""
        n = self.n_pictures
        delivered = sum(self.whole(i) for i in range(n))
        decodable = self.decodable()
        scores = self.viewer.finish(n)
        result = {"pictures": n, "delivered": delivered,
                  "decodable": len(decodable),
                  "decodable_bytes": sum(self.bytes_of[i] for i in decodable),
                  "damaged": self.viewer.damaged,
                  "psnr": decibel(sum(e for e, _ in scores) / max(1, n))}
        if self.viewer.with_ssim:
            result["ssim"] = sum(s for _, s in scores) / max(1, n)
        return result
