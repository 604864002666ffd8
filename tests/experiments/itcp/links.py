# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Links that run a few at a time, and that do not outlive who started them."""

import concurrent.futures
import subprocess
import threading


# s; a signal that comes as Python begins to wait is noticed as that ends.
TICK = .5


class Links:
    """The first that fails, and a signal that raises, end the others: a link
    that is asked to end does so within two seconds, ends its command and takes
    its namespaces away."""

    def __init__(self, jobs):
        self.jobs, self.lock = jobs, threading.Condition()
        self.running, self.stopped = set(), False

    def all(self, call, items, done):
        """call() of each of the items, in threads; done() in this one."""
        threads = concurrent.futures.ThreadPoolExecutor(self.jobs)
        waiting = []
        try:
            # Here already a signal may come.
            for item in items:
                waiting.append(threads.submit(self.one, call, item))
            left = set(waiting)
            while left:
                ended, left = concurrent.futures.wait(
                    left, TICK, concurrent.futures.FIRST_COMPLETED)
                for link in ended:
                    link.result()
                    done()
        except BaseException:
            self.stop(waiting)
            raise
        finally:
            threads.shutdown()
            # The executor forgets a thread that a signal came in the midst of
            # starting.
            with self.lock:
                self.lock.wait_for(lambda: not self.running)

    def one(self, call, item):
        """call() of an item. Its thread takes the next one as soon as it has
        failed, before all() hears of that: none may start by then."""
        try:
            return call(item)
        except BaseException:
            with self.lock:
                self.stopped = True
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
                self.lock.notify_all()
        return None if self.stopped else status
