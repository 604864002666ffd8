# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Two network namespaces joined by a veth pair; both go with the context."""

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
