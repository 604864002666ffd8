#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What itcpsink's event sources find of TCP's retransmissions, and how soon,
against the kernel's own trace and counters. The sender is an ordinary user
without privileges; the link, in network namespaces, and the trace need root.

    tests/benchmarks/itcp-detection.py BUILD_DIR [--seconds 20]
        [--algorithms reno,cubic,bbr] [--realtime]
        [--sources bpf,bpf-pinned,error-queue,tcp-info,old]
    … --element         the CPU time of itcpsink itself

Scenarios, over 8 Mb/s, 20 ms and a queue of 22500 bytes: greedy, which writes
as fast as it goes; holes, 4 Mb/s through an outage of 450 ms every two
seconds; loss, 4 Mb/s of which 1 % of the packets are lost. And fast, 20 Mb/s
over 40 Mb/s of which 0.02 % are lost, for the CPU time of the watcher. A timeout
is TCP's state set to Loss, a recovery one set to Recovery; delays are from there
to the program that was told, and each event stands for one of these within 50 ms
before it, or is false. CPU is of the thread that watches; Mb/s is what was
acknowledged. Prints Markdown; a row takes SECONDS and about 2 more.
`bpf` loads its program before it gives its privileges
away, `bpf-pinned` has none and uses gst-itcp-events; `old` is error-queue as on
kernels that do not count timeouts (before 6.7).

--element sends 20 Mb/s over fast with itcpsink, and no trace, and tells what its
thread itcpsink:link takes of a core, and the whole process with the making of
the packets. But for `bpf` it has no privileges either, other than to choose the
algorithm.

Exit status 1 where error-queue, bpf or bpf-pinned misses a bar, with a line for
each that is missed: with reno and cubic all timeouts and 98 % of the recoveries
found, in less than 0.2 ms (median); with bbr 90 % in less than 1 ms; by bpf in
less than 0.15 ms; nothing false; less than 1 % of a core at 20 Mb/s."""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile

from pspbench import itcpbars, itcpelement

QUEUE = "rate=8M,delay=10ms,queue=22500B"
FAST = 20000000
RECEIVER = """
import socket
s = socket.create_server(("", 7000))
s.settimeout(10)
print("ready", flush=True)
c, _ = s.accept()
while c.recv(65536): pass
"""
SCRIPT = """
ip netns exec $LINK_NS_A sysctl -qw net.ipv4.tcp_no_metrics_save=1
ip netns exec $LINK_NS_B python3 -c '%(receiver)s' | {
  read ready
  exec ip netns exec $LINK_NS_A %(pin)s %(detect)s $LINK_ADDR_B \
    7000 %(source)s %(algorithm)s %(seconds)d %(bitrate)d %(old)s
}
"""


def holes(seconds):
    steps = ["0s:8M"]
    for at in range(2, seconds - 1, 2):
        steps += ["%ds:0" % at, "%d.45s:8M" % at]
    return "delay=10ms,queue=22500B,schedule=" + "/".join(steps)


SCENARIOS = {
    "greedy": (lambda seconds: QUEUE, 0),
    "holes": (holes, 4000000),
    "loss": (lambda seconds: QUEUE + ",loss=1%", 4000000),
    "fast": (lambda seconds: "rate=40M,delay=10ms,queue=100p,loss=0.02%",
             FAST),
}


class Trace:
    """Every state that TCP's congestion control takes, with its time."""

    def __init__(self):
        self.root = tempfile.mkdtemp()
        subprocess.run(["mount", "-t", "tracefs", "nodev", self.root],
                       check=True)
        self.path = os.path.join(self.root, "instances",
                                 "itcp-%d" % os.getpid())
        os.mkdir(self.path)
        self.write("trace_clock", "mono")
        self.write("buffer_size_kb", "4096")
        self.write("events/tcp/tcp_cong_state_set/enable", "1")

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w") as f:
            f.write(value)

    def clear(self):
        self.write("trace", "")

    def states(self, port):
        """(time in ns, state), in order."""
        with open(os.path.join(self.path, "trace")) as f:
            for line in f:
                if "tcp_cong_state_set:" not in line:
                    continue
                before, after = line.split("tcp_cong_state_set:")
                fields = dict(w.split("=") for w in after.split() if "=" in w)
                if int(fields["sport"]) == port:
                    seconds = before.split()[-1].rstrip(":")
                    yield (int(seconds.replace(".", "")) * 1000,
                           int(fields["cong_state"]))

    def close(self):
        os.rmdir(self.path)
        subprocess.run(["umount", self.root], check=True)
        os.rmdir(self.root)


