#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Controllers in real time: a live encoder, the emulated link between network
namespaces, the kernel's cubic, reno and bbr as neighbours. Needs root.

    tests/benchmarks/live.py BUILD [--controllers scp,rap-psp] [--runs 5]
        [--cases steady,step,…] [--encoder x264-zerolatency] [--quick]
        [--results FILE] [--repeat-late] [--page]

A controller is one of pspsink's, to pspsrc, or the name of an element that finds
the bandwidth otherwise: rtpbandwidth, or rtpgccbwe of gst-plugins-rs, in rtpbin to
rtpbin, or screamtx of SCReAM. PEER_PLUGINS is the folder of the latter two's plugins;
beside them the encoder must be x264enc.

All controllers go through a case at the same time, each over a link of its own,
so that what the machine does meets them alike. What was measured is appended to
--results at once, with the machine's load; the same command goes on where the
last one was cut. --repeat-late makes runs again, by all controllers, in which the
link of one was late. --quick is two shorter runs of most cases. --page runs nothing
and writes docs/evidence/live.md, or PAGE, of the results.

Cases:
%s
Encoders: those of tests/sources/record.py that take raw pictures. BUILD is
Meson's build directory; the plugins are its own."""

import argparse
import csv
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
for name in "sources", "experiments", "sim":
    sys.path.insert(0, os.path.join(HERE, "..", name))

from itcp.links import Links                                # noqa: E402
from pspbench import livepage                               # noqa: E402
from pspbench.livecases import CASES, DELAY, QUICK, Run     # noqa: E402
from pspbench.livefigures import Passed, distinct           # noqa: E402
from pspbench.liveresults import Results                    # noqa: E402
from pspbench.liveelements import ELEMENTS                    # noqa: E402

SKIPPED = 77
PAGE = os.path.join(HERE, "..", "..", "docs", "evidence", "live.md")
TCP = "6"               # IP protocol


class Skip(Exception):
    pass


def parse():
    cases = "\n".join("    %-14s %s" % (c.name, c.says)
                      for c in CASES.values())
    parser = argparse.ArgumentParser(
        description=__doc__ % cases,
        formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--controllers", default="scp")
    parser.add_argument("--cases")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--encoder", default="x264-zerolatency")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--results")
    parser.add_argument("--keep", metavar="DIRECTORY",
                        help="keep the logs of the runs there")
    parser.add_argument("--repeat-late", action="store_true")
    parser.add_argument("--page", nargs="?", const=PAGE)
    args = parser.parse_args()
    args.cases = args.cases.split(",") if args.cases else [
        name for name, case in CASES.items() if case.quick or not args.quick]
    for case in args.cases:
        if case not in CASES:
            parser.error("there is no case " + case)
    args.controllers = args.controllers.split(",")
    args.runs = args.runs or (2 if args.quick else 5)
    args.results = args.results or os.path.join(
        args.build, "live-quick.json" if args.quick else "live.json")
    return args


def environment(build, work):
    peers, there = map(os.environ.get, ("PEER_PLUGINS", "LD_LIBRARY_PATH"))
    return dict(
        os.environ, PYTHONDONTWRITEBYTECODE="1",
        GST_REGISTRY_1_0=os.path.join(work, "registry.bin"),
        GST_PLUGIN_PATH_1_0=":".join(
            [os.path.join(build, part) for part in ("gst", "ext")] +
            [peers] * bool(peers)),
        LD_LIBRARY_PATH=":".join(
            [os.path.join(build, "gst-libs", "gst", "congestion")] +
            [there] * bool(there)))


def identity(build):
    """Of the plugins that decide the outcome."""
    digest = hashlib.sha256()
    for path in ("psp/libgstpsp.so", "encoderbitrate/libgstencoderbitrate.so",
                 "rtpbandwidth/libgstrtpbandwidth.so"):
        with open(os.path.join(build, "gst", path), "rb") as f:
            digest.update(f.read())
    return digest.hexdigest()[:16]


def algorithms(cases):
    return {CASES[name].tcp.algorithm for name in cases if CASES[name].tcp}


