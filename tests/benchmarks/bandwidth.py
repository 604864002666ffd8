#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""rtpbandwidth beside the rtpgccbwe of gst-plugins-rs, in real time: x264enc,
a stock rtpbin that reports transport-wide, the emulated link (40 ms).

    tests/benchmarks/bandwidth.py BUILD [--cases steady-10,…] [--runs 3]
        [--quick] [--results FILE]

Both go through a case at once, each over a link of its own. BUILD is Meson's
build directory without rtpgccbwe-alias. The peer is looked for where
PEER_PLUGINS says, a directory; without it its rows are skipped. Each run is
kept at once, and the same command goes on where the last one was cut. --quick
is a third of the time, and says no more than that it works."""

import argparse
import collections
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "demos"))

from live import environment, read_log                      # noqa: E402
from pspbench.liveelements import auxiliary                 # noqa: E402
from pspbench.livefigures import calm                       # noqa: E402

SKIPPED = 77
START = 300000                  # bits/s
Case = collections.namedtuple("Case", "rate link seconds begin step")
CASES = {
    "steady-10": Case(2e6, "rate=2M,queue=10p", 60, START, 0),
    "steady-60": Case(2e6, "rate=2M,queue=60p", 60, START, 0),
    "steady-6M": Case(6e6, "rate=6M,queue=60p", 60, START, 0),
    "steady-20M": Case(20e6, "rate=20M,queue=200p", 60, START, 0),
    "slow": Case(5e5, "rate=500k,queue=60p", 30, 0, 0),
    "step-10": Case(2e6, "schedule=0s:2M/%ds:1M/%ds:2M,queue=10p", 90, START,
                    1),
    "step-60": Case(2e6, "schedule=0s:2M/%ds:1M/%ds:2M,queue=60p", 90, START,
                    1)}
ELEMENTS = "rtpbandwidth", "rtpgccbwe"
# s from the start until rtpbin answers as often as it will go on to.
SELDOM = 6


class Gaps:
    """The longest time between two reports."""

    def __init__(self, Gst, pad):
        self.begin, self.last, self.longest = time.monotonic(), None, 0
        self.passes = Gst.PadProbeReturn.OK
        pad.add_probe(Gst.PadProbeType.EVENT_UPSTREAM, self.see)

    def see(self, _pad, info):
        s = info.get_event().get_structure()
        if s and s.has_name("RTPTWCCPackets"):
            now = time.monotonic()
            if self.last and now - self.begin > SELDOM:
                self.longest = max(self.longest, now - self.last)
            self.last = now
        return self.passes


def end(element, name, link, seconds, begin, log):
    """A sender and its receiver, in a process of their own."""
    fast = CASES[name].rate > 8e6
    from sessions import Gst, Link, NUMBERED, TWCC, complain, source
    Gst.init(None)
    receiver = Gst.parse_launch(
        "rtpbin name=bin rtp-profile=avpf udpsrc name=rtp address=127.0.0.1 "
        "port=0 reuse=false caps=\"application/x-rtp,media=video,clock-rate=90000,"
        "encoding-name=H264,payload=96,extmap-3=(string)\\\"%s\\\"\" "
        "! bin.recv_rtp_sink_0 bin.send_rtcp_src_0 ! udpsink name=rtcp "
        "host=127.0.0.1 sync=false async=false "
        "bin. ! fakesink sync=false async=false" % TWCC)
    receiver.get_by_name("rtp").set_state(Gst.State.READY)
    way = Link(receiver.get_by_name("rtp").get_property("port"), link, log=log)
    obeys = element == "rtpbandwidth"
    pictures = source(begin or 2048000, obeys).replace(
        "width=160,height=120", "width=640,height=480" if fast else
        "width=320,height=240")
    sender = Gst.parse_launch(
        "rtpbin name=bin rtp-profile=avpf udpsrc name=rtcp address=127.0.0.1 "
        "port=0 reuse=false caps=application/x-rtcp ! bin.recv_rtcp_sink_0")
    rtpbin = sender.get_by_name("bin")
    bandwidth = Gst.ElementFactory.make(element)
    if fast:                    # beyond what both stop at
        bandwidth.set_property("max-bitrate", int(2 * CASES[name].rate))
    if begin:
        bandwidth.set_property("estimated-bitrate", begin)
    rtpbin.connect("request-aux-sender", auxiliary(Gst, bandwidth))
    gaps = Gaps(Gst, bandwidth.get_static_pad("src"))
    coded = Gst.parse_bin_from_description(pictures + NUMBERED, True)
    encoder = coded.get_by_name("encoder")
    if not obeys:               # its application sets the encoder
        bandwidth.connect("notify::estimated-bitrate", lambda b, _:
                          encoder.set_property("bitrate", max(
                              1, b.get_property("estimated-bitrate") // 1000)))
    out = Gst.ElementFactory.make("udpsink")
    for name, value in (("host", "127.0.0.1"), ("port", way.port),
                        ("sync", False), ("async", False)):
        out.set_property(name, value)
    sender.add(coded)
    sender.add(out)
    coded.link_pads("src", rtpbin, "send_rtp_sink_0")
    rtpbin.link_pads("send_rtp_src_0", out, "sink")
    sender.get_by_name("rtcp").set_state(Gst.State.READY)
    receiver.get_by_name("rtcp").set_property(
        "port", sender.get_by_name("rtcp").get_property("port"))
    receiver.set_state(Gst.State.PLAYING)
    sender.set_state(Gst.State.PLAYING)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(.1)
        complain(sender)
        complain(receiver)
    cpu = time.process_time()
    target = bandwidth.get_property("estimated-bitrate")
    for pipeline in sender, receiver:
        pipeline.set_state(Gst.State.NULL)
    print(json.dumps({"cpu": cpu, "target": target, "gap": gaps.longest,
                      "link": way.close()}))


def took(came, bits):
    """Seconds until so many bits came within one; None: they never did."""
    within, oldest = 0, 0
    for at, size in came:
        within += size
        while at - came[oldest][0] > 1:
            within -= came[oldest][1]
            oldest += 1
        if within >= bits:
            return at
    return None


def figures(log, case, seconds):
    rows = list(read_log(log, 0))
    first = min(r.at for r in rows)
    came = sorted((r.came - first, 8 * r.octets) for r in rows
                  if r.came is not None)
    sizes = collections.Counter()
    for at, bits in came:
        sizes[int(at)] += bits
    warm = seconds / 3
    late = [r for r in rows if r.at - first >= warm]
    waits = sorted(r.wait for r in late if r.wait is not None)
    lost = sum(r.verdict == "full" for r in rows) / len(rows)
    found = {"loss": lost, "p95_ms": 1e3 * waits[int(.95 * len(waits))],
             "peak_ms": 1e3 * waits[-1]}
    if not case.step:
        found["start_s"] = took(came, .85 * case.rate)
        found["calm_s"] = calm([r._replace(at=r.at - first) for r in rows],
                               0, seconds)
        whole = [sizes[s] for s in range(int(warm), int(seconds) - 1)]
        found["use"] = sum(whole) / len(whole) / case.rate
    return found


def run(args, work, name, elements, env):
    case = CASES[name]
    seconds = case.seconds / (3 if args.quick else 1)
    link = case.link % (seconds / 3, 2 * seconds / 3) if case.step \
        else case.link
    children = {}
    for element in elements:
        log = os.path.join(work, element + ".csv")
        children[element] = log, subprocess.Popen(
            [sys.executable, "-B", __file__, "--end", element, name,
             link + ",delay=20ms", str(seconds), str(case.begin), log],
            env=env, stdout=subprocess.PIPE, text=True)
    for element, (log, child) in children.items():
        said = child.communicate()[0]
        if child.returncode:
            sys.exit("%s by %s failed" % (name, element))
        said = json.loads(said)
        yield element, dict(figures(log, case, seconds), cpu_s=said["cpu"],
                            gap_ms=1e3 * said["gap"],
                            target_at_end=said["target"])


def there(element, env):
    return not subprocess.run(["gst-inspect-1.0", element], env=env,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--results")
    args = parser.parse_args()
    path = args.results or os.path.join(args.build, "bandwidth.json")
    with open(os.path.join(args.build, "gst", "rtpbandwidth",
                           "libgstrtpbandwidth.so"), "rb") as f:
        build = hashlib.sha256(f.read()).hexdigest()[:16]
    done = [json.loads(x) for x in open(path)] if os.path.exists(path) else []
    with tempfile.TemporaryDirectory(prefix="psp-bandwidth-") as work:
        env = environment(args.build, work)
        env["PSP_LINK_RELAY"] = os.path.join(
            args.build, "tests", "link", "relay", "psp-link-relay")
        if "PEER_PLUGINS" in os.environ:
            env["GST_PLUGIN_PATH_1_0"] += ":" + os.environ["PEER_PLUGINS"]
        missing = [e for e in (ELEMENTS[0], "x264enc", "encoderbitrate")
                   if not there(e, env)]
        if missing:
            print("skipped: there is no " + ", ".join(missing))
            return SKIPPED
        elements = [e for e in ELEMENTS if there(e, env)]
        if len(elements) == 1:
            print("skipped: rtpgccbwe, which PEER_PLUGINS does not have")
        for number in range(1, args.runs + 1):
            for name in args.cases.split(","):
                key = {"case": name, "run": number, "quick": args.quick,
                       "elements": elements, "build": build}
                if any(all(d[k] == key[k] for k in key) for d in done):
                    continue
                load = os.getloadavg()[0]
                for element, found in run(args, work, name, elements, env):
                    key[element] = found
                    print(name, number, element, found, flush=True)
                with open(path, "a") as f:
                    f.write(json.dumps(dict(key, load=load)) + "\n")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--end"]:
        end(sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5]),
            int(sys.argv[6]), sys.argv[7])
    else:
        sys.exit(main())
