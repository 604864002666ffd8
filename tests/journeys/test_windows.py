#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Windows cut out of made-up traces, and files that include one another."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import includes         # noqa: E402
import tracing          # noqa: E402
import windows          # noqa: E402
from windows import Event, Function, Thread, Window     # noqa: E402


class Made:
    """A thread's calls, as nested lists [name, call, call …]. A number sets the
    time of what follows. The file is the name's part before "/"; without one it
    is the boundary's file."""

    def __init__(self, *calls):
        self.records, self.now = [], 0
        for call in calls:
            self._add(call)
        self.thread = Thread(self.records)

    def _add(self, call):
        if isinstance(call, int):
            self.now = call
            return
        if isinstance(call, str):
            call = [call]
        file, _, name = call[0].rpartition("/")
        function = Function(name, (file or "boundary") + ".c")
        self.records.append((self.now, True, function))
        for inner in call[1:]:
            self._add(inner)
        self.records.append((self.now, False, function))


def files(event):
    return [os.path.splitext(f)[0] for f in event.entered()]


class Threads(unittest.TestCase):
    def test_passed_returns_to_the_caller(self):
        t = Made(["a/one", ["b/two", "c/three"], "d/four"]).thread
        # From three's entry to four's exit: back to two and to one between.
        self.assertEqual([f.name for f in t.passed(2, 6)],
                         ["three", "two", "one", "four"])

    def test_exit_without_entry(self):
        f, g = Function("f", "f.c"), Function("g", "g.c")
        t = Thread([(0, False, f), (1, True, g), (2, False, g)])
        self.assertEqual(t.calls({"f", "g"}), [1])

    def test_call_that_never_ends(self):
        f, g = Function("f", "f.c"), Function("g", "g.c")
        t = Thread([(0, True, f), (1, True, g), (2, False, g)])
        self.assertEqual(t.calls({"f", "g"}), [1])
        self.assertEqual(t.last({"f"}, 2), 0)
        self.assertIsNone(t.first({"f"}, 0))

    def test_first_and_last(self):
        t = Made("x", "y", "x").thread
        self.assertEqual(t.last({"x"}, 4), 0)
        self.assertEqual(t.last({"x"}, 5), 4)
        self.assertIsNone(t.last({"x"}, 0))
        self.assertEqual(t.first({"x", "y"}, 1), 2)
        self.assertIsNone(t.first({"y"}, 3))

    def test_outermost(self):
        t = Made(["run", "wait", ["step", ["send", "pop"]]]).thread
        pop = t.names["pop"][0]
        wait = t.ends[t.names["wait"][0]]
        self.assertEqual(t.records[t.outermost(pop, wait)][2].name, "step")


class Repeats(unittest.TestCase):
    def left(self, *calls):
        return [f.name for _, entered, f in
                tracing.without_repeats(Made(*calls).records) if entered]

    def test_leaves(self):
        self.assertEqual(self.left(["f", "x", "x", "x", "y", "x"]),
                         ["f", "x", "y", "x"])

    def test_not_what_calls(self):
        self.assertEqual(self.left(["x", "y"], ["x", "y"], "x"),
                         ["x", "y", "x", "y", "x"])
        self.assertEqual(self.left(["x", ["x", "x"]]), ["x", "x", "x"])

    def test_not_boundaries(self):
        self.assertEqual(self.left("psp_wait", "psp_wait"),
                         ["psp_wait", "psp_wait"])


class Steps(unittest.TestCase):
    TRACE = Made(["a/chain", "b/helper", ["c/layer", ["d/work", "e/aside"]]])
    EVENT = Event(Window(TRACE.thread, 0, 0, len(TRACE.records) - 1))

    def test_on_the_way(self):
        way = self.EVENT.on_the_way({"done": "wo.k", "not done": "wor"})
        self.assertEqual(way, {"a.c": ["chain"], "c.c": ["layer"],
                               "d.c": ["work"]})
        self.assertEqual(files(self.EVENT), ["a", "b", "c", "d", "e"])

    def test_root(self):
        event = Event(Window(self.TRACE.thread, 3, 3, 8))
        self.assertEqual(list(event.on_the_way({"done": "work"})),
                         ["c.c", "d.c"])

    def test_missing(self):
        self.assertEqual(self.EVENT.missing({"done": "work", "no": "wor"}),
                         ["no"])

    def test_headers_are_no_sources(self):
        self.assertEqual(windows.sources({"a.c": [], "a.h": []}), ["a.c"])

    def test_typical(self):
        events = [Event(Window(Made(*calls).thread, 0, 0, 2 * len(calls) - 1))
                  for calls in (["a/f"], ["a/f", "b/g", "c/h"],
                                ["a/f", "b/g"])]
        self.assertIs(windows.typical(events, {"any": "."}), events[2])


def pacing(*before_the_notice):
    return Made(["loop/run", "psp_wait", 10, ["net/psp_udp_receive",
                                               "parse/read"],
                 ["feedback/decide", "clock/now"], *before_the_notice,
                 20, ["notify/gst_psp_notifier_tell", "notify/wake"],
                 "late/after"]).thread


