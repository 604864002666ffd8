# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A file of what processes reported: a line of JSON each, as they wrote it, and
the process it came from. The first line says when it was."""

import json
import time

from .model import PROTOCOL, Model, Refused, parse

LINE_MOST = 128 * 1024


class Recorder:
    def __init__(self, path):
        # Line by line, so that a viewer that is killed leaves a recording.
        self.file = open(path, "w", 1, encoding="utf8")
        self._write({"recording": PROTOCOL, "clock": time.time() -
                     time.monotonic()})

    def _write(self, line):
        self.file.write(json.dumps(line) + "\n")

    def write(self, process, line):
        self._write({"process": process, "line": line})

    def close(self):
        self.file.close()


def read(path):
    """A model of a whole file. Raises OSError, and Refused where it is none."""
    model, processes = Model(window=None), {}
    with open(path, encoding="utf8", errors="replace") as file:
        head = parse(file.readline(LINE_MOST))
        if head.get("recording") != PROTOCOL:
            raise Refused("%s is no recording of this version of gst-psp-view"
                          % path)
        for number, text in enumerate(file, 2):
            try:
                found = parse(text)
                line, process = found["line"], found["process"]
                if not isinstance(line, dict) or not isinstance(process, int):
                    raise Refused("neither process nor line")
                if process not in processes:
                    processes[process] = model.process()
                processes[process].take(line)
            except (Refused, KeyError) as error:
                # The last one, where the recorder was killed.
                if not text.endswith("\n"):
                    break
                raise Refused("%s, line %d: %s" % (path, number, error)) \
                    from None
    return model
