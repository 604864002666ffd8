#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Runs every launch line of the documents for a short time.

A launch line is a command in a block ```sh that begins with gst-launch-1.0.
A sender and a receiver under one heading that name the same port belong
together: they run at the same time, over loopback. Each must play, or wait for a
sender that is not there, without an error.

    tests/docs/launch.py [PATTERN]   those that hold PATTERN, with their output

Run it where GStreamer finds the plugins: meson devenv -C BUILD -w "$PWD"."""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
import time

import pages

# Not part of GStreamer's base set, or left out by some who build it: a line
# that lacks one of these is skipped, one that lacks any other fails.
MAY_LACK = re.compile(
    r"(x264enc|x265enc|openh264enc|vp8enc|opusenc|jpeg(enc|dec)|mpeg2(dec|enc)"
    r"|avdec_\w+|avenc_\w+|mpegtranscoder|fpsdisplaysink)$")
RECEIVERS = re.compile(r"\b(pspsrc|udpsrc|tcpserversrc|tcpclientsrc|playbin)\b")
LONGEST = 20                    # s for a line to play
BESIDE = 0.8                    # s that it then goes on
WAITING = 1.5                   # s for a receiver without a sender
AT_ONCE = 3


def commands(text):
    """The commands of a page's blocks, those that go on in one line."""
    for _, language, body in pages.FENCE.findall(text):
        if language == "sh":
            for line in re.sub(r"\\\n\s*", " ", body).splitlines():
                if line.startswith("gst-launch-1.0 "):
                    yield line


def groups(path):
    """Lists of commands that belong together, one or two."""
    text = pages.read(path)
    marks = [m.start() for m in re.finditer(r"^#+ ", text, re.M)
             if not inside_code(text, m.start())]
    for begin, end in zip([0] + marks, marks + [len(text)]):
        joined = []
        for command in commands(text[begin:end]):
            ports, receives = ports_of(command), is_receiver(command)
            other = next((lines for lines in reversed(joined)
                          if ports & ports_of(lines[0]) and
                          is_receiver(lines[0]) != receives and
                          len(lines) == 1), None)
            if other:
                other.append(command)
            else:
                joined.append([command])
        yield from joined


def ports_of(command):
    return {port for pair in re.findall(
        r"\bport=(\d+)|://[^:\s]+:(\d+)", command) for port in pair if port}


def is_receiver(command):
    return bool(RECEIVERS.search(command))


def inside_code(text, position):
    return text.count("```", 0, position) % 2 == 1


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def is_bound(ports):
    """Whether a socket of this machine is bound to one of them."""
    bound = set()
    for table in glob.glob("/proc/net/udp*") + glob.glob("/proc/net/tcp*"):
        with open(table) as lines:
            next(lines)                 # what the columns are
            bound.update(int(line.split()[1].rpartition(":")[2], 16)
                         for line in lines)
    return not bound.isdisjoint(ports)


def adapted(command, ports):
    """The arguments, for this machine: no window, nobody else's network."""
    command = command.partition("#")[0] if " # " in command else command
    command = command.replace("autovideosink", "fakevideosink")
    command = command.replace("autoaudiosink", "fakeaudiosink")
    command = re.sub(r"\b192\.0\.2\.\d+\b", "127.0.0.1", command)
    command = command.replace("tests/files/", pages.TOP + "/tests/files/")

    def another(match):
        port = ports.setdefault(match.group(2), free_port())
        return match.group(1) + str(port)

    command = re.sub(r"(\bport=|://[^:\s]+:)([1-9]\d*)", another, command)
    arguments = shlex.split(command)[1:]
    while arguments and arguments[0].startswith("-"):
        arguments.pop(0)
    return arguments


# One line, in a process of its own

def play(arguments, alone):
    """Says what came of it, then goes on until its parent says to stop."""
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
    Gst.init(None)
    try:
        pipeline = Gst.parse_launchv(arguments)
    except GLib.Error as error:
        lacks = re.search(r'no element "(\w+)"', error.message)
        if lacks and MAY_LACK.match(lacks.group(1)):
            return say("skip", "there is no %s" % lacks.group(1))
        return say("fail", error.message)
    say(*watch(Gst, pipeline, alone))
    sys.stdin.read()
    pipeline.set_state(Gst.State.NULL)


def say(verdict, why):
    print(json.dumps([verdict, why]), flush=True)