def notifying():
    return Made(["notify/run", 5, "early/before", 21,
                 ["notify/tell", "event/gst_congestion_event_new",
                  ["scaler/gst_mpeg_scaler_src_event", "follow/note"],
                  25, "late/after"]]).thread


def streaming():
    return Made(
        1, ["scaler/gst_mpeg_scaler_chain",
            ["pay/gst_rtp_mpeg_video_pay_handle_buffer",
             "early/before"]],
        30, ["scaler/gst_mpeg_scaler_chain",
             "pay/gst_rtp_mpeg_video_pay_handle_buffer"],
        40, ["scaler/gst_mpeg_scaler_chain",
             ["reducer/gst_mpeg_scaler_reducer_frame", "fit/choose"],
             "late/after"],
        50, ["scaler/gst_mpeg_scaler_chain",
             "late/another"]).thread


class Feedback(unittest.TestCase):
    def test_to_the_frame_that_is_dropped_next(self):
        events = list(windows.feedback_to_drop(
            [streaming(), pacing(), notifying()]))
        self.assertEqual([files(e) for e in events], [[
            "net", "parse", "loop", "feedback", "clock", "notify", "event",
            "scaler", "follow", "reducer", "fit"]])

    def test_not_by_a_timer(self):
        self.assertEqual(list(windows.feedback_to_drop(
            [streaming(), pacing("psp_wait"), notifying()])), [])

    def test_dropped_before(self):
        early = Made(2, "gst_mpeg_scaler_chain").thread
        self.assertEqual(list(windows.feedback_to_drop(
            [early, pacing(), notifying()])), [])


class Buffer(unittest.TestCase):
    PACING = Made(["loop/run", 1, "psp_wait", ["early/step",
                                               "gst_psp_queue_pop",
                                               "psp_udp_send"],
                   2, "psp_wait", "early/timer", 20,
                   ["loop/step", "pacer/allow", "queue/gst_psp_queue_pop",
                    ["batch/send", "net/psp_udp_send", "late/after"]],
                   "psp_wait"]).thread

    def test_to_the_packet(self):
        sink = Made(10, ["sink/gst_psp_sink_render", "queue/offer"]).thread
        events = list(windows.buffer_to_packet([sink, self.PACING]))
        self.assertEqual([files(e) for e in events], [[
            "sink", "queue", "loop", "pacer", "batch", "net"]])

    def test_sent_by_the_streaming_thread(self):
        sink = Made(10, ["sink/gst_psp_sink_render_list", "queue/offer",
                         ["net/psp_udp_send"]]).thread
        self.assertEqual(list(windows.buffer_to_packet([sink, self.PACING])),
                         [])


class Macroblocks(unittest.TestCase):
    def test_those_that_are_written(self):
        read, write = "read/m2v_slice_reader_next", \
            "write/m2v_slice_writer_put"
        t = Made([
            "scaler/gst_mpeg_scaler_chain", "early/splitter",
            ["slice/rewrite", [read, "bits/get"], "copy/as-it-is",
             read, "choose/quantiser", [write, "codes/put"], "count/tally",
             read],
            "late/after"]).thread
        events = list(windows.requantized([t]))
        self.assertEqual([files(e) for e in events],
                         [["read", "slice", "choose", "write", "codes",
                           "count"]])
        self.assertEqual(
            list(events[0].on_the_way({"written": r"\w+_writer_put"})),
            ["scaler.c", "slice.c", "write.c"])

    def test_read_and_written_by_turns(self):
        t = Made(["scaler/gst_mpeg_scaler_chain", ["pull/next",
                                                   "scaler_slice_reader_next"],
                  ["push/quantise", "scaler_slice_writer_put"],
                  "end/picture"]).thread
        self.assertEqual([files(e) for e in windows.requantized([t])],
                         [["boundary", "pull", "scaler", "push", "end"]])


class Includes(unittest.TestCase):
    FILES = {
        "gst-libs/mpeg2/vlc.h": "", "gst-libs/mpeg2/a.h":
        "# include <mpeg2/vlc.h>\n", "gst-libs/scaling/fit.h": "",
        "gst-libs/scaling/fit.c": '#include "fit.h"\n#include <math.h>\n',
        "gst-libs/scaling/gate.c": "#include <mpeg2/a.h>\n\n",
        "elsewhere/vlc.h": "", "gst-libs/scaling/own.c":
        '#include "../../elsewhere/vlc.h"\n'}

    def test_who_knows(self):
        with tempfile.TemporaryDirectory() as root:
            for path, text in self.FILES.items():
                path = os.path.join(root, path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as f:
                    f.write(text)
            lines = includes.table(includes.Tree(root), "codec", {"vlc.h"},
                                   ["gst-libs/scaling", "gst-libs/mpeg2"])
        self.assertEqual(lines[2:], [
            "| `gst-libs/scaling` | 3 | 3 | 1 | 2 |",
            "| `gst-libs/mpeg2` | 0 | 0 | 2 | 1 |",
            "| all | 3 | 3 | 3 | 3 |"])


if __name__ == "__main__":
    unittest.main()
