# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A coded MPEG-2 clip in a loop, sent as it is or through mpegscaler."""

from .frames import Gst
from .mpegvideo import read_pictures
from .stream import RTP_CLOCK, Stream

RTP_CAPS = ("application/x-rtp,media=video,clock-rate=90000,"
            "encoding-name=MPV,payload=32")


class MpegClip:
    """The coded pictures; index k counts on through the loops."""

    def __init__(self, path):
        self.pictures, rate, self.n_fields = read_pictures(path)
        self.field_ticks = RTP_CLOCK * rate[1] / (2 * rate[0])
        self.display_at = {p.field: p.display for p in self.pictures}
        self.first_field = self.pictures[0].field

    def seconds(self):
        return self.n_fields * self.field_ticks / RTP_CLOCK

    def whole_groups(self, seconds):
        """How many coded pictures fill about that time."""
        n = int(seconds / self.seconds() * len(self.pictures))
        while n % len(self.pictures) and \
                not self.pictures[n % len(self.pictures)].group:
            n += 1
        return n

    def display(self, ticks):
        """Place in the order of display of the picture that is shown `ticks`
        after the first coded one."""
        field = round(ticks / self.field_ticks) + self.first_field
        loop, field = divmod(field, self.n_fields)
        return loop * len(self.pictures) + self.display_at.get(field, -1)


class MpegStream(Stream):
    """sink and source are launch descriptions that take {port}; filters go
    between mpegvideoparse and payloader."""

    def __init__(self, name, clip, coded, sink, source, send_port,
                 receive_port, filters="", latency_ms=400):
        self.coded, self.first_timestamp = coded, None
        super().__init__(
            name, clip,
            "appsrc name=in block=true max-buffers=2 caps=video/mpeg,"
            "mpegversion=2,systemstream=false,parsed=false ! mpegvideoparse "
            "%s ! rtpmpegvideopay name=pay timestamp-offset=0 seqnum-offset=0"
            " mtu=1200 ! %s" % (filters, sink.format(port=send_port)),
            source.format(port=receive_port, caps=RTP_CAPS) +
            " ! rtpjitterbuffer name=jitter latency=%d"
            " ! rtpmpegvideodepay name=depay"
            " ! mpegvideoparse ! avdec_mpeg2video max-threads=1"
            " output-corrupt=true"
            " ! videoconvert ! video/x-raw,format=I420"
            " ! appsink name=out sync=false async=false emit-signals=true"
            " max-buffers=4" % latency_ms, with_ssim=True)

    def picture(self, timestamp):
        if self.first_timestamp is None:        # the first coded picture is I
            self.first_timestamp = timestamp
        ticks = (timestamp - self.first_timestamp + 2**31) % 2**32 - 2**31
        return self.coded.display(ticks)

    def feed(self, seconds):
        """Pushes coded pictures as fast as the sink's clock lets it."""
        source = self.sender.get_by_name("in")
        loop = self.coded.pictures
        for index in range(self.coded.whole_groups(seconds)):
            buffer = Gst.Buffer.new_wrapped(loop[index % len(loop)].data)
            if source.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
                break
            self.n_pictures = index + 1
        source.emit("end-of-stream")

    def decodable(self):
        """By the source's own references: whole, and all they refer to is."""
        loop, found, good = self.coded.pictures, [], {}
        for k in range(self.n_pictures):
            n, at = divmod(k, len(loop))
            base = n * len(loop)
            display = base + loop[at].display
            good[k] = self.whole(display) and all(
                good[base + r] for r in loop[at].references)
            if good[k]:
                found.append(display)
        return found
