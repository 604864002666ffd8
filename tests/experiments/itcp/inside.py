# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""One run, as the command of psp-link-tun, between its two namespaces;
argument: a JSON object. Status 0: all went well."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 5004
COUNTERS = ["TCPTimeouts", "TCPRenoRecovery", "TCPSackRecovery",
            "TCPLossProbes", "RetransSegs"]


def within(namespace, *command):
    return ["ip", "netns", "exec", os.environ["LINK_NS_" + namespace],
            *command]


def python(namespace, name, options):
    return within(namespace, sys.executable, "-B",
                  os.path.join(HERE, name), json.dumps(options))


def prepare(options):
    """TCP's settings; those that this kernel lacks are an error, not a
    silent difference."""
    for namespace in "AB":
        for name, value in options["tcp"].items():
            subprocess.run(within(namespace, "sysctl", "-qw",
                                  "net.ipv4.%s=%s" % (name, value)),
                           check=True)


def counters():
    """What TCP counted at the sender."""
    text = subprocess.run(
        within("A", "cat", "/proc/net/netstat", "/proc/net/snmp"),
        check=True, stdout=subprocess.PIPE, text=True).stdout
    found, lines = {}, text.splitlines()
    for names, values in zip(lines[::2], lines[1::2]):
        found.update(zip(names.split()[1:], values.split()[1:]))
    return {name: int(found[name]) for name in COUNTERS if name in found}


def began():
    """When this process did, in s, exact to 10 ms: time 0 of the link."""
    with open("/proc/self/stat") as file:
        ticks = int(file.read().rsplit(")", 1)[1].split()[19])
    return ticks / os.sysconf("SC_CLK_TCK")


def begin_at(o):
    """When the video is to begin, now that all is ready, in ns."""
    now = time.monotonic_ns()
    if "outage" not in o:
        return now + int((o["rates"]["lead"] + .5) * 1e9)
    start = int((began() + o["offset"]) * 1e9)
    if start < now + 10**8:
        sys.exit("too late to begin: the machine is too busy")
    return start


def end_with_parent():
    """Even where that is killed, with no time to end its children."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Children:
    def __init__(self):
        self.all = []

    def start(self, namespace, name, options):
        child = subprocess.Popen(python(namespace, name, options), text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 preexec_fn=end_with_parent)
        self.all.append(child)
        if child.stdout.readline() != "ready\n":
            sys.exit(name + " does not begin")
        return child

    def tell(self, start):
        for child in self.all:
            child.stdin.write("%d\n" % start)
            child.stdin.flush()

    def kill(self):
        for child in self.all:
            child.kill()
            child.wait()


def log(folder, start):
    """Times since the video's begin; and TCP's counters."""
    with open(folder + "/received.json") as file:
        received = json.load(file)
    for name in "arrival", "decoded":
        received[name] = [t - start for t in received[name]]
    with open(folder + "/received.json", "w") as file:
        json.dump(received, file)
    with open(folder + "/counters.json", "w") as file:
        json.dump(counters(), file)


def main(o):
    # what the link sends when it is to end: an exit, so that the children end
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    prepare(o)
    ends = {"port": PORT, "out": o["out"], "host": os.environ["LINK_ADDR_B"]}
    children = Children()
    try:
        receiver = children.start("B", "receiver.py", ends)
        sender = children.start("A", "sender.py", {**ends, **o["sender"]})
        if o["bursts"] is not None:
            children.start("A", "cross.py", {
                **ends, "run": o["run"], "bursts": o["bursts"],
                "rates": o["rates"]})
        start = begin_at(o)
        children.tell(start)
        if sender.wait(o["timeout"]) or receiver.wait(30):
            sys.exit("a pipeline failed")
        log(o["out"], start)
    finally:
        children.kill()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
