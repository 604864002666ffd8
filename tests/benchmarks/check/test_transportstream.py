#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The analyser of transport streams, on streams made so that what it has to
find is known."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from pspbench import transportstream as ts  # noqa: E402

PID = 0x100
MBIT = 1_504_000        # 1000 packets a second
PER_SECOND = 1000


def stamp(mark, ticks):
    ticks %= ts.PTS_CYCLE
    return bytes([mark << 4 | ticks >> 29 & 14 | 1, ticks >> 22 & 255,
                  ticks >> 14 & 254 | 1, ticks >> 7 & 255,
                  ticks << 1 & 254 | 1])


def pes(pts, dts=None):
    stamps = stamp(2, pts) if dts is None else stamp(3, pts) + stamp(1, dts)
    flags = 0x80 if dts is None else 0xc0
    return b"\0\0\1\xe0\0\0\x80" + bytes([flags, len(stamps)]) + stamps


class Writer:
    """Packets at a constant rate of PER_SECOND, whose PCR begin at `start`."""

    def __init__(self, start=0):
        self.data, self.counter, self.start = bytearray(), -1, start

    def now(self):
        """27 MHz, at the PCR's last byte of the packet to come."""
        return self.start + round((len(self.data) + 10) / ts.PACKET *
                                  ts.SYSTEM_CLOCK / PER_SECOND)

    def packet(self, payload=b"", begins=False, pcr=None, pid=PID, jump=False):
        """pcr: added to the right one. Payload is filled up with 0xff."""
        if pid != ts.NULL_PID and payload:
            self.counter = (self.counter + 1) % 16
        field = b""
        if pcr is not None or jump:
            field = bytes([(0x80 if jump else 0) |
                           (0 if pcr is None else 0x10)])
        if pcr is not None:
            base, extension = divmod((self.now() + pcr) % ts.PCR_CYCLE, 300)
            field += (base << 15 | 0x7e00 | extension).to_bytes(6, "big")
        room = ts.PACKET - 4 - (1 + len(field) if field else 0)
        if not payload and pid != ts.NULL_PID:
            field, room = field.ljust(ts.PACKET - 5, b"\xff"), 0
        body = payload[:room].ljust(room, b"\xff")
        control = (0x20 if field else 0) | (0x10 if body else 0)
        self.data += bytes([ts.SYNC, (0x40 if begins else 0) | pid >> 8,
                            pid & 255, control | self.counter % 16])
        if field:
            self.data += bytes([len(field)]) + field
        self.data += body

    def null(self, n):
        for _ in range(n):
            self.packet(pid=ts.NULL_PID)

    def picture(self, packets, dts_ms, reorder_ms=0, pcr=0):
        """A picture to be decoded so many ms after the first byte."""
        ticks = self.start // 300 + 90 * dts_ms
        self.packet(pes(ticks + 90 * reorder_ms, ticks) if reorder_ms
                    else pes(ticks), True, pcr)
        for _ in range(packets - 1):
            self.packet(b"\xff" * ts.PACKET)


def steady(start=0, pictures=25, packets=10, dts_after=100):
    """A picture each 40 ms that takes 10 ms, to be decoded 100 ms on."""
    writer = Writer(start)
    for k in range(pictures):
        writer.picture(packets, 40 * k + dts_after, reorder_ms=80)
        writer.null(40 - packets)
    return writer


