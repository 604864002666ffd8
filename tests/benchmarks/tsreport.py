#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What receivers require of an MPEG transport stream, of a file: PCR,
continuity, and, at a constant rate, pictures later than their DTS. With
--require-… it fails where they are not met; DVB asks for a PCR each 40 ms,
exact to 500 ns (ETSI TR 101 290, 5.2.2).

    tests/benchmarks/tsreport.py FILE.ts [--constant] [--require-pcr-gap MS]
        [--require-pcr-error NS] [--require-late N] [--require-pictures N]"""

import argparse
import sys

from pspbench.transportstream import Damaged, analyse


def lines(report):
    yield "%d bytes, %.2f s, %.3f Mb/s, of it null packets %.3f Mb/s" % (
        report.bytes, report.seconds, report.bitrate / 1e6,
        report.stuffing / 1e6)
    yield "continuity errors: %d" % report.continuity_errors
    yield "PCR: apart at most %.1f ms" % (1e3 * report.pcr_gap)
    yield "pictures: %d" % report.pictures
    if report.pcr_error is None:        # when their bytes come is not known
        return
    yield "PCR: from a constant rate at most %.1f ns" % (
        1e9 * report.pcr_error)
    if report.pictures:
        yield "later than their DTS: %d pictures, least margin %.1f ms" % (
            report.late, 1e3 * report.margin)


def failures(report, args):
    if report.continuity_errors:
        yield "packets are missing"
    if args.require_pcr_gap is not None and \
            1e3 * report.pcr_gap > args.require_pcr_gap:
        yield "PCR are more than %g ms apart" % args.require_pcr_gap
    if args.require_pcr_error is not None and \
            1e9 * report.pcr_error > args.require_pcr_error:
        yield "a PCR is more than %g ns wrong" % args.require_pcr_error
    if args.require_late is not None and report.late > args.require_late:
        yield "more than %d pictures are late" % args.require_late
    if report.pictures < args.require_pictures:
        yield "fewer than %d pictures" % args.require_pictures


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--constant", action="store_true",
                        help="the rate is to be constant")
    parser.add_argument("--require-pcr-gap", type=float, metavar="MS")
    parser.add_argument("--require-pcr-error", type=float, metavar="NS",
                        help="with --constant")
    parser.add_argument("--require-late", type=int, metavar="N",
                        help="with --constant")
    parser.add_argument("--require-pictures", type=int, default=0, metavar="N")
    args = parser.parse_args()
    if not args.constant and (args.require_pcr_error is not None or
                              args.require_late is not None):
        parser.error("a PCR's error and late pictures need --constant")
    with open(args.file, "rb") as f:
        data = f.read()
    try:
        report = analyse(data, args.constant)
    except Damaged as error:
        sys.exit("%s: %s" % (args.file, error))
    print("\n".join(lines(report)))
    wrong = list(failures(report, args))
    if wrong:
        sys.exit("%s: %s" % (args.file, "; ".join(wrong)))


if __name__ == "__main__":
    main()
