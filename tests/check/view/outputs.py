#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What the viewer makes of reports beside its page: metrics, a recording and its
plot, a terminal. Most of it in virtual time, without a process."""

import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import unittest

import viewers
from viewers import HOSTILE, SINK

from pspview import figures, metrics, model, recording, terminal

LABEL = re.compile(r'(\w+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
SAMPLE = re.compile(r"^(\w+)\{(.*)\} (\S+)$")
SCALER = {"target-bitrate": None, "scale": 3, "quantiser-in": 8.0,
          "quantiser-out": 0.0, "bytes-in": 0, "bytes-out": 0, "frames-i": 0,
          "frames-p": 0, "frames-b": 0, "frames-d": 0, "frames-h26x": 0,
          "frames-passed": 0, "dropped-policy": 0, "dropped-reference": 0,
          "dropped-unpaired": 0, "dropped-group": 0, "events": 0}


def parsed(line):
    return model.parse(json.dumps(line))


def process_of(made, program="test"):
    process = made.process()
    process.take(parsed({"time": 0, "protocol": 1, "pid": 7,
                         "program": program}))
    return process


def stats(seconds, content, kind="pspsink", number=1, name="one"):
    return parsed({"time": round(seconds * 1e6), "id": number, "type": kind,
                   "element": name, "pipeline": "p", "stats": content})


def unescaped(value):
    return re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]),
                  value)


class Figures(unittest.TestCase):
    def deriver(self, kind, rows):
        deriver = figures.Deriver(kind)
        return [deriver.figures(time, content) for time, content in rows]

    def test_rate_over_a_second(self):
        found = self.deriver("pspsink", [
            (n / 4, {"payload-bytes-sent": 1000 * n}) for n in range(9)])
        self.assertNotIn("rate", found[0])
        self.assertEqual([row["rate"] for row in found[1:]], [32000] * 8)

    def test_counter_begins_anew(self):
        found = self.deriver("pspsink", [(0, {"payload-bytes-sent": 5000}),
                                         (1, {"payload-bytes-sent": 10})])
        self.assertNotIn("rate", found[1])

    def test_unknown(self):
        row, = self.deriver("mpegscaler", [(0, dict(SCALER, scale=-1))])
        self.assertEqual(row, {"quantiser-in": 8.0})

    def test_receiver(self):
        streams = [{"jitter": 2000000}, {"jitter": None}, {"jitter": 5000000}]
        found = self.deriver("pspsrc", [
            (0, {"packets": 100, "lost": 0, "payload-bytes": 0}),
            (1, {"packets": 190, "lost": 10, "payload-bytes": 1000,
                 "streams": streams})])
        self.assertEqual(found[1], {"loss": 10.0, "rate": 8000.0,
                                    "jitter": .005})

    def test_pictures(self):
        found = self.deriver("mpegscaler", [
            (0, SCALER), (2, dict(SCALER, **{
                "frames-i": 2, "frames-p": 8, "frames-b": 20,
                "frames-passed": 20, "dropped-policy": 6,
                "dropped-reference": 4}))])
        self.assertEqual([found[1][name] for name in
                          ("i", "p", "b", "passed", "dropped")],
                         [1, 4, 10, 10, 5])
        self.assertEqual([chart.title for chart, _ in figures.charts_of(
            [model.Point(0, 0, row) for row in found])],
            ["Rate", "Pictures", "Pictures in", "Quantiser", "Scale"])


class Bounds(unittest.TestCase):
    def test_time_stands(self):
        """A rate is of what is kept."""
        deriver = figures.Deriver("pspsink")
        for n in range(1000):
            deriver.figures(1, {"payload-bytes-sent": n, "more": "x" * n})
        self.assertLessEqual(len(deriver.before), 64)
        self.assertEqual(deriver.figures(2, {"payload-bytes-sent": 1999}),
                         {"rate": 8000})

    def test_infinite(self):
        for value in (b"1e999", b"-1e999", b"[0, 1e999]", b"NaN", b"Infinity"):
            with self.assertRaises(model.Refused):
                model.parse(b'{"time":1,"stats":{"more":%s}}' % value)
        self.assertEqual(model.parse(b'{"a":1e308}'), {"a": 1e308})

    def test_window(self):
        made = model.Model()
        process = process_of(made)
        for n in range(4 * 700):
            process.take(stats(n / 4, SINK))
        element, = made.elements
        self.assertEqual(len(element.points), model.POINTS_MOST)
        made.forget(800)
        self.assertGreaterEqual(element.points[0].time, 200)
        process.end(800)
        made.forget(1401)
        self.assertEqual(made.elements, [])

    def test_time_goes_on(self):
        process = process_of(model.Model())
        process.take(stats(2, SINK))
        with self.assertRaises(model.Refused):
            process.take(stats(1, SINK))

    def test_ended_make_room(self):
        made = model.Model()
        process = process_of(made)
        for n in range(model.ELEMENTS_MOST + 5):
            process.take(stats(n, SINK, number=n))
            process.take({"time": n * 1000000, "gone": n})
        self.assertEqual(len(made.elements), model.ELEMENTS_MOST)


class Mutations(unittest.TestCase):
    """Lines as a hostile program might write them: each is taken or refused, and
    whatever was taken can be shown."""

    ODD = [None, True, -1, 0, 2 ** 63, 10 ** 400, 1e308, -0.5, "", "x" * 600,
           HOSTILE, [], [1], {}, {"a": {"b": []}}]
    LINES = [stats(1, SINK), stats(2, SCALER, "mpegscaler", 2),
             stats(3, {"packets": 5, "lost": -1, "streams": [{"jitter": 1}]},
                   "pspsrc", 3),
             {"time": 4, "id": 1, "event": "GstCongestion",
              "fields": {"reason": "loss", "target-bitrate": 5, "scale": 1}},
             {"time": 4, "gone": 2}, {"time": 5, "missed-reports": 3},
             {"time": 0, "protocol": 1, "pid": 1, "program": "x"}]

    def mutate(self, chosen, line):
        """One value, at any depth, becomes another one."""
        copy = json.loads(json.dumps(line))
        place = copy
        while True:
            key = chosen.choice(sorted(place))
            if not isinstance(place[key], dict) or not place[key] or \
                    chosen.random() < .2:
                break
            place = place[key]
        place[key] = chosen.choice(self.ODD)
        return copy

    def test_values(self):
        chosen, made, n_refused = random.Random(1), model.Model(), 0
        process = process_of(made)
        for _ in range(6000):
            line = chosen.choice(self.LINES)
            try:
                process.take(parsed(self.mutate(chosen, line)))
            except model.Refused:
                n_refused += 1
        self.assertGreater(n_refused, 500)
        self.assertGreater(len(made.elements), 3)
        metrics.text(made.active()).encode()
        terminal.Terminal(io.StringIO()).draw(made.elements)

    def test_bytes(self):
        chosen, n_refused = random.Random(2), 0
        for _ in range(6000):
            line = bytearray(json.dumps(chosen.choice(self.LINES)).encode())
            for _ in range(chosen.randint(1, 4)):
                line[chosen.randrange(len(line))] = chosen.randrange(256)
            try:
                process_of(model.Model()).take(model.parse(bytes(line)))
            except model.Refused:
                n_refused += 1
        self.assertGreater(n_refused, 3000)


class Metrics(unittest.TestCase):
    def text(self):
        made = model.Model()
        process = process_of(made, HOSTILE)
        process.take(stats(1, dict(SINK, **{"payload-bytes-sent": 12345})))
        process.take(stats(1, SCALER, "mpegscaler", 2, HOSTILE))
        return metrics.text(made.active())

    def samples(self):
        for line in self.text().splitlines():
            if not line.startswith("#"):
                name, labels, value = SAMPLE.match(line).groups()
                pairs = LABEL.findall(labels)
                self.assertEqual(",".join('%s="%s"' % pair for pair in pairs),
                                 labels)
                yield name, {key: unescaped(text) for key, text in pairs}, \
                    float(value)

    def test_values(self):
        found = {(name, labels["type"], labels.get("picture")): value
                 for name, labels, value in self.samples()}
        for name, value in (("target_bytes_per_second", 250000),
                            ("round_trip_seconds", .04), ("loss_ratio", .01),
                            ("queue_wait_seconds", .005), ("link_alive", 1),
                            ("sent_bytes_total", 12345)):
            self.assertAlmostEqual(found["gst_psp_" + name, "pspsink", None],
                                   value)
        self.assertEqual(found["gst_psp_scale", "mpegscaler", None], 3)
        self.assertEqual(found["gst_psp_pictures_in_total", "mpegscaler", "i"],
                         0)
        self.assertEqual(
            {labels["at"]: value for name, labels, value in self.samples()
             if name == "gst_psp_quantiser"}, {"in": 8})
        # Unknown is nothing, not nought.
        self.assertNotIn(("gst_psp_target_bytes_per_second", "mpegscaler",
                          None), found)

    def test_escaping(self):
        wanted = HOSTILE.replace("\ud800", "?")
        self.assertEqual({labels["program"] for _, labels, _ in self.samples()},
                         {wanted})
        self.assertIn(wanted, {labels["element"] for _, labels, _ in
                               self.samples()})

    def test_promtool(self):
        if not shutil.which("promtool"):
            self.skipTest("promtool is missing (package prometheus)")
        checked = subprocess.run(["promtool", "check", "metrics"],
                                 input=self.text().encode(),
                                 capture_output=True)
        self.assertEqual((checked.returncode, checked.stderr, checked.stdout),
                         (0, b"", b""))

    def test_examples(self):
        """Dashboard and alerts use metrics that there are."""
        names = {row[0] for row in metrics.METRICS}
        for file in ("dashboard.json", "alerts.yml"):
            with open(os.path.join(viewers.TOP, "tools", "view", file),
                      encoding="utf8") as opened:
                text = opened.read()
            used = set(re.findall(r"gst_psp_\w+", text))
            self.assertTrue(used and used <= names, used - names)
        if not shutil.which("promtool"):
            self.skipTest("promtool is missing (package prometheus)")
        self.assertEqual(subprocess.run(
            ["promtool", "check", "rules", os.path.join(
                viewers.TOP, "tools", "view", "alerts.yml")],
            stdout=subprocess.DEVNULL).returncode, 0)

    def test_documented(self):
        with open(os.path.join(viewers.TOP, "docs", "view.md"),
                  encoding="utf8") as file:
            documented = re.findall(r"^\| `(gst_psp_\w+)", file.read(), re.M)
        self.assertEqual(documented, [row[0] for row in metrics.METRICS])


class Screen(unittest.TestCase):
    def test_figures(self):
        made = model.Model()
        process = process_of(made, HOSTILE)
        for n in range(5):
            process.take(stats(n, dict(SINK, **{
                "payload-bytes-sent": 250000 * n})))
        process.take(parsed({"time": 5000000, "id": 1, "event": "warning",
                             "fields": {"text": HOSTILE}}))
        written = io.StringIO()
        terminal.Terminal(written).draw(made.elements)
        text = written.getvalue()
        self.assertIn("2.00", text)
        self.assertIn("██", text)
        self.assertEqual([c for c in text if not c.isprintable()
                          and c != "\n"], [])

    def test_nothing(self):
        written = io.StringIO()
        terminal.Terminal(written).draw([])
        self.assertIn("No pipeline reports", written.getvalue())


class Recordings(viewers.Case):
    def record(self):
        path = os.path.join(self.folder, "recording")
        viewer = self.view("--no-page", "--record", path)
        reporter = self.report(program="$x$", pipeline=HOSTILE)
        for n in range(8):
            reporter.stats(**{"payload-bytes-sent": 50000 * n})
        reporter.event("timeout")
        reporter.stats()
        viewers.wait_for(lambda: os.path.getsize(path) > 0)
        reporter.socket.shutdown(1)     # SHUT_WR: all of it has been read
        self.assertTrue(reporter.is_hung_up())
        viewer.send_signal(signal.SIGINT)
        self.assertEqual(viewer.wait(viewers.PATIENCE), 0)
        return path

    def plot(self, path, output):
        process = self.view("--plot", path, "-o", output)
        status = process.wait(viewers.PATIENCE)
        return status, process.stderr.read()

    def test_read(self):
        element, = recording.read(self.record()).elements
        self.assertEqual(len(element.points), 9)
        self.assertEqual([event.text for event in element.events], ["timeout"])
        self.assertEqual(element.points[4].figures["rate"], 1.6e6)

    def test_cut_off(self):
        path = self.record()
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) - 10)
        element, = recording.read(path).elements
        self.assertEqual(len(element.points), 8)

    def test_plot(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is missing (python3-matplotlib)")
        path = self.record()
        for name, begin in (("x.png", b"\x89PNG"), ("x.svg", b"<?xml")):
            output = os.path.join(self.folder, name)
            self.assertEqual(self.plot(path, output), (0, ""))
            with open(output, "rb") as file:
                data = file.read()
            self.assertEqual(data[:len(begin)], begin)
        self.assertNotIn(b"<img", data)

    def test_no_recording(self):
        path = os.path.join(self.folder, "other")
        for content in ("", "{}\n", '{"recording":1}\nnonsense\n',
                        '{"recording":1}\n{"process":[],"line":{}}\n',
                        '{"recording":1}\n'):
            with open(path, "w", encoding="ascii") as file:
                file.write(content)
            status, said = self.plot(path, os.path.join(self.folder, "x.png"))
            self.assertEqual(status, 1, content)
            self.assertTrue(said.startswith("gst-psp-view: "), said)


if __name__ == "__main__":
    unittest.main()
