# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Links that run a few at a time, and that do not outlive who started them."""

import concurrent.futures
import subprocess
import threading


class Links:
    """The first that fails, and a signal that raises, end the others: a link
    that is asked to end does so within two seconds, ends its command and takes
    its namespaces away."""

    def __init__(self, jobs):
        self.jobs, self.lock = jobs, threading.Lock()
        self.running, self.stopped = set(), False

    def all(self, call, items, done):
        """call() of each of the items, in threads; done() in this one."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as threads:
            waiting = [threads.submit(call, item) for item in items]
            try:
                for ended in concurrent.futures.as_completed(waiting):
                    ended.result()
                    done()
            except BaseException:
                self.stop(waiting)
                raise

    def stop(self, waiting):
        for future in waiting:
            future.cancel()
        with self.lock:
            self.stopped = True
            for link in self.running:
                link.terminate()

    def run(self, command, env, log):
        """A link's status; None: it was not to run, or not to the end."""
        with self.lock:
            if self.stopped:
                return None
            link = subprocess.Popen(command, env=env, stdout=log,
                                    stdin=subprocess.DEVNULL,
                                    stderr=subprocess.STDOUT)
            self.running.add(link)
        try:
            status = link.wait()
        finally:
            with self.lock:
                self.running.discard(link)
        return None if self.stopped else status
