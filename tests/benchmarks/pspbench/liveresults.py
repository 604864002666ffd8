# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Runs of live.py, a line of JSON each, kept at once so that it can go on."""

import json
import os

KEY = "case", "controller", "run", "quick", "encoder", "build"


class Results:
    def __init__(self, path):
        self.path, self.rows = path, []
        if os.path.exists(path):
            with open(path, "rb") as f:
                # A cut may have left half of the last line.
                whole = [line for line in f if line.endswith(b"\n")]
            os.truncate(path, sum(map(len, whole)))
            self.rows = [json.loads(line) for line in whole]

    def has(self, row):
        return any(all(row[k] == old[k] for k in KEY) for old in self.rows)

    def add(self, row):
        with open(self.path, "a") as f:
            f.write(json.dumps(row) + "\n")
            f.flush()
            os.fsync(f.fileno())
        self.rows.append(row)
