# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What receivers require of an MPEG transport stream (ISO/IEC 13818-1): how
far apart its PCR are and how exact, continuity, and pictures that are not there
when they are to be decoded.

A file has no times of arrival. A byte arrives when the PCR around it say, at
the rate that they give (clause 2.4.2.2). So of a stream without a constant
rate, late pictures are a guess where nothing was sent for a while."""

import bisect
import collections

PACKET = 188
SYNC = 0x47
NULL_PID = 0x1fff
SYSTEM_CLOCK = 27_000_000
PTS_CLOCK = 90_000
PTS_CYCLE = 2**33
PCR_CYCLE = 300 * PTS_CYCLE
VIDEO_STREAMS = range(0xe0, 0xf0)       # stream_id, clause 2.4.3.7

# counter: continuity_counter; payload: whether it has any; jump: whether
# discontinuity_indicator is set; pcr: 27 MHz, or None; unit: whether a PES
# packet or section begins; dts: 90 kHz, of the picture that begins, or None.
Packet = collections.namedtuple("Packet",
                                "pid counter payload jump pcr unit dts")

# Of a file: bytes, seconds from the first PCR to the last, bits a second of all
# and of null packets, continuity errors, the longest time between two PCR (s),
# the largest error of one (s; None without a constant rate), pictures, those
# later than their DTS, the least margin before a DTS (s).
Report = collections.namedtuple(
    "Report", "bytes seconds bitrate stuffing continuity_errors pcr_gap"
    " pcr_error pictures late margin")


class Damaged(Exception):
    """Not a transport stream, or a part of one."""


def _time_stamp(data):
    """PTS or DTS of 5 bytes, clause 2.4.3.6."""
    return ((data[0] >> 1 & 7) << 30 | data[1] << 22 | data[2] >> 1 << 15 |
            data[3] << 7 | data[4] >> 1)


def _dts(payload):
    """DTS of the video PES packet that begins, PTS where it has none."""
    if len(payload) < 14 or payload[:3] != b"\0\0\1" or \
            payload[3] not in VIDEO_STREAMS:
        return None
    flags = payload[7] >> 6
    if flags == 3 and len(payload) >= 19:
        return _time_stamp(payload[14:19])
    return _time_stamp(payload[9:14]) if flags & 2 else None


def _adaptation(data):
    """(length with its own byte, discontinuity, PCR) of the field, if any."""
    if not data[3] & 0x20:
        return 0, False, None
    length = data[4]
    if length > PACKET - 5:
        raise Damaged("an adaptation field of %d bytes" % length)
    flags = data[5] if length else 0
    pcr = None
    if flags & 0x10 and length >= 7:
        base = int.from_bytes(data[6:11], "big") >> 7
        pcr = 300 * base + ((data[10] & 1) << 8 | data[11])
    return 1 + length, bool(flags & 0x80), pcr


def read_packets(data):
    """Each packet of a stream that begins with one. What follows the last whole
    one is left out."""
    if len(data) < PACKET:
        raise Damaged("%d bytes are no packet" % len(data))
    for at in range(0, len(data) - PACKET + 1, PACKET):
        packet = data[at:at + PACKET]
        if packet[0] != SYNC:
            raise Damaged("no sync byte at %d" % at)
        skipped, jump, pcr = _adaptation(packet)
        payload = packet[4 + skipped:] if packet[3] & 0x10 else b""
        begins = bool(packet[1] & 0x40) and bool(payload)
        yield Packet((packet[1] & 0x1f) << 8 | packet[2], packet[3] & 15,
                     bool(payload), jump, pcr, begins,
                     _dts(payload) if begins else None)


def continuity_errors(packets):
    """Packets whose counter is not the one expected (clause 2.4.3.3): one more
    where there is payload, and once the same again."""
    errors, last = 0, {}
    for p in packets:
        if p.pid == NULL_PID:
            continue
        if p.pid in last and not p.jump:
            counter, repeated = last[p.pid]
            if p.payload and p.counter == counter and not repeated:
                last[p.pid] = counter, True
                continue
            errors += p.counter != (counter + p.payload) % 16
        last[p.pid] = p.counter, False
    return errors


class Clock:
    """The stream's time, s from its first PCR, at each byte. The PCR's instant
    is that of the last byte of its base (clause 2.4.3.5), 10 into the packet
    where an adaptation field has nothing before it."""

    def __init__(self, packets):
        self.pid = next((p.pid for p in packets if p.pcr is not None), None)
        self.points = []                # (byte, s)
        self.first = None
        time = previous = 0
        for n, p in enumerate(packets):
            if p.pcr is None or p.pid != self.pid:
                continue
            if self.first is None:
                self.first = previous = p.pcr
            # A jump of the time base would need a clock for each part.
            if p.jump and self.points:
                raise Damaged("the time base jumps at packet %d" % n)
            time += (p.pcr - previous) % PCR_CYCLE
            previous = p.pcr
            self.points.append((PACKET * n + 10, time / SYSTEM_CLOCK))
        if len(self.points) < 2 or self.points[-1][1] == 0:
            raise Damaged("%d PCR, and there is no time without two" %
                          len(self.points))

    def at(self, byte):
        """Beyond the first and last PCR: at the rate between the next two."""
        n = bisect.bisect_right(self.points, (byte, float("inf")))
        n = min(max(n, 1), len(self.points) - 1)
        (b0, t0), (b1, t1) = self.points[n - 1:n + 1]
        return t0 + (byte - b0) * (t1 - t0) / (b1 - b0)

    def of_stamp(self, stamp):
        """Seconds that a PTS or DTS stands for, within half a cycle."""
        ticks = (stamp - self.first // 300) % PTS_CYCLE
        if ticks >= PTS_CYCLE // 2:
            ticks -= PTS_CYCLE
        return ticks / PTS_CLOCK - self.first % 300 / SYSTEM_CLOCK

    def gap(self):
        return max(b[1] - a[1] for a, b in zip(self.points, self.points[1:]))

    def error(self):
        """The farthest that a PCR is from a constant rate: from the line of
        least squares."""
        n = len(self.points)
        byte = sum(b for b, _ in self.points) / n
        time = sum(t for _, t in self.points) / n
        slope = sum((b - byte) * (t - time) for b, t in self.points) / \
            sum((b - byte) ** 2 for b, _ in self.points)
        return max(abs(t - time - slope * (b - byte)) for b, t in self.points)


def margins(packets, clock):
    """By how many seconds each picture's last byte comes before its DTS. One
    picture begins where a video PES packet does."""
    ends, begun = [], {}                # begun: PID → [DTS, its last packet]
    for n, p in enumerate(packets):
        if p.unit and p.pid in begun:
            ends.append(begun.pop(p.pid))
        if p.dts is not None:
            begun[p.pid] = [p.dts, n]
        elif p.payload and p.pid in begun:
            begun[p.pid][1] = n
    ends += begun.values()
    return [clock.of_stamp(dts) - clock.at(PACKET * n + PACKET - 1)
            for dts, n in ends]


def analyse(data, constant=True):
    """The report of a whole file; constant: whether its rate is to be so."""
    packets = list(read_packets(data))
    clock = Clock(packets)
    before = margins(packets, clock)
    (b0, t0), (b1, t1) = clock.points[0], clock.points[-1]
    null = sum(p.pid == NULL_PID for p in packets) / len(packets)
    bitrate = 8 * (b1 - b0) / (t1 - t0)
    return Report(len(data), t1 - t0, bitrate, null * bitrate,
                  continuity_errors(packets), clock.gap(),
                  clock.error() if constant else None, len(before),
                  sum(m < 0 for m in before), min(before, default=None))
