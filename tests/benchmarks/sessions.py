#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Many sessions of pspsink in one process, each answered by the receiver core
in one other process, on loopback: how many keep their rate, and what of a CPU,
of threads and of memory a session takes beyond the same pipelines into
fakesink.

    tests/benchmarks/sessions.py BUILD_DIR [--sessions 1,20,100,200]
        [--controllers scp,poise] [--rate 2000000] [--seconds 20]
    … --memory          of one pspsink and one pspsrc after three minutes

CPU and memory are what the process with the sinks takes, less what it takes
with fakesinks, which is run before the rows of each number; stacks are in the
memory. A number takes SECONDS and WARM_UP once, and once more a controller; in
--memory a controller takes SECONDS.

Plugins are those of BUILD_DIR. The programs psp-many and psp-answer come from
there, too; for a build that has none, --programs names one that does."""

import argparse
import json
import os
import subprocess
import tempfile
import time

SINK = "pspsink host=127.0.0.1 port=%d controller="
SOURCE = ("pspsrc address=127.0.0.1 port=0 "
          "caps=application/x-rtp,clock-rate=90000")
# A source with a thread of its own and the same rate, but no socket.
IDLE_SOURCE = ("fakesrc is-live=true do-timestamp=true sizetype=fixed "
               "sizemax=1200 datarate=%d format=time")
WARM_UP = 6                     # s: until each session has found its rate
MEMORY_SECONDS = 180
PORTS = range(5004, 65536)      # for sinks that do not look


def environment(build, registry):
    """The plugins of a build, and nobody else's of these names."""
    return dict(os.environ, GST_REGISTRY_1_0=registry, GST_PLUGIN_PATH_1_0=(
        os.path.join(build, "gst") + ":" + os.path.join(build, "ext")))


