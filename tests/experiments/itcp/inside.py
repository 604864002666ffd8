# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""One run, as the command of psp-link-tun, between its two namespaces;
argument: a JSON object. Status 0: all went well."""

import json
import os
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


def main(o):
    prepare(o)
    start = int((began() + o["offset"]) * 1e9)
    ends = {"start": start, "port": PORT, "out": o["out"],
            "host": os.environ["LINK_ADDR_B"]}
    receiver = subprocess.Popen(python("B", "receiver.py", ends),
                                stdout=subprocess.PIPE, text=True)
    children = [receiver]
    try:
        if receiver.stdout.readline() != "ready\n":
            sys.exit("the receiver does not begin")
        if o["bursts"] is not None:
            children.append(subprocess.Popen(python("A", "cross.py", {
                **ends, "run": o["run"], "bursts": o["bursts"],
                "rates": o["rates"]})))
        sender = subprocess.Popen(python("A", "sender.py", {
            **ends, **o["sender"]}))
        children.append(sender)
        if time.monotonic_ns() > start:
            sys.exit("too late to begin")
        if sender.wait(o["timeout"]) or receiver.wait(30):
            sys.exit("a pipeline failed")
        with open(o["out"] + "/counters.json", "w") as file:
            json.dump({**counters(), "began": start - o["offset"] * 10**9},
                      file)
    finally:
        for child in children:
            child.kill()
            child.wait()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
