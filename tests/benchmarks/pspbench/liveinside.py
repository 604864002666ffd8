# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""One run of live.py, as the command of psp-link-tun, between its two
namespaces; argument: a JSON object. Status 0: all went well."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

ENDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "liveends.py")
PORT = 5004


def link_began():
    """When this process did, in ns, exact to 10 ms: time 0 of the link."""
    with open("/proc/self/stat") as f:
        ticks = int(f.read().rsplit(")", 1)[1].split()[19])
    return ticks * (10**9 // os.sysconf("SC_CLK_TCK"))


def end_with_parent():
    """Even where that is killed, with no time to end its children."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Children:
    def __init__(self, o):
        self.o, self.all = o, []

    def start(self, namespace, what, **options):
        options.setdefault("host", os.environ["LINK_ADDR_B"])
        options.setdefault("port", PORT)
        child = subprocess.Popen(
            ["ip", "netns", "exec", os.environ["LINK_NS_" + namespace],
             sys.executable, "-B", ENDS, what, json.dumps(options)],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            preexec_fn=end_with_parent)
        self.all.append(child)
        if child.stdout.readline() != "ready\n":
            sys.exit(what + " does not begin")
        return child

    def path(self, name):
        return os.path.join(self.o["out"], name)

    def run(self):
        o = self.o
        receiver = self.start("B", "receive", out=self.path("received.json"),
                              element=o["sender"]["element"],
                              sender=os.environ["LINK_ADDR_A"])
        senders = []
        if o["tcp"]:
            there, here = "AB" if o["tcp"]["reverse"] else "BA"
            host = os.environ["LINK_ADDR_" + there]
            self.start(there, "tcp-receive", host=host)
            senders.append(self.start(here, "tcp-send", host=host, **o["tcp"]))
        sender = self.start("A", "send", out=self.path("sent.json"),
                            **o["sender"])
        others = [self.other(n) for n in range(1, o["others"] + 1)]
        start = link_began() + int(o["lead"] * 1e9)
        first = min(0, o["tcp"]["begin"] if o["tcp"] else 0)
        if start + int(first * 1e9) < time.monotonic_ns():
            sys.exit("too late to begin: the machine is too busy")
        for child in senders + [sender]:
            child.stdin.write("%d\n" % start)
            child.stdin.flush()
        for n, (other, _) in enumerate(others, 1):
            other.stdin.write("%d\n" % (start + n * 10**9))
            other.stdin.flush()
        self.stop_and_go(receiver, start)
        for other in [(sender, receiver)] + others:
            self.finish(*other)
        with open(self.path("start.json"), "w") as f:
            json.dump({"start": start, "link": link_began()}, f)

    def other(self, n):
        """A further session, which begins n s later and ends with the first
        one: its sender and receiver."""
        options = {**self.o["sender"], "port": PORT + 2 * n,
                   "seconds": self.o["sender"]["seconds"] - n}
        receiver = self.start("B", "receive", port=options["port"],
                              out=self.path("received-%d.json" % n),
                              element=None)
        return self.start("A", "send", out=self.path("sent-%d.json" % n),
                          **options), receiver

    def finish(self, sender, receiver):
        if sender.wait(self.o["sender"]["seconds"] + 30):
            sys.exit("a sender failed")
        receiver.terminate()
        if receiver.wait(10):
            sys.exit("a receiver failed")

    def stop_and_go(self, receiver, start):
        if not self.o["stopped"]:
            return
        at, seconds = self.o["stopped"]
        time.sleep(max(0, start / 1e9 + at - time.monotonic()))
        receiver.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        receiver.send_signal(signal.SIGCONT)

    def kill(self):
        for child in self.all:
            child.kill()
            child.wait()


if __name__ == "__main__":
    # What the link sends when it is to end: an exit, so that the children end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    children = Children(json.loads(sys.argv[1]))
    try:
        children.run()
    finally:
        children.kill()
