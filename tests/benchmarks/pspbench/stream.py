# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A live H.264 stream from a clip to a viewer, accounted packet by packet."""

import socket
import threading

from .frames import Gst, Viewer, np

RTP_CLOCK = 90000
ENCODER = ("x264enc name=encoder tune=zerolatency speed-preset=superfast "
           "key-int-max=60 vbv-buf-capacity=200 bitrate={kbit}")
RTP_CAPS = ("application/x-rtp,media=video,clock-rate=90000,"
            "encoding-name=H264,payload=96")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def rtp_packets(info):
    """(sequence number, timestamp, size) of each RTP packet in a pad probe."""
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
    """sink and source are launch descriptions that take {port}; encode_kbit is
    the encoder's first bitrate; filters go between encoder and payloader."""

    def __init__(self, name, clip, sink, source, send_port, receive_port,
                 encode_kbit, filters="", latency_ms=400):
        self.name, self.clip = name, clip
        self.viewer = Viewer(clip)
        self.lock = threading.Lock()
        self.packets_of = {}    # picture → its sequence numbers
        self.keys = set()       # pictures coded without reference
        self.arrived = set()    # sequence numbers, extended
        self.bytes_sent = self.bytes_arrived = 0
        self.picture_at = {}    # presentation time at the receiver → picture
        self.targets = []       # (running time of the sender, bits/s)
        self.next_picture = 0
        self.errors = []
        self.receiver = Gst.parse_launch(
            source.format(port=receive_port) +
            " ! rtpjitterbuffer name=jitter latency=%d"
            " ! rtph264depay name=depay"
            " ! h264parse ! avdec_h264 max-threads=1 output-corrupt=false"
            " ! videoconvert ! video/x-raw,format=I420"
            " ! appsink name=out sync=false async=false emit-signals=true"
            " max-buffers=4"
            % latency_ms)
        self.sender = Gst.parse_launch(
            "appsrc name=in format=time is-live=true block=true max-buffers=1"
            " caps=\"%s\" ! clocksync ! videoconvert ! %s ! "
            "video/x-h264,profile=high,stream-format=byte-stream "
            "%s ! rtph264pay name=pay timestamp-offset=0 seqnum-offset=0 "
            "aggregate-mode=zero-latency mtu=1200 config-interval=-1 ! %s"
            % (clip.caps.to_string(), ENCODER.format(kbit=encode_kbit),
               filters, sink.format(port=send_port)))
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
        encoder = self.sender.get_by_name("encoder")
        encoder.get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER, self._on_coded)
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
                now = self.sender.get_pipeline_clock().get_time() - \
                    self.sender.get_base_time()
                self.targets.append((now / Gst.SECOND,
                                     s.get_value("target-bitrate")))

    def _picture(self, timestamp):
        return round(timestamp * self.clip.fps / RTP_CLOCK)

    def _on_coded(self, pad, info):
        buffer = info.get_buffer()
        if not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT):
            # x264enc starts its output an hour in, for negative DTS.
            segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
            segment = segment.parse_segment()
            time = segment.to_running_time(Gst.Format.TIME, buffer.pts)
            with self.lock:
                self.keys.add(self.clip.index(time))
        return Gst.PadProbeReturn.OK

    def _on_packet(self, pad, info):
        with self.lock:
            for seq, timestamp, size, _ in rtp_packets(info):
                self.packets_of.setdefault(
                    self._picture(timestamp), []).append(seq)
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
                picture = self._picture(timestamp)
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

    def feed(self, n):
        """Pushes n pictures at their times; blocks as the pipeline does."""
        source = self.sender.get_by_name("in")
        for index in range(n):
            buffer = Gst.Buffer.new_wrapped(self.clip.picture(index))
            buffer.pts = self.clip.time(index)
            buffer.duration = self.clip.time(1)
            if source.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
                break
            self.next_picture = index + 1
        source.emit("end-of-stream")

    def finish(self, timeout=10):
        bus = self.sender.get_bus()
        bus.timed_pop_filtered(timeout * Gst.SECOND,
                               Gst.MessageType.EOS | Gst.MessageType.ERROR)

    def stop(self):
        self.sender.set_state(Gst.State.NULL)
        self.receiver.set_state(Gst.State.NULL)

    def score(self):
        """Pictures delivered whole, decodable (whole, and so is all that they
        refer to), and luma PSNR over every picture of the source."""
        n = self.next_picture
        delivered, decodable, chain = set(), 0, False
        for picture in range(n):
            seqs = self.packets_of.get(picture, [])
            whole = bool(seqs) and all(
                (picture, seq) in self.arrived for seq in seqs)
            if whole:
                delivered.add(picture)
            chain = whole and (chain or picture in self.keys)
            decodable += chain
        scores = self.viewer.finish(n)
        return {"pictures": n, "delivered": len(delivered),
                "decodable": decodable,
                "psnr": sum(scores) / len(scores) if scores else 0.0}
