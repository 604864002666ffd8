# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A clip encoded live with x264enc."""

from .frames import Gst
from .stream import RTP_CLOCK, Stream

ENCODER = ("x264enc name=encoder tune=zerolatency speed-preset=superfast "
           "key-int-max=60 vbv-buf-capacity=200 bitrate={kbit}")
RTP_CAPS = ("application/x-rtp,media=video,clock-rate=90000,"
            "encoding-name=H264,payload=96")


class LiveStream(Stream):
    """sink and source are launch descriptions that take {port}; encode_kbit is
    the encoder's first bitrate; filters go between encoder and payloader."""

    def __init__(self, name, clip, sink, source, send_port, receive_port,
                 encode_kbit, filters="", latency_ms=400):
        self.keys = set()       # pictures coded without reference
        super().__init__(
            name, clip,
            "appsrc name=in format=time is-live=true block=true max-buffers=1"
            " caps=\"%s\" ! clocksync ! videoconvert ! %s ! "
            "video/x-h264,profile=high,stream-format=byte-stream "
            "%s ! rtph264pay name=pay timestamp-offset=0 seqnum-offset=0 "
            "aggregate-mode=zero-latency mtu=1200 config-interval=-1 ! %s"
            % (clip.caps.to_string(), ENCODER.format(kbit=encode_kbit),
               filters, sink.format(port=send_port)),
            source.format(port=receive_port, caps=RTP_CAPS) +
            " ! rtpjitterbuffer name=jitter latency=%d"
            " ! rtph264depay name=depay"
            " ! h264parse ! avdec_h264 max-threads=1 output-corrupt=false"
            " ! videoconvert ! video/x-raw,format=I420"
            " ! appsink name=out sync=false async=false emit-signals=true"
            " max-buffers=4" % latency_ms)
        encoder = self.sender.get_by_name("encoder")
        encoder.get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER, self._on_coded)

    def picture(self, timestamp):
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

    def feed(self, seconds):
        """Pushes pictures at their times; blocks as the pipeline does."""
        source = self.sender.get_by_name("in")
        for index in range(int(seconds * self.clip.fps)):
            buffer = Gst.Buffer.new_wrapped(self.clip.picture(index))
            buffer.pts = self.clip.time(index)
            buffer.duration = self.clip.time(1)
            if source.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
                break
            self.n_pictures = index + 1
        source.emit("end-of-stream")

    def decodable(self):
        found, chain = [], False
        for picture in range(self.n_pictures):
            chain = self.whole(picture) and (chain or picture in self.keys)
            if chain:
                found.append(picture)
        return found