def check(args, env):
    """Raises Skip where something is missing; returns the cases that can
    run."""
    if os.geteuid() != 0:
        raise Skip("network namespaces need root")
    try:
        import gi               # noqa: F401
        import record
    except ImportError as error:
        raise Skip("%s for %s" % (error, sys.executable)) from None
    if record.ENCODERS.get(args.encoder, "?")[0] not in ("motion", "desktop"):
        raise SystemExit("no encoder of raw pictures: " + args.encoder)
    element = record.ENCODERS[args.encoder][1].split()[0]
    rtpbins = [name for name in args.controllers if name in ELEMENTS]
    for name in [element, "pspsink", "pspsrc", "encoderbitrate"] + rtpbins:
        if subprocess.run(["gst-inspect-1.0", name], env=env,
                          stdout=subprocess.DEVNULL).returncode:
            raise Skip("there is no element " + name)
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as f:
        there = f.read().split()
    for algorithm in algorithms(args.cases) - set(there):
        print("skipped: this kernel has no " + algorithm, flush=True)
    alone = [name for name in args.cases if CASES[name].others] if rtpbins \
        else []
    for name in alone:
        print("skipped: %s, as the reports of %s have one port" % (
            name, ", ".join(rtpbins)), flush=True)
    return [name for name in args.cases
            if (not CASES[name].tcp or CASES[name].tcp.algorithm in there)
            and name not in alone]


def make_pictures(kind, work):
    """The raw pictures that all senders read."""
    import pictures
    path = os.path.join(work, kind)
    if kind == "motion":
        # Not what needs less than the link has: its use is measured.
        pictures.motion(path, 0, ["pattern=zone-plate kx2=10 ky2=6 kt=2"])
        return path, pictures.MOTION
    pictures.desktop(path, 1, 900)
    return path, pictures.DESKTOP