def watch(Gst, pipeline, alone):
    bus = pipeline.get_bus()
    change = pipeline.set_state(Gst.State.PLAYING)
    begun, playing = time.monotonic(), None
    while True:
        message = bus.timed_pop(50 * Gst.MSECOND)
        now = time.monotonic()
        if message and message.type == Gst.MessageType.ERROR:
            return fault_of(Gst, message)
        if message and message.type == Gst.MessageType.EOS:
            return "pass", "to its end"
        if change == Gst.StateChangeReturn.FAILURE and not message:
            return "fail", "it does not start"
        result, state, _ = pipeline.get_state(0)
        if result == Gst.StateChangeReturn.SUCCESS and \
                state == Gst.State.PLAYING:
            playing = playing or now
        if playing and now - playing > BESIDE:
            return "pass", "plays"
        if alone and now - begun > WAITING:
            return sources_wait(Gst, pipeline)
        if now - begun > LONGEST:
            return "fail", "does not play within %d s" % LONGEST


def fault_of(Gst, message):
    error, _ = message.parse_error()
    verdict = "fail"
    if error.matches(Gst.CoreError.quark(), Gst.CoreError.MISSING_PLUGIN) or \
            error.matches(Gst.StreamError.quark(),
                          Gst.StreamError.CODEC_NOT_FOUND):
        verdict = "skip"                # decodebin found no decoder
    return verdict, "%s: %s" % (message.src.get_name(), error.message)


def sources_wait(Gst, pipeline):
    iterator = pipeline.iterate_sources()
    while True:
        result, source = iterator.next()
        if result != Gst.IteratorResult.OK:
            return "pass", "waits for a sender"
        if source.get_state(0)[1] < Gst.State.PAUSED and \
                not source.get_factory().get_name().startswith("tcp"):
            return "fail", "%s does not start" % source.get_name()


# All of them

def run_group(lines, folder, verbose):
    ports = {}
    # Who waits for the other starts first; in TCP that may be the sender.
    ordered = sorted(lines, key=lambda line: "tcpclientsrc" in line or
                     not is_receiver(line) and "mode=listener" not in line)
    alone = len(lines) == 1 and is_receiver(lines[0])
    children = []
    for line in ordered:
        arguments = json.dumps([adapted(line, ports), alone])
        children.append((line, subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--one", arguments],
            cwd=folder, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if verbose else subprocess.DEVNULL)))
        end = time.monotonic() + LONGEST
        while len(lines) > len(children) and time.monotonic() < end and \
                children[-1][1].poll() is None and \
                not is_bound(map(int, ports.values())):
            time.sleep(0.05)            # until it listens
    results = [(line,) + verdict_of(child) for line, child in children]
    for _, child in children:
        child.communicate()
    if any(verdict == "skip" for _, verdict, _ in results):
        # Its other end has nobody to talk to.
        return [(line, "skip", why if verdict == "skip" else "as the other end")
                for line, verdict, why in results]
    return results


def verdict_of(child):
    watchdog = threading.Timer(LONGEST + 10, child.kill)
    watchdog.start()
    said = child.stdout.readline()
    watchdog.cancel()
    try:
        return tuple(json.loads(said))
    except ValueError:
        return "fail", "it ended with status %s" % child.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        play(*json.loads(args.one))
        os._exit(0)
    # So that the children need not look for plugins, each by itself.
    subprocess.run([sys.executable, os.path.abspath(__file__), "--one",
                    json.dumps([["fakesrc", "num-buffers=1", "!", "fakesink"],
                                False])], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
    jobs = [(path, lines) for path in pages.for_users()
            for lines in groups(path) if args.pattern in "\n".join(lines)]
    counts = {"pass": 0, "skip": 0, "fail": 0}
    with tempfile.TemporaryDirectory(prefix="psp-docs-") as folder, \
            concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        done = [(path, pool.submit(run_group, lines, folder,
                                   bool(args.pattern)))
                for path, lines in jobs]
        for path, future in done:
            for line, verdict, why in future.result():
                counts[verdict] += 1
                if verdict != "pass" or args.pattern:
                    print("%s: %s: %s\n    %s" % (verdict, pages.shown(path),
                                                  why, line))
    print("%(pass)d lines run, %(skip)d skipped, %(fail)d fail" % counts)
    if counts["fail"] or not sum(counts.values()):
        return 1
    return 0 if counts["pass"] else 77  # skipped, as Meson has it


if __name__ == "__main__":
    sys.exit(main())
