#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Puts the recorded sessions to the sender core of this build: every answer
must be the one recorded, to the last bit.

    tests/replay/test_sessions.py PSP_SESSIONS
    tests/replay/test_sessions.py --table     what README.md says they hold"""

import glob
import lzma
import os
import re
import subprocess
import sys
import tempfile
import unittest

SESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions")
COUNT = 12
REASONS = ("start", "increase", "loss", "timeout", "dupack", "rexmt",
           "backlog", "ecn", "delay", "limit", "reset")
ALIVE, SILENT, STOPPED = 1, 2, 3
# Where they stand in an answer that is a state, and in one of `stats`.
LOST, LINK, STATE_SIZE = 4, 6, 8
RECOVERED = 5
HEAD = ("| session | controllers | s | calls | packets | streams | reports | "
        "lost | recovered | silent | stopped | told: " +
        "loss, timeout, delay, limit, reset |")


def names():
    return sorted(os.path.basename(path)[:-len(".log.xz")]
                  for path in glob.glob(os.path.join(SESSIONS, "*.log.xz")))


def load(name):
    with lzma.open(os.path.join(SESSIONS, name + ".log.xz"), "rt") as f:
        return f.read().splitlines()


def words(line):
    """A call's name, its arguments and its answer."""
    asked, _, answered = line.partition(" =")
    return asked.split()[2], asked.split()[3:], answered.split()


class Counts:
    """What happens in a session, by its calls alone."""

    def __init__(self, lines):
        self.calls, self.lost, self.recovered, self.link = len(lines), 0, 0, 0
        self.kinds, self.told, self.changes = {}, {}, {}
        self.controllers, self.ssrcs, self.scales = [], set(), set()
        times = []
        for line in lines:
            kind, asked, answered = words(line)
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            if kind in ("new", "set-controller"):
                self.controllers.append(asked[0])
            elif kind == "stats":
                self.recovered = int(answered[RECOVERED])
            elif kind == "sent":
                self.ssrcs.add(asked[0])
            elif kind == "allowance":
                times.append(int(asked[0]))
            elif kind == "take-notice" and answered[0] == "1":
                reason = REASONS[int(answered[1])]
                self.told[reason] = self.told.get(reason, 0) + 1
                self.scales.add(answered[3])
            if len(answered) in (STATE_SIZE, STATE_SIZE + 1):
                self._follow([int(n) for n in answered[-STATE_SIZE:]])
        self.seconds = (times[-1] - times[0]) / 1e9

    def _follow(self, state):
        self.lost = max(self.lost, state[LOST])
        if state[LINK] != self.link:
            self.link = state[LINK]
            self.changes[self.link] = self.changes.get(self.link, 0) + 1

    def row(self, name):
        cells = [name, ", ".join(self.controllers), "%.0f" % self.seconds,
                 self.calls, self.kinds["sent"], len(self.ssrcs),
                 self.kinds["rtcp"], self.lost, self.recovered,
                 self.changes.get(SILENT, 0), self.changes.get(STOPPED, 0),
                 ", ".join(str(self.told.get(reason, 0)) for reason in
                           ("loss", "timeout", "delay", "limit", "reset"))]
        return "| %s |" % " | ".join(map(str, cells))


def table():
    return "\n".join([HEAD, "|---" * (HEAD.count("|") - 1) + "|"] + [
        Counts(load(name)).row(name) for name in names()])


def replay(lines):
    """Whether it was a session, and how many answers differ."""
    with tempfile.NamedTemporaryFile("w", suffix=".log") as f:
        f.write("\n".join(lines) + "\n")
        f.flush()
        done = subprocess.run([PSP_SESSIONS, f.name], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    found = re.search(r"(\d+) answers differ$", done.stdout.strip())
    if not found or done.returncode != (found.group(1) != "0"):
        raise AssertionError(done.stdout)
    return int(found.group(1)), done.stdout


def alter(lines, kind, word, by, middle):
    """The lines, of which the next call of a kind from there on has another
    number at a place."""
    at = next(n for n in range(middle, len(lines))
              if lines[n].split()[2] == kind)
    parts = lines[at].split(" ")
    parts[word] = str(int(parts[word]) + by)
    return lines[:at] + [" ".join(parts)] + lines[at + 1:]


class Replayed(unittest.TestCase):
    def test_same(self):
        for name in names():
            with self.subTest(name):
                different, text = replay(load(name))
                self.assertEqual(different, 0, text)

    def test_an_answer_altered(self):
        """By the least there is, of one call alone."""
        for name in names():
            with self.subTest(name):
                lines = load(name)
                altered = alter(lines, "sent", -1, 1, len(lines) // 2)
                self.assertEqual(replay(altered)[0], 1)

    def test_octets_altered(self):
        lines = load("scp")
        at = max(n for n, line in enumerate(lines)
                 if line.split()[2] == "pack-rtcp" and line[-1] != "-")
        lines[at] = lines[at][:-1] + ("0" if lines[at][-1] != "0" else "1")
        self.assertEqual(replay(lines)[0], 1)

    def test_an_argument_altered(self):
        """A packet that is larger than the one then changes what follows."""
        for name in names():
            with self.subTest(name):
                lines = load(name)
                # psp-call, session, sent, SSRC, timestamp, sequence number,
                # payload type, marker, size
                altered = alter(lines, "sent", 8, 100, len(lines) // 2)
                self.assertGreater(replay(altered)[0], 0)


class Contents(unittest.TestCase):
    """The sessions hold what README.md claims."""

    @classmethod
    def setUpClass(cls):
        cls.of = {name: Counts(load(name)) for name in names()}

    def test_all_there(self):
        self.assertEqual(len(self.of), COUNT)

    def test_table(self):
        with open(os.path.join(SESSIONS, "README.md")) as f:
            self.assertIn(table(), f.read())

    def test_lossy(self):
        for name, counts in self.of.items():
            with self.subTest(name):
                self.assertGreater(counts.lost, 0)
                self.assertGreater(counts.kinds["rtcp"], 100)

    def test_special(self):
        self.assertGreater(self.of["reordered"].recovered, 0)
        self.assertEqual(len(self.of["two-streams"].ssrcs), 2)
        self.assertGreaterEqual(self.of["silence"].changes[SILENT], 2)
        self.assertEqual(self.of["silence"].changes[STOPPED], 1)
        self.assertGreaterEqual(self.of["silence"].changes[ALIVE], 3)
        self.assertGreater(self.of["silence"].told["timeout"], 0)
        self.assertGreater(self.of["controllers"].kinds["set-controller"], 4)
        self.assertGreater(self.of["limits"].kinds["set-limits"], 2)
        self.assertEqual(self.of["limits"].kinds["reset"], 1)
        self.assertGreater(self.of["limits"].kinds["resume"], 1)
        self.assertGreater(len(self.of["media-scaling"].scales), 2)

    def test_each_controller(self):
        for name in ("none", "fixed", "psp", "damped-psp", "rap-psp", "scp",
                     "media-scaling"):
            self.assertEqual(self.of[name].controllers, [name])


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        print(table())
    else:
        PSP_SESSIONS = sys.argv.pop(1)
        unittest.main()
