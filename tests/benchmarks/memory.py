#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Resident memory of a process with pspsink over ten million packets, with
and without a controller's history in use.

    tests/benchmarks/memory.py BUILD_DIR [--packets 10000000]"""

import argparse
import os

from cost import feed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--packets", type=int, default=10_000_000)
    args = parser.parse_args()
    bench = os.path.join(args.build, "tests", "benchmarks")
    for sink in ("pspsink host=127.0.0.1 port={port} controller=none",
                 "udpsink host=127.0.0.1 port={port}"):
        rss = feed(bench, sink, args.packets)["rss_kib"]
        print("%-60s KiB at each tenth: %s; growth after the first tenth: %d"
              % (sink.format(port="N"), " ".join(map(str, rss)),
                 rss[-1] - rss[1]), flush=True)


if __name__ == "__main__":
    main()
