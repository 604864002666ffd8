# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What the thread of itcpsink that watches its connection takes of a CPU, as
the kernel accounts for it."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

LINK_THREAD = "itcpsink:link"
PACKET = 1402                   # bytes: RTP, with the two of rtpstreampay
PICTURES = 30                   # a second, each pushed at its time
# Until it runs as it will, and beyond the end.
WARM_UP, SPARE = 3, 2           # s
WATCHDOG = 30                   # s

# The pipeline's pid is that of what sh becomes in the end.
SCRIPT = """
ip netns exec $LINK_NS_A sysctl -qw net.ipv4.tcp_no_metrics_save=1
ip netns exec $LINK_NS_B python3 -c '%(receiver)s' | {
  read ready
  exec sh -c 'echo $$; exec "$@"' sh ip netns exec $LINK_NS_A %(pin)s \
    %(unprivileged)s %(feed)s --packets %(packets)d --rate %(rate)d \
    --size %(size)d --list %(list)d --sink "itcpsink host=$LINK_ADDR_B \
    port=7000 event-source=%(source)s max-target-bitrate=%(rate)d \
    congestion-algorithm=%(algorithm)s"
}
"""
# To choose any algorithm takes a privilege, and so may reading a build.
UNPRIVILEGED = "setpriv --inh-caps=-all " \
    "--bounding-set=-all,+net_admin,+dac_read_search"


def environment(build, registry):
    """itcpsink and no other plugin, which would be looked through first."""
    return dict(os.environ, GST_PLUGIN_SYSTEM_PATH_1_0="",
                GST_PLUGIN_PATH_1_0=os.path.join(build, "gst/itcp"),
                GST_REGISTRY_1_0=registry)


def cpu_times(pid):
    """{thread: (name, ns on a CPU)}"""
    found = {}
    for thread in os.listdir("/proc/%d/task" % pid):
        where = "/proc/%d/task/%s/" % (pid, thread)
        try:
            with open(where + "comm") as name, \
                    open(where + "schedstat") as times:
                found[thread] = (name.read().strip(),
                                 int(times.read().split()[0]))
        except ProcessLookupError:      # it has just ended
            pass
    return found


def wait_for_thread(pid):
    until = time.monotonic() + WATCHDOG
    while all(name != LINK_THREAD for name, _ in cpu_times(pid).values()):
        if time.monotonic() > until:
            sys.exit("there is no thread " + LINK_THREAD)
        time.sleep(.05)


def shares(pid, seconds):
    """Of a core, over so long: of the link's thread, and of all together."""
    wait_for_thread(pid)
    time.sleep(WARM_UP)
    begin, before = time.monotonic(), cpu_times(pid)
    time.sleep(seconds)
    took, after = time.monotonic() - begin, cpu_times(pid)
    used = [(name, cpu - before.get(thread, (name, 0))[1])
            for thread, (name, cpu) in after.items()]
    return [sum(ns for name, ns in used if only in (None, name)) / took / 1e9
            for only in (LINK_THREAD, None)]


def stat(stats, name):
    return re.search(r"\b%s=\(\w+\)([^,;\\]*)" % name, stats).group(1)


def row_of(said, source, algorithm):
    """What psp-feed said at its end."""
    stats = said["stats"]
    for name, wanted in (("event-source", source),
                         ("congestion-algorithm", algorithm)):
        if stat(stats, name) != wanted:
            sys.exit("itcpsink uses %s, not %s" % (stat(stats, name), wanted))
    row = {"source": source, "algorithm": algorithm,
           "rate": int(stat(stats, "bytes-acked")) * 8 / said["wall_s"]}
    for name in ("rexmt", "dupack", "backlog", "events"):
        row[name] = int(stat(stats, name))
    return row


def run(build, link, pin, receiver, source, algorithm, rate, seconds):
    """link: the command that runs another one between the namespaces."""
    script = SCRIPT % {
        "algorithm": algorithm, "receiver": receiver, "pin": pin,
        "unprivileged": "" if source == "bpf" else UNPRIVILEGED,
        "feed": os.path.join(build, "tests/benchmarks/psp-feed"),
        "packets": rate * (WARM_UP + seconds + SPARE) // (8 * PACKET),
        "rate": rate, "size": PACKET,
        "list": rate // (8 * PACKET * PICTURES),
        "source": "bpf" if source == "bpf-pinned" else source}
    with tempfile.TemporaryDirectory() as directory:
        process = subprocess.Popen(
            [*link, "sh", "-c", script], stdout=subprocess.PIPE, text=True,
            env=environment(build, os.path.join(directory, "registry")))
        try:
            first = process.stdout.readline()
            if not first:
                sys.exit("the link or its receiver did not start")
            cpu, together = shares(int(first), seconds)
            said = process.stdout.read()
        except FileNotFoundError:
            sys.exit("the pipeline ended too soon")
        finally:
            process.terminate()
            process.wait()
    if not said:
        sys.exit("the pipeline failed")
    row = row_of(json.loads(said), source, algorithm)
    return dict(row, cpu=cpu, together=together)


HEAD = """
| | source | itcpsink:link | whole process | Mb/s | rexmt | dupack | backlog \
| told |
|---|---|---|---|---|---|---|---|---|"""


def line(r):
    return "| %s | %s | %.2f %% | %.2f %% | %.1f | %d | %d | %d | %d |" % (
        r["algorithm"], r["source"], 100 * r["cpu"], 100 * r["together"],
        r["rate"] / 1e6, r["rexmt"], r["dupack"], r["backlog"], r["events"])
