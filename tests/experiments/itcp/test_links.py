#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Links end with who started them; shell scripts stand for the links."""

import os
import signal
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))

from itcp.links import Links                    # noqa: E402

# Says who it is, and waits for what does not come.
STAYS = 'echo $$ > pid; exec sleep 1000'
# Once that one runs: asks this process to end, or fails.
BESIDE = 'while ! [ -s pid ]; do sleep .02; done; %s'


class LinksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.ended, self.status = folder.name, 0, {}
        self.log = open(os.path.join(self.folder, "log"), "w")
        self.addCleanup(self.log.close)
        self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(
            signal.SIGTERM, signal.default_int_handler))

    def run_all(self, jobs, *scripts):
        links = Links(jobs)

        def one(script):
            command = ["sh", "-c", "cd '%s'; %s" % (self.folder, script)]
            self.status[script] = links.run(command, None, self.log)
            if self.status[script]:
                raise RuntimeError("a link failed")

        def done():
            self.ended += 1

        links.all(one, scripts, done)

    def gone(self):
        with open(os.path.join(self.folder, "pid")) as file, \
                self.assertRaises(ProcessLookupError):
            os.kill(int(file.read()), 0)

    def test_all(self):
        self.run_all(2, "exit 0", "true", ":")
        self.assertEqual((self.ended, self.status),
                         (3, {"exit 0": 0, "true": 0, ":": 0}))

    def test_terminated(self):
        ends = BESIDE % "kill -TERM $PPID; exec sleep 1000"
        with self.assertRaises(KeyboardInterrupt):
            self.run_all(2, STAYS, ends, "touch late")
        self.gone()
        self.assertEqual((self.status[STAYS], self.status.get(ends)),
                         (None, None))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "late")))

    def test_failing(self):
        with self.assertRaisesRegex(RuntimeError, "a link failed"):
            self.run_all(2, STAYS, BESIDE % "exit 1", "touch late")
        self.gone()
        self.assertEqual(self.status[STAYS], None)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "late")))

    def test_none_after_failing(self):
        with self.assertRaisesRegex(RuntimeError, "a link failed"):
            self.run_all(1, "exit 1", "touch late")
        self.assertEqual(self.status.get("touch late"), None)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "late")))


if __name__ == "__main__":
    unittest.main()
