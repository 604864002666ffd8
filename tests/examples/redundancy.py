# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""How much redundancy a sender adds, from the loss and the round trip that
pspsink announces (GstCongestion messages). To be copied into an application.

    redundancy = UlpFec(pipeline.get_by_name("fec"), latency_ms=200)
    bus.add_signal_watch()
    bus.connect("message::element", redundancy.on_message)

Nothing is added where the round trip leaves time to send again what is lost, and
that suffices. Else as much as the loss needs, if losses are independent; they
often come in bursts, so `most` is not too much where the network has room.

UlpFec sets `percentage` of rtpulpfecenc. RowsAndColumns chooses which of its two
streams rtpst2022-1-fecenc sends; rows and columns do not change while it plays."""

import math
import time

TOLERATED = 0.005       # of all packets, lost for good
MEMORY = 5.0            # s, time constant of the mean of the loss


def left_by_retransmission(loss, rtt, latency):
    """The part of packets that is still missing after `latency` s, where each
    request or its answer may be lost, too. rtt 0: unknown, so no repair comes."""
    # The gap shows when the next packet comes: half a round trip is gone.
    attempts = max(0, math.floor(latency / rtt - 0.5)) if rtt > 0 else 0
    return loss * (1 - (1 - loss) ** 2) ** attempts


def left_by_parity(loss, group):
    """The part still missing where one parity packet goes with each `group`
    packets: a packet whose group loses another one."""
    return loss * (1 - (1 - loss) ** group)


class Redundancy:
    """What both have in common. `latency_ms` is that of the receiver's jitter
    buffer, `retransmission` whether anything is sent again."""

    def __init__(self, latency_ms, retransmission=True, tolerated=TOLERATED):
        self.latency = latency_ms / 1e3
        self.retransmission = retransmission
        self.tolerated = tolerated
        self.loss = 0.0         # mean over about MEMORY
        self.rtt = 0.0          # s, the last known; 0 = unknown
        self._told = None       # the loss that is true until the next message
        self._at = None

    def on_message(self, bus, message):
        """Of the signal message::element."""
        import gi
        gi.require_version("GstCongestion", "1.0")
        from gi.repository import Gst, GstCongestion
        ok, info = GstCongestion.congestion_message_parse(message)
        if ok:
            loss, rtt = info.get_loss(), info.get_rtt()
            self.told(loss if loss >= 0 else None,
                      None if rtt == Gst.CLOCK_TIME_NONE else rtt / Gst.SECOND,
                      time.monotonic())

    def told(self, loss, rtt, now):
        """`loss` 0 to 1 and `rtt` in s, None where unknown; `now` in s."""
        if rtt:
            self.rtt = rtt
        if self._told is None:
            self.loss = loss or 0.0
        else:
            part = 1 - math.exp(-max(0.0, now - self._at) / MEMORY)
            self.loss += part * (self._told - self.loss)
            self._at = now
        if loss is not None:
            self._told, self._at = loss, now
        self.apply()

    def is_needed(self):
        left = left_by_retransmission(self.loss, self.rtt, self.latency) \
            if self.retransmission else self.loss
        return left > self.tolerated

    def apply(self):
        raise NotImplementedError


class UlpFec(Redundancy):
    """Of rtpulpfecenc. `most` bounds the percentage."""

    def __init__(self, encoder, latency_ms, most=100, **options):
        super().__init__(latency_ms, **options)
        self.encoder = encoder
        self.most = most

    def percentage(self):
        """As many parity packets to a hundred as leave what is tolerated."""
        if not self.is_needed():
            return 0
        if self.loss >= 1 or self.tolerated <= 0:
            return self.most
        group = math.log(1 - self.tolerated / self.loss) / math.log(
            1 - self.loss)
        return min(self.most, math.ceil(100 / group))

    def apply(self):
        percentage = self.percentage()
        for name in "percentage", "percentage-important":
            if self.encoder.get_property(name) != percentage:
                self.encoder.set_property(name, percentage)

    def shown(self):
        return "%d %%" % self.percentage()


class RowsAndColumns(Redundancy):
    """Of rtpst2022-1-fecenc. Rows have `columns` packets and add one to these;
    columns have `rows`."""

    def __init__(self, encoder, latency_ms, **options):
        super().__init__(latency_ms, **options)
        self.encoder = encoder

    def choice(self):
        """Whether rows, whether columns: the fewest packets that leave what is
        tolerated, or both. Columns outlast bursts, so they come first."""
        if not self.is_needed():
            return False, False
        row = left_by_parity(self.loss, self.encoder.get_property("columns"))
        column = left_by_parity(self.loss, self.encoder.get_property("rows"))
        if column <= self.tolerated:
            return False, True
        if row <= self.tolerated:
            return True, False
        return True, True

    def apply(self):
        for name, on in zip(("enable-row-fec", "enable-column-fec"),
                            self.choice()):
            if self.encoder.get_property(name) != on:
                self.encoder.set_property(name, on)

    def shown(self):
        return " and ".join(name for name, on in zip(
            ("rows", "columns"), self.choice()) if on) or "none"