class Steady(unittest.TestCase):
    def test_all_is_well(self):
        r = ts.analyse(bytes(steady().data))
        self.assertEqual((r.continuity_errors, r.pictures, r.late), (0, 25, 0))
        self.assertAlmostEqual(r.bitrate, MBIT, delta=1)
        self.assertAlmostEqual(r.stuffing, .75 * MBIT, delta=1)
        self.assertAlmostEqual(r.pcr_gap, .04, 6)
        self.assertLess(r.pcr_error, 40e-9)     # one tick, both ways
        self.assertAlmostEqual(r.seconds, .96, 6)

    def test_margin(self):
        """The last byte of ten packets is there after 10 ms."""
        r = ts.analyse(bytes(steady().data))
        self.assertAlmostEqual(r.margin, .09, 4)

    def test_time_stamps_wrap(self):
        for before in (300 * 45, 27_000_000 // 2, 7):
            r = ts.analyse(bytes(steady(ts.PCR_CYCLE - before).data))
            self.assertEqual((r.late, r.pictures), (0, 25))
            self.assertAlmostEqual(r.margin, .09, 4)
            self.assertAlmostEqual(r.bitrate, MBIT, delta=1)

    def test_no_rate_without_being_asked(self):
        self.assertIsNone(ts.analyse(bytes(steady().data), False).pcr_error)


class Late(unittest.TestCase):
    def test_pictures(self):
        writer = steady()
        writer.picture(30, 1020)        # there 10 ms after its DTS
        writer.null(10)
        writer.picture(10, 1140)
        writer.null(30)
        r = ts.analyse(bytes(writer.data))
        self.assertEqual((r.pictures, r.late), (27, 1))
        self.assertAlmostEqual(r.margin, -.01, 4)

    def test_from_the_start(self):
        """Its DTS comes before the first PCR."""
        writer = Writer()
        writer.picture(10, -5)
        writer.null(30)
        writer.picture(10, 140)
        r = ts.analyse(bytes(writer.data))
        self.assertEqual((r.pictures, r.late), (2, 1))
        self.assertAlmostEqual(r.margin, -.015, 4)

    def test_last_picture_counts(self):
        writer = steady()
        writer.picture(30, 1020)
        self.assertEqual(ts.analyse(bytes(writer.data)).late, 1)

    def test_other_streams_are_no_pictures(self):
        writer = Writer()
        for k in range(10):
            writer.picture(10, 40 * k + 100)
            sound = bytearray(pes(0))
            sound[3] = 0xc0
            writer.packet(bytes(sound), True, pid=0x101)
            writer.null(29)
        self.assertEqual(ts.analyse(bytes(writer.data)).pictures, 10)


class Pcr(unittest.TestCase):
    def test_gap(self):
        writer = steady()
        writer.null(40)                 # where a PCR was due
        writer.picture(10, 1140)
        self.assertAlmostEqual(ts.analyse(bytes(writer.data)).pcr_gap, .08, 6)

    def test_error(self):
        """One PCR in the middle is 1 µs off."""
        writer = Writer()
        for k in range(41):
            writer.picture(10, 40 * k + 100, pcr=27 if k == 20 else 0)
            writer.null(30)
        error = ts.analyse(bytes(writer.data)).pcr_error
        self.assertAlmostEqual(error, 1e-6, delta=60e-9)

    def test_changing_rate_is_an_error(self):
        writer = Writer()
        for k in range(10):
            writer.picture(10, 40 * k + 100)
            writer.null(30 if k % 2 else 20)
            writer.start += 0 if k % 2 else 270_000
        self.assertGreater(ts.analyse(bytes(writer.data)).pcr_error, .001)


class Continuity(unittest.TestCase):
    def test_lost_packet(self):
        data = bytes(steady().data)
        lost = data[:2 * ts.PACKET] + data[3 * ts.PACKET:]
        self.assertEqual(ts.analyse(lost).continuity_errors, 1)

    def test_packet_twice(self):
        """Once is allowed, twice is not."""
        data = bytes(steady().data)
        again = data[2 * ts.PACKET:3 * ts.PACKET]
        begin, end = data[:3 * ts.PACKET], data[3 * ts.PACKET:]
        self.assertEqual(ts.analyse(begin + again + end).continuity_errors, 0)
        self.assertEqual(
            ts.analyse(begin + 2 * again + end).continuity_errors, 1)

    def test_no_payload_does_not_count(self):
        writer = steady()
        writer.packet(pcr=0)
        writer.picture(10, 1140)
        self.assertEqual(ts.analyse(bytes(writer.data)).continuity_errors, 0)

    def test_signalled(self):
        packets = [ts.Packet(PID, counter, True, jump, None, False, None)
                   for counter, jump in ((3, False), (9, True), (10, False))]
        self.assertEqual(ts.continuity_errors(packets), 0)


class Damaged(unittest.TestCase):
    def test_refused(self):
        data = bytes(steady().data)
        long_field = bytearray(data)
        long_field[4] = 184
        for broken in (b"", data[:100], data[1:], data[:ts.PACKET],
                       bytes(long_field), bytes(Writer().data)):
            with self.assertRaises(ts.Damaged):
                ts.analyse(broken)

    def test_time_base_jumps(self):
        writer = steady()
        writer.packet(b"\xff", pcr=0, jump=True)
        with self.assertRaises(ts.Damaged):
            ts.analyse(bytes(writer.data))

    def test_part_of_a_packet_at_the_end(self):
        data = bytes(steady().data)
        self.assertEqual(ts.analyse(data + data[:50]).pictures, 25)


if __name__ == "__main__":
    unittest.main()