class Program:
    """A program that says a line of JSON at each line that it is told."""

    def __init__(self, command, env=None):
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("%s ended" % self.process.args[0])
        return json.loads(line)

    def ask(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.hear()

    def anonymous_kib(self):
        with open("/proc/%d/status" % self.process.pid) as f:
            return next(int(line.split()[1]) for line in f
                        if line.startswith("RssAnon:"))


class Bench:
    def __init__(self, args, registry):
        self.args = args
        self.programs = os.path.join(args.programs or args.build, "tests",
                                     "benchmarks")
        self.env = environment(args.build, registry)
        # The first to start looks through all plugins, which takes memory.
        with self.many("fakesink name=f%d", PORTS[:1]) as many:
            many.ask()

    def program(self, name, *words):
        return Program([os.path.join(self.programs, name), *words], self.env)

    def many(self, sink, ports):
        return self.program("psp-many", "--sink", sink, "--rate",
                            str(self.args.rate), *map(str, ports))


def used(before, after, name="cpu_s"):
    """Share of a core."""
    return (after[name] - before[name]) / (after["at_s"] - before["at_s"])


def run(bench, sink, n, answer=None):
    """What a process with n sinks takes, and what of its packets arrived."""
    ports = answer.hear()["ports"] if answer else PORTS[:n]
    with bench.many(sink, ports) as many:
        time.sleep(bench.args.warm_up)
        first = many.ask(), answer and answer.ask()
        time.sleep(bench.args.seconds)
        last = many.ask(), answer and answer.ask()
        row = {"cpu": used(first[0], last[0]),
               "feed": used(first[0], last[0], "feed_cpu_s"),
               "threads": last[0]["threads"],
               "anonymous_kib": last[0]["anonymous_kib"]}
        if answer:
            # Of what each was to send: one that is fed too little must not
            # count as one that keeps its rate.
            wanted = bench.args.rate / 8 / 1188 * (
                last[1]["at_s"] - first[1]["at_s"])
            row["shares"] = [(b - a) / wanted for a, b in zip(
                first[1]["packets"], last[1]["packets"])]
            row["answer_cpu"] = used(first[1], last[1])
            row["reports"] = last[1]["reports"] - first[1]["reports"]
    return row


def measure(bench, base, controller, n):
    with bench.program("psp-answer", str(n)) as answer:
        ours = run(bench, bench.args.sink or SINK + controller, n, answer)
    return {
        "controller": controller, "sessions": n, "rate": bench.args.rate,
        "kept": sum(share >= .95 for share in ours["shares"]) / n,
        "least": min(ours["shares"]),
        "cpu": (ours["cpu"] - base["cpu"]) / n, "source_cpu": base["cpu"] / n,
        "answer_cpu": ours["answer_cpu"] / n,
        "reports": ours["reports"] / bench.args.seconds / n,
        "threads": ours["threads"], "source_threads": base["threads"],
        "anonymous_kib": (ours["anonymous_kib"] - base["anonymous_kib"]) / n}


HEAD = """\
| controller | sessions | at 95 % of %.1f Mb/s | least | CPU each | the source's own | \
answering, each | reports/s each | threads | with fakesink | RssAnon each |
|---|---|---|---|---|---|---|---|---|---|---|"""


def line(row):
    return ("| %s | %d | %.1f %% | %.1f %% | %.3f %% | %.3f %% | %.3f %% | %.1f | "
            "%d | %d | %.0f KiB |" % (
                row["controller"], row["sessions"], 100 * row["kept"], 100 * row["least"],
                100 * row["cpu"], 100 * row["source_cpu"],
                100 * row["answer_cpu"], row["reports"], row["threads"],
                row["source_threads"], row["anonymous_kib"]))


def growth(rows):
    """CPU a session of 200 against that of 100, of each controller."""
    cpu = {(row["controller"], row["sessions"]): row["cpu"] for row in rows}
    for controller, n in cpu:
        if n == 200 and cpu.get((controller, 100), 0) > 0:
            yield "%s: 200 sessions take %.2f times the CPU of 100, each" % (
                controller, cpu[controller, 200] / cpu[controller, 100])


def measure_memory(bench, controller):
    """One session from process to process beside both without their
    sockets."""
    idle = IDLE_SOURCE % (bench.args.rate // 8)
    with bench.program("psp-hear", SOURCE) as receiver, \
            bench.program("psp-hear", idle) as idle_receiver, \
            bench.many("fakesink name=f%d", PORTS[:1]) as idle_sender, \
            bench.many(bench.args.sink or SINK + controller,
                       [receiver.hear()["port"]]) as sender:
        time.sleep(bench.args.seconds)
        found = {"pspsink": (sender.anonymous_kib(),
                             idle_sender.anonymous_kib()),
                 "pspsrc": (receiver.anonymous_kib(),
                            idle_receiver.anonymous_kib())}
        for process in (receiver, idle_receiver):
            process.process.kill()
    return {"%s, %s" % (name, controller):
            {"process_kib": ours, "base_kib": base,
             "anonymous_kib": ours - base}
            for name, (ours, base) in found.items()}


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--sessions", default="1,20,100,200")
    parser.add_argument("--controllers", default="scp,poise")
    parser.add_argument("--rate", type=int, default=2000000,
                        help="of each, bits/s of payload")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--warm-up", type=float, default=WARM_UP)
    parser.add_argument("--sink", help="another one; %%d is its port")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--programs", type=os.path.abspath,
                        metavar="BUILD_DIR")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args()
    args.controllers = args.sink and ["as given"] or args.controllers.split(",")
    if args.seconds is None:
        args.seconds = MEMORY_SECONDS if args.memory else 20
    return args


def main():
    args = parse()
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(args, os.path.join(work, "registry"))
        if args.memory:
            found = {}
            for controller in args.controllers:
                found.update(measure_memory(bench, controller))
            for name, row in found.items():
                print("%s: RssAnon %d KiB, %d without it: %d KiB after %.0f s"
                      % (name, row["process_kib"], row["base_kib"],
                         row["anonymous_kib"], args.seconds))
        else:
            print(HEAD.replace("95 %", "95 %%") % (args.rate / 1e6))
            found = []
            for n in map(int, args.sessions.split(",")):
                base = run(bench, "fakesink name=f%d", n)
                for controller in args.controllers:
                    found.append(measure(bench, base, controller, n))
                    print(line(found[-1]), flush=True)
            for sentence in growth(found):
                print(sentence)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(found, f)


if __name__ == "__main__":
    main()
