# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The cross traffic of a run, packet by packet; argument: a JSON object. Says
that it is ready, and reads when to begin."""

import heapq
import json
import random
import socket
import sys
import time

HEADERS = 28                    # IP and UDP


def rate(at, bursts, rates):
    """Packets a second of one host, and when that ends."""
    for begin, length in bursts:
        if at < begin:
            return rates["quiet"], begin
        peak = begin + min(rates["peak-time"], length)
        if at < peak:
            return rates["peak"], peak
        if at < begin + length:
            return rates["busy"], begin + length
    return rates["quiet"], float("inf")


def host(seed, begin, bursts, rates):
    """Times of a host's packets, without end."""
    rng = random.Random(seed)
    at, part = begin, rng.random()      # of an interval, until the next
    while True:
        now, until = rate(at, bursts, rates)
        if at + part / now < until:
            at += part / now
            part = rng.uniform(.5, 1.5)
            yield at
        else:
            part -= (until - at) * now
            at = until


def packets(run, bursts, rates):
    """Times in s, in order, of all hosts."""
    return heapq.merge(*(host("itcp-%d-%d" % (run, n), -rates["lead"], bursts,
                              rates) for n in range(rates["hosts"])))


def main(o):
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.connect((o["host"], o["port"]))
    data = bytes(o["rates"]["packet"] - HEADERS)
    print("ready", flush=True)
    start = int(sys.stdin.readline()) / 1e9
    for at in packets(o["run"], o["bursts"], o["rates"]):
        wait = start + at - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        try:
            out.send(data)
        except ConnectionRefusedError:  # the receiver has ended
            return


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
