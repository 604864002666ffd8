# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What a benchmark has measured, for other programs: numbers with a name, a
unit, and which direction is the better one."""

import json

LOWER, HIGHER = "lower", "higher"


class Figures:
    def __init__(self):
        self.rows = []

    def add(self, name, value, unit, better=LOWER):
        self.rows.append({"name": name, "value": value, "unit": unit,
                          "better": better})

    def write(self, path):
        """Nothing where no path was asked for."""
        if path:
            with open(path, "w") as f:
                json.dump(self.rows, f, indent=1)


def add_option(parser):
    parser.add_argument("--json", help="write the figures there")
