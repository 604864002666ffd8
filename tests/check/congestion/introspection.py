#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The typelib loads, and an event and a message round-trip in Python."""
import sys
import unittest


def skip(reason):
    print('skipped:', reason)
    sys.exit(77)


try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
except (ImportError, ValueError) as error:
    skip(f'PyGObject with Gst is missing: {error}')
try:
    gi.require_version('GstCongestion', '1.0')
except ValueError as error:
    skip(f'GstCongestion was not built with introspection: {error}')
from gi.repository import GstCongestion  # noqa: E402

Gst.init(None)
Reason = GstCongestion.CongestionReason


def full_info():
    info = GstCongestion.CongestionInfo.new(Reason.LOSS)
    info.set_target_bitrate(5_000_000_000)
    info.set_scale(2)
    info.set_rtt(45 * Gst.MSECOND)
    info.set_loss(0.125)
    info.set_spacing(7 * Gst.MSECOND)
    info.set_queue_time(250 * Gst.MSECOND)
    info.set_pace(6_000_000_000)
    info.set_max_frame_size(60_000_000)
    info.set_controller('scp')
    info.set_count(42)
    return info


class Introspection(unittest.TestCase):
    def check_full(self, info):
        self.assertEqual(info.get_reason(), Reason.LOSS)
        self.assertEqual(info.get_target_bitrate(), (True, 5_000_000_000))
        self.assertEqual(info.get_share(0.5, 1_000_000_000),
                         (True, 2_000_000_000))
        self.assertEqual(info.get_scale(), 2)
        self.assertEqual(info.get_rtt(), 45 * Gst.MSECOND)
        self.assertEqual(info.get_loss(), 0.125)
        self.assertEqual(info.get_spacing(), 7 * Gst.MSECOND)
        self.assertEqual(info.get_queue_time(), 250 * Gst.MSECOND)
        self.assertEqual(info.get_pace(), 6_000_000_000)
        self.assertEqual(info.get_max_frame_size(), 60_000_000)
        self.assertEqual(info.get_controller(), 'scp')
        self.assertEqual(info.get_count(), 42)

    def test_event(self):
        event = GstCongestion.congestion_event_new(full_info())
        self.assertTrue(GstCongestion.is_congestion_event(event))
        self.assertEqual(event.get_structure().get_name(),
                         GstCongestion.CONGESTION_STRUCTURE_NAME)
        ok, info = GstCongestion.congestion_event_parse(event)
        self.assertTrue(ok)
        self.check_full(info)

    def test_message(self):
        message = GstCongestion.congestion_message_new(None, full_info())
        self.assertTrue(GstCongestion.is_congestion_message(message))
        ok, info = GstCongestion.congestion_message_parse(message)
        self.assertTrue(ok)
        self.check_full(info.copy())

    def test_unknown(self):
        info = GstCongestion.CongestionInfo.new(Reason.START)
        self.assertEqual(info.get_target_bitrate(), (False, 0))
        self.assertEqual(info.get_share(1.0, 0), (False, 0))
        self.assertEqual(info.get_rtt(), Gst.CLOCK_TIME_NONE)
        self.assertIsNone(info.get_controller())

    def test_foreign(self):
        event = Gst.Event.new_reconfigure()
        self.assertFalse(GstCongestion.is_congestion_event(event))
        self.assertEqual(GstCongestion.congestion_event_parse(event),
                         (False, None))

    def test_coded_picture(self):
        flags = GstCongestion.CodedPictureFlags
        buffer = Gst.Buffer.new()
        self.assertIsNone(GstCongestion.buffer_get_coded_picture_meta(buffer))
        GstCongestion.buffer_add_coded_picture_meta(buffer, 9, 3, 1, flags.KEY)
        meta = GstCongestion.buffer_get_coded_picture_meta(buffer.copy())
        self.assertEqual((meta.id, meta.references, meta.layer), (9, 3, 1))
        self.assertEqual(meta.flags, flags.KEY)


if __name__ == '__main__':
    unittest.main()
