# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Runs of live.py, a line of JSON each, kept at once so that it can go on."""

import json
import os

KEY = "case", "controller", "run", "quick", "encoder", "build"
LATE_MS = 5             # a link that sent so late was not the link asked for


def is_late(row):
    """True if the machine spoilt the run."""
    return row["machine"]["late_ms"] > LATE_MS \
        or row["machine"]["kernel_drops"] > 0


def same(row, old):
    return all(row[k] == old[k] for k in KEY)


class Results:
    def __init__(self, path):
        self.path, self.rows = path, []
        if os.path.exists(path):
            with open(path, "rb") as f:
                # A cut may have left half of the last line.
                whole = [line for line in f if line.endswith(b"\n")]
            os.truncate(path, sum(map(len, whole)))
            for line in whole:
                self._take(json.loads(line))

    def _take(self, row):
        """What was repeated counts instead of the run before."""
        self.rows = [old for old in self.rows if not same(row, old)] + [row]

    def has(self, row, late_too=True):
        """True if the run was made, and was not late unless late_too."""
        return any(same(row, old) and (late_too or not is_late(old))
                   for old in self.rows)

    def add(self, row):
        with open(self.path, "a") as f:
            f.write(json.dumps(row) + "\n")
            f.flush()
            os.fsync(f.fileno())
        self._take(row)