class Helper:
    """gst-itcp-events with a directory of its own."""

    def __init__(self, build):
        self.directory = tempfile.mkdtemp()
        os.environ["GST_ITCP_EVENTS_DIRECTORY"] = self.directory + "/events"
        os.chmod(self.directory, 0o755)
        self.process = subprocess.Popen(
            [os.path.join(build, "gst/itcp/bpf/gst-itcp-events"), "--mode=0666",
             "--directory=" + os.environ["GST_ITCP_EVENTS_DIRECTORY"]],
            stdout=subprocess.PIPE)
        if self.process.stdout.readline() != b"ready\n":
            sys.exit("gst-itcp-events did not start")

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.rmdir(self.directory)
        del os.environ["GST_ITCP_EVENTS_DIRECTORY"]


# Every source looks each 33 ms at the latest; what comes later than this is
# of something else.
WINDOW = 50e6


def match(truth, seen):
    """Pairs one of truth with one that was seen, in order: as many pairs as
    there can be, and of those with the shortest delays. Their delays in us,
    and how many were seen of which none is."""
    # best[j]: of the truths so far and the first j seen.
    best = [(0, 0, [])] * (len(seen) + 1)
    for at in truth:
        row = [best[0]]
        for j, told in enumerate(seen):
            choices = [best[j + 1], row[j]]
            # The trace is exact to 1 us.
            if at - 1000 <= told < at + WINDOW:
                n, total, delays = best[j]
                delay = max(0, told - at)
                choices.append((n + 1, total - delay, delays + [delay / 1000]))
            row.append(max(choices, key=lambda c: c[:2]))
        best = row
    n, _, delays = best[-1]
    return delays, len(seen) - n


def link(build, spec):
    """The command that runs another one between the namespaces. The link spins
    at times, with real-time priority: it has a processor to itself."""
    return ["taskset", "-c", "0",
            os.path.join(build, "tests/link/tun/psp-link-tun"), "--forward",
            spec, "--back", "delay=10ms", "--stats", os.devnull, "--"]


def pin(arguments):
    return ("taskset -c 1 " if os.cpu_count() > 1 else "") + \
        ("chrt -r 1" if arguments.realtime else "")


