# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Network namespaces to measure in; they go with the context."""

import os
import subprocess


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class VethPair:
    address_a, address_b = "10.99.7.1", "10.99.7.2"

    def __init__(self):
        self.a, self.b = ("psp-%s-%d" % (side, os.getpid()) for side in "ab")

    def __enter__(self):
        ip("netns", "add", self.a)
        ip("netns", "add", self.b)
        ip("link", "add", "veth0", "netns", self.a, "type", "veth",
           "peer", "name", "veth0", "netns", self.b)
        for name, address in ((self.a, self.address_a),
                              (self.b, self.address_b)):
            ip("-n", name, "address", "add", address + "/24", "dev", "veth0")
            ip("-n", name, "link", "set", "veth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        return self

    def __exit__(self, *exception):
        for name in (self.a, self.b):
            subprocess.run(["ip", "netns", "del", name], check=False)

    def in_a(self, command):
        return ["ip", "netns", "exec", self.a, *command]

    def in_b(self, command):
        return ["ip", "netns", "exec", self.b, *command]


class DummyLink:
    """A namespace with a device that drops what is sent: what a sender pays
    where the receiver is another machine. Its kind is dummy or, where the
    kernel has none, a bridge without ports."""

    address = "10.99.8.2"               # of a neighbour that need not exist

    def __init__(self):
        self.name = "psp-d-%d" % os.getpid()

    def __enter__(self):
        ip("netns", "add", self.name)
        for kind in ("dummy", "bridge"):
            if subprocess.run(["ip", "-n", self.name, "link", "add", "out",
                               "type", kind], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0:
                break
        for words in ("address add 10.99.8.1/24 dev out", "link set out up",
                      "link set lo up",
                      "neigh add %s lladdr 02:00:00:00:00:02 dev out"
                      % self.address):
            ip("-n", self.name, *words.split())
        self.kind = kind
        return self

    def __exit__(self, *exception):
        subprocess.run(["ip", "netns", "del", self.name], check=False)

    def inside(self, command):
        return ["ip", "netns", "exec", self.name, *command]
