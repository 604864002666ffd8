# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""How far the runs are, in a line that is written anew on a terminal, and in
a line now and then elsewhere."""

import sys
import threading
import time

QUIET = 15          # s between lines where there is no terminal


def clock(seconds):
    return "%d:%02d" % divmod(round(seconds), 60)


class Progress:
    def __init__(self, out=sys.stderr, now=time.monotonic):
        self.out, self.now, self.lock = out, now, threading.Lock()
        self.terminal = out.isatty()

    def start(self, runs, jobs):
        self.left, self.total, self.jobs = {}, len(runs), jobs
        self.done, self.began, self.taken = 0, {}, {}
        self.first = self.said = self.now()
        for run in runs:
            name = run.paper, run.scenario.name
            self.left[name] = self.left.get(name, 0) + 1
        if runs:
            print("%d runs, %d at a time" % (self.total, jobs), file=self.out)

    def begins(self, run):
        with self.lock:
            self.began[id(run)] = self.now()

    def ends(self, run):
        with self.lock:
            name = run.paper, run.scenario.name
            self.taken.setdefault(name, []).append(
                self.now() - self.began.pop(id(run)))
            self.left[name] -= 1
            self.done += 1
            self.say("%s %s" % name)

    def remaining(self):
        """s that the runs left will take, by what those like them took."""
        every = [t for taken in self.taken.values() for t in taken]
        typical = sum(every) / len(every) if every else 0
        means = {name: sum(t) / len(t) for name, t in self.taken.items()}
        return sum(n * means.get(name, typical)
                   for name, n in self.left.items()) / self.jobs

    def say(self, what):
        text = "%d of %d done, %s so far, about %s left" % (
            self.done, self.total, clock(self.now() - self.first),
            clock(self.remaining()))
        if self.terminal:
            print("\r\033[K%s (%s)" % (text, what), end="", file=self.out,
                  flush=True)
        elif self.now() - self.said >= QUIET or self.done == self.total:
            self.said = self.now()
            print(text, file=self.out, flush=True)

    def finish(self):
        if self.terminal and self.total:
            print(file=self.out)