def run(arguments, trace, algorithm, source, scenario):
    make_spec, bitrate = SCENARIOS[scenario]
    build = arguments.build
    old = source == "old"
    script = SCRIPT % {
        "algorithm": algorithm, "receiver": RECEIVER,
        "seconds": arguments.seconds, "bitrate": bitrate,
        "pin": pin(arguments),
        "detect": os.path.join(build, "tests/benchmarks/itcp-detect"),
        "source": "error-queue" if old else source, "old": "old" if old else ""}
    trace.clear()
    lines = subprocess.run(
        [*link(build, make_spec(arguments.seconds)), "sh", "-c", script],
        check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    events = [json.loads(line) for line in lines if line.startswith("{\"event")]
    begin = next(e for e in events if e["event"] == "begin")
    end = next(e for e in events if e["event"] == "end")
    if begin["uid"] == 0:
        sys.exit("the sender has privileges")
    states = list(trace.states(begin["port"]))
    row = {"algorithm": algorithm, "source": source, "scenario": scenario,
           "cpu": end["cpu"] / arguments.seconds,
           "rate": end["acked"] * 8 / arguments.seconds,
           "backlog": sum(e["event"] == "backlog" for e in events)}
    for kind, state, count in (("rexmt", 4, "timeouts"),
                               ("dupack", 3, "recoveries")):
        truth = [at for at, s in states if s == state and at <= end["at"]]
        seen = [e["seen"] for e in events if e["event"] == kind]
        delays, false = match(truth, seen)
        row[kind] = {"truth": max(len(truth), end[count]),
                     "counter": end[count], "found": len(delays),
                     "false": false, "delays": delays}
    return row


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def cells(r):
    if not r["delays"]:
        return "%d / %d | %d | – " % (r["found"], r["truth"], r["false"])
    return "%d / %d | %d | %.0f (%.0f) " % (
        r["found"], r["truth"], r["false"], statistics.median(r["delays"]),
        quantile(r["delays"], .99))


HEAD = """
| | source | scenario | timeouts | false | median (p99) µs | recoveries \
| false | median (p99) µs | CPU | Mb/s | backlog |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


def detect(arguments, trace, source, algorithm):
    """A row for each scenario."""
    for scenario in arguments.scenarios.split(","):
        row = run(arguments, trace, algorithm, source, scenario)
        print("| %s | %s | %s | %s| %s| %.2f %% | %.1f | %d |" % (
            algorithm, source, scenario, cells(row["rexmt"]),
            cells(row["dupack"]), 100 * row["cpu"], row["rate"] / 1e6,
            row["backlog"]), flush=True)
        yield row


def element(arguments, source, algorithm):
    spec = SCENARIOS["fast"][0](arguments.seconds)
    row = itcpelement.run(arguments.build, link(arguments.build, spec),
                          pin(arguments), RECEIVER, source, algorithm, FAST,
                          arguments.seconds)
    print(itcpelement.line(row), flush=True)
    yield row


def measure(arguments, trace):
    """All rows; without a trace those of the element."""
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as f:
        available = f.read().split()
    rows, helper = [], None
    print(HEAD if trace else itcpelement.HEAD)
    try:
        for source in arguments.sources.split(","):
            if source == "bpf-pinned":
                helper = Helper(arguments.build)
            for algorithm in arguments.algorithms.split(","):
                if algorithm not in available:
                    print("| %s | not in this kernel |" % algorithm)
                    continue
                rows += detect(arguments, trace, source, algorithm) if trace \
                    else element(arguments, source, algorithm)
            if helper:
                helper = helper.close()
    finally:
        if helper:
            helper.close()
    return rows


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--algorithms", default="reno,cubic,bbr")
    parser.add_argument("--sources", default="error-queue")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    parser.add_argument("--element", action="store_true",
                        help="the CPU time of itcpsink's thread at 20 Mb/s")
    parser.add_argument("--realtime", action="store_true", help="the sender has"
                        " real-time priority: for a machine that is busy")
    parser.add_argument("--json", help="write all rows there")
    arguments = parser.parse_args()
    if arguments.element and "old" in arguments.sources.split(","):
        parser.error("itcpsink cannot be told to be as with an old kernel")
    return arguments


def main():
    arguments = parse()
    if os.geteuid() != 0:
        print("skipped: network namespaces and the trace need root")
        sys.exit(77)
    if "ITCP_DETECTION_MOUNTS" not in os.environ:
        # What is mounted here ends with this program.
        os.environ["ITCP_DETECTION_MOUNTS"] = "private"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    trace = None if arguments.element else Trace()
    try:
        rows = measure(arguments, trace)
    finally:
        if trace:
            trace.close()
    if arguments.json:
        with open(arguments.json, "w") as f:
            json.dump(rows, f)
    sys.exit(itcpbars.verdict(rows, arguments.element, FAST))


if __name__ == "__main__":
    main()
