# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A clip coded as H.264 by x264enc, in a loop, sent as it is or through
mpegscaler."""

from .frames import Gst
from .h264video import decodable, structure
from .stream import RTP_CLOCK, Stream

# One reference and no pyramid: so what a picture refers to is known without
# reading slice headers. Else as files and encoders for streaming are.
CODER = ("x264enc speed-preset=veryfast bitrate={kbit} bframes=2"
         " b-pyramid=false ref=1 key-int-max={group}"
         " option-string=scenecut=0:open-gop=0")
RTP_CAPS = ("application/x-rtp,media=video,clock-rate=90000,"
            "encoding-name=H264,payload=96")


class H264Clip:
    """The coded pictures of a decoded clip; index k counts on through the
    loops."""

    def __init__(self, clip, kbit, group=60):
        self.clip = clip
        units, displays = self._encode(kbit, group)
        self.pictures = structure(units, displays)
        # By so many pictures each is shown after it is coded.
        self.reorder = max(n - p.display for n, p in enumerate(self.pictures))

    def _encode(self, kbit, group):
        pipeline = Gst.parse_launch(
            "appsrc name=in format=time caps=\"%s\" ! videoconvert ! %s"
            " ! h264parse config-interval=-1"
            " ! video/x-h264,stream-format=byte-stream,alignment=au"
            " ! appsink name=out sync=false" % (
                self.clip.caps.to_string(),
                CODER.format(kbit=kbit, group=group)))
        pipeline.set_state(Gst.State.PLAYING)
        source = pipeline.get_by_name("in")
        for n, picture in enumerate(self.clip.pictures):
            buffer = Gst.Buffer.new_wrapped(picture)
            buffer.pts, buffer.duration = self.clip.time(n), self.clip.time(1)
            source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
        units, times = [], []
        while True:
            sample = pipeline.get_by_name("out").emit("pull-sample")
            if sample is None:
                break
            buffer = sample.get_buffer()
            units.append(buffer.extract_dup(0, buffer.get_size()))
            times.append(buffer.pts)
        pipeline.set_state(Gst.State.NULL)
        if len(units) != len(self.clip.pictures):
            raise RuntimeError("x264enc made %d pictures of %d" % (
                len(units), len(self.clip.pictures)))
        return units, [self.clip.index(t - min(times)) for t in times]

    def caps(self):
        return ("video/x-h264,stream-format=byte-stream,alignment=au,"
                "framerate=%d/%d" % (self.clip.fps_n, self.clip.fps_d))

    def buffer(self, k):
        """The k-th picture, with its times."""
        loop, at = divmod(k, len(self.pictures))
        picture = self.pictures[at]
        buffer = Gst.Buffer.new_wrapped(picture.data)
        display = loop * len(self.pictures) + picture.display
        buffer.pts = self.clip.time(display + self.reorder)
        buffer.dts = self.clip.time(k)
        buffer.duration = self.clip.time(1)
        return buffer

    def display(self, timestamp):
        """Place in the order of display of what has this RTP timestamp, where
        those begin at 0."""
        return round(timestamp * self.clip.fps / RTP_CLOCK) - self.reorder


class H264Stream(Stream):
    """sink and source are launch descriptions that take {port}; filters go
    between h264parse and payloader."""

    def __init__(self, name, coded, sink, source, send_port, receive_port,
                 filters="", latency_ms=400):
        self.coded = coded
        super().__init__(
            name, coded.clip,
            "appsrc name=in format=time block=true max-buffers=2 caps=%s"
            " ! h264parse %s ! rtph264pay name=pay timestamp-offset=0"
            " seqnum-offset=0 config-interval=-1 mtu=1200 ! %s" % (
                coded.caps(), filters, sink.format(port=send_port)),
            source.format(port=receive_port, caps=RTP_CAPS) +
            " ! rtpjitterbuffer name=jitter latency=%d"
            " ! rtph264depay name=depay"
            " ! h264parse ! avdec_h264 max-threads=1 output-corrupt=false"
            " ! videoconvert ! video/x-raw,format=I420"
            " ! appsink name=out sync=false async=false emit-signals=true"
            " max-buffers=4" % latency_ms, with_ssim=True)

    def picture(self, timestamp):
        return self.coded.display(timestamp)

    def feed(self, seconds):
        """Pushes coded pictures as fast as the sink's clock lets it, to the end
        of a loop, so that none that was shown earlier is missing."""
        source = self.sender.get_by_name("in")
        length = len(self.coded.pictures)
        n = max(1, round(seconds * self.clip.fps / length)) * length
        for k in range(n):
            if source.emit("push-buffer", self.coded.buffer(k)) != \
                    Gst.FlowReturn.OK:
                break
            self.n_pictures = k + 1
        source.emit("end-of-stream")

    def decodable(self):
        return decodable(self.coded.pictures, self.n_pictures, self.whole)
