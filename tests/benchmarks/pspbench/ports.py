# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Free UDP ports of this machine."""

import contextlib
import socket


def free_ports(n):
    """The first of n consecutive ports; an even one, as RTP's, of several."""
    while True:
        with contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(socket.socket(
                socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(n)]
            sockets[0].bind(("127.0.0.1", 0))
            first = sockets[0].getsockname()[1]
            try:
                for i in range(1, n):
                    sockets[i].bind(("127.0.0.1", first + i))
            except OSError:
                continue
            if n == 1 or first % 2 == 0:
                return first


def free_port():
    return free_ports(1)