class Session:
    """What all runs share."""

    def __init__(self, args, work):
        import pictures
        import record
        self.args, self.work = args, work
        self.env = environment(args.build, work)
        self.tun = os.path.join(args.build, "tests", "link", "tun",
                                "psp-link-tun")
        kind, self.coder, self.payloader = record.ENCODERS[args.encoder]
        # The default buffer: encoderbitrate keeps it to what the network takes.
        self.coder = self.coder.replace(" vbv-buf-capacity=200", "")
        self.pictures, size = make_pictures(kind, work)
        self.picture_size = pictures.frame_bytes(size)
        self.caps = "video/x-raw,format=I420,width=%d,height=%d," \
            "framerate=30/1" % size
        self.scale = QUICK if args.quick else 1

    def sender(self, case, controller):
        return {"coder": self.coder.format(bit=case.start,
                                           kbit=case.start // 1000),
                "payloader": self.payloader, "caps": self.caps,
                "pictures": self.pictures, "picture-size": self.picture_size,
                "seconds": case.seconds(self.scale), "start": case.start,
                "element": controller if controller in ELEMENTS else None,
                "sink": "pspsink host=10.99.0.2 controller=%s "
                "start-target-bitrate=%d ecn=%s" % (
                    controller, case.start, case.ecn or "off")}

    def neighbour(self, case):
        tcp = case.tcp
        return tcp and {
            **tcp._asdict(), "begin": case.time(tcp.begin, self.scale),
            "end": case.time(tcp.end, self.scale), "ecn": bool(case.ecn)}

    def folder(self, row):
        return os.path.join(self.args.keep or self.work, "%s-%s-%d" % (
            row["case"], row["controller"], row["run"]))

    def command(self, row):
        """The link and what runs inside; makes the folder for its logs."""
        case, out = CASES[row["case"]], self.folder(row)
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        inside = {
            "out": out, "lead": case.lead,
            "sender": self.sender(case, row["controller"]),
            "tcp": self.neighbour(case), "others": case.others,
            "stopped": [case.time(case.stopped[0], self.scale),
                        case.stopped[1]] if case.stopped else []}
        return [self.tun, "--forward", case.forward(self.scale, row["run"]),
                "--back", ",".join(["delay=" + DELAY] + [case.back] * bool(
                    case.back)), "--log", out + "/log.csv",
                "--stats", out + "/stats.json", "--", sys.executable, "-B",
                os.path.join(HERE, "pspbench", "liveinside.py"),
                json.dumps(inside)]


def read_json(folder, name):
    with open(os.path.join(folder, name)) as f:
        return json.load(f)


def read_log(path, start):
    """The forward direction; start: of the media, in the link's seconds."""
    def seconds(text):
        return int(text) / 1e9 - start if text else None
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            # The time in which a packet was dropped stands there, too.
            came = row["verdict"] in ("delivered", "duplicate")
            if row["direction"] == "forward":
                yield Passed(
                    seconds(row["arrived"]), row["flow"] == TCP,
                    int(row["size"]), row["verdict"],
                    seconds(row["delivered"]) if came else None,
                    int(row["wait"]) / 1e9 if row["wait"] else None)


def read_run(folder, others):
    clock = read_json(folder, "start.json")

    def since_start(name):
        return [[*row[:3], (row[3] - clock["start"]) / 1e9]
                for row in read_json(folder, name)]
    others = [distinct(since_start("sent-%d.json" % n),
                       since_start("received-%d.json" % n))
              for n in range(1, others + 1)]
    return Run(since_start("sent.json"), since_start("received.json"),
               list(read_log(os.path.join(folder, "log.csv"),
                             (clock["start"] - clock["link"]) / 1e9)), others)


def ticks():
    """(busy, all) of the processors, since they started."""
    with open("/proc/stat") as f:
        values = list(map(int, f.readline().split()[1:9]))
    return sum(values) - values[3] - values[4], sum(values)


def machine(folder, load, before, after):
    stats = read_json(folder, "stats.json")
    busy, passed = (b - a for a, b in zip(before, after))
    return {"load": load, "busy": busy / max(1, passed),
            "processors": os.cpu_count(), "realtime": stats["realtime"],
            "late_ms": stats["forward"]["send-late-max-us"] / 1e3,
            "kernel_drops": stats["kernel-drops-a"] + stats["kernel-drops-b"]}


def run_links(session, rows):
    """The exit status of each."""
    links, statuses = Links(len(rows)), {}

    def run(row):
        with open(os.path.join(session.work, "messages"), "ab") as log:
            statuses[row["controller"]] = links.run(session.command(row),
                                                    session.env, log)
    links.all(run, rows, lambda: None)
    return statuses


def run_together(session, rows, results):
    """One run of a case by each controller at once."""
    load, before = os.getloadavg()[0], ticks()
    statuses, after = run_links(session, rows), ticks()
    if SKIPPED in statuses.values():
        raise Skip("a link cannot be made here")
    for row in rows:
        if statuses[row["controller"]]:
            with open(os.path.join(session.work, "messages")) as f:
                raise SystemExit("%s by %s failed:\n%s" % (
                    row["case"], row["controller"], f.read()[-2000:]))
        folder, case = session.folder(row), CASES[row["case"]]
        row["figures"] = case.figures(read_run(folder, case.others),
                                      session.scale)
        row["machine"] = machine(folder, load, before, after)
        results.add(row)
        tell(row, case)
        if not session.args.keep:
            shutil.rmtree(folder)


def tell(row, case):
    print("%-14s %-10s %d: %s" % (
        row["case"], row["controller"], row["run"], ", ".join(
            "%s %s" % (f.title, livepage.number(row["figures"][f.name], f.kind))
            for f in case.shown)), flush=True)


def run_all(args, work):
    cases = check(args, environment(args.build, work))
    results, build = Results(args.results), identity(args.build)
    session = None
    for run in range(1, args.runs + 1):
        for case in cases:
            rows = [{"case": case, "controller": controller, "run": run,
                     "quick": args.quick, "encoder": args.encoder,
                     "build": build} for controller in args.controllers]
            if args.repeat_late:
                if all(results.has(row, late_too=False) for row in rows):
                    continue
            else:
                rows = [row for row in rows if not results.has(row)]
            if rows:
                session = session or Session(args, work)
                run_together(session, rows, results)


def main():
    args = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if not args.page:
        with tempfile.TemporaryDirectory(prefix="psp-live-") as work:
            try:
                run_all(args, work)
            except Skip as why:
                print("skipped: %s" % why)
                return SKIPPED
        return 0
    rows = Results(args.results).rows
    if not rows:
        raise SystemExit("there is nothing in " + args.results)
    with open(args.page, "w", encoding="utf8") as f:
        f.write(livepage.page(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
