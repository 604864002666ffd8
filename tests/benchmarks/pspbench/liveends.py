# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The programs at the ends of a run of live.py; arguments: which, and a JSON
object. Each says that it is ready; senders then read when to begin, in ns of
the monotonic clock. What is received is written at SIGTERM."""

import json
import mmap
import os
import signal
import socket
import sys
import threading
import time

import liveelements

FPS = 30
CHUNK = 1 << 16
TELL = os.dup(1)        # who started this; a peer's element writes to 1 as it likes
os.dup2(2, 1)


def write(path, rows):
    with open(path, "w") as f:
        json.dump(rows, f)


def ready():
    os.write(TELL, b"ready\n")


def told():
    return int(sys.stdin.readline())


def sleep_until(ns):
    left = ns - time.monotonic_ns()
    if left > 0:
        time.sleep(left / 1e9)


def gstreamer():
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    Gst.init(None)
    return Gst


def packets(Gst, info):
    """(number, time stamp, bytes, buffer) of each RTP packet in a pad
    probe."""
    if info.type & Gst.PadProbeType.BUFFER_LIST:
        buffers = info.get_buffer_list()
        buffers = [buffers.get(n) for n in range(buffers.length())]
    else:
        buffers = [info.get_buffer()]
    for buffer in buffers:
        head = buffer.extract_dup(0, 8)
        yield (int.from_bytes(head[2:4], "big"),
               int.from_bytes(head[4:8], "big"), buffer.get_size(), buffer)


def probe(Gst, pad, call):
    def on_data(pad, info):
        for packet in packets(Gst, info):
            call(*packet)
        return Gst.PadProbeReturn.OK
    pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
                  on_data)


def check(Gst, pipeline):
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    if message:
        sys.exit("%s" % (message.parse_error(),))


def send(o):
    """Encodes pictures of a raw file as they come due. As from a camera, one
    that nobody has taken when the next one comes is gone."""
    Gst = gstreamer()
    head = "appsrc name=in format=time is-live=true max-buffers=1 " \
        "leaky-type=downstream do-timestamp=true caps=\"%s\" ! %s ! %%s ! %s" % (
            o["caps"], o["coder"], o["payloader"])
    pipeline = liveelements.sender(Gst, head, o) if o["element"] else \
        Gst.parse_launch("%s ! %s port=%d" % (head % "encoderbitrate",
                                              o["sink"], o["port"]))
    source, rows = pipeline.get_by_name("in"), []
    probe(Gst, pipeline.get_by_name("pay").get_static_pad("src"),
          lambda number, stamp, size, _: rows.append(
              [number, stamp, size, time.monotonic_ns()]))
    left = []
    if o["element"]:
        probe(Gst, pipeline.get_by_name("rtp").get_static_pad("sink"),
              lambda number, stamp, size, _: left.append([number, stamp, size]))
    with open(o["pictures"], "rb") as f:
        raw = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    size, count = o["picture-size"], len(raw) // o["picture-size"]
    pipeline.set_state(Gst.State.PLAYING)
    ready()
    start = told()
    for n in range(int(o["seconds"] * FPS)):
        sleep_until(start + n * 10**9 // FPS)
        at = n % count * size
        source.emit("push-buffer", Gst.Buffer.new_wrapped(raw[at:at + size]))
    check(Gst, pipeline)
    pipeline.set_state(Gst.State.NULL)
    write(o["out"], liveelements.as_left(rows, left) if o["element"] else rows)


def receive(o):
    Gst = gstreamer()
    pipeline = liveelements.receiver(Gst, o) if o["element"] else Gst.parse_launch(
        "pspsrc name=in address=%s port=%d caps=application/x-rtp,media=video,"
        "clock-rate=90000 ! fakesink sync=false" % (o["host"], o["port"]))
    rows = []
    # The kernel's time of arrival, however late Python hears of it.
    probe(Gst, pipeline.get_by_name("in").get_static_pad("src"),
          lambda number, stamp, size, buffer: rows.append(
              [number, stamp, size, buffer.pts + pipeline.get_base_time()]))
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_state(Gst.SECOND)
    ready()
    while not ended:
        time.sleep(.1)
    check(Gst, pipeline)
    pipeline.set_state(Gst.State.NULL)
    write(o["out"], rows)


def tcp_send(o):
    """One flow that always has data, from one time to another, or pages, each
    over a flow of its own."""
    if o["ecn"]:
        # Of this network namespace. Who accepts has ECN by default.
        with open("/proc/sys/net/ipv4/tcp_ecn", "w") as f:
            f.write("1")
    ready()
    start = told()
    at, end = (start + int(o[name] * 1e9) for name in ("begin", "end"))
    sleep_until(at)
    flows = []
    while o["page"] and at < end:
        flows.append(threading.Thread(target=tcp_flow, args=(o, end)))
        flows[-1].start()
        at += int(o["every"] * 1e9)
        sleep_until(min(at, end))
    if not o["page"]:
        tcp_flow(o, end)
    for flow in flows:
        flow.join()


def tcp_flow(o, end):
    left = o["page"] or float("inf")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as flow:
        flow.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION,
                        o["algorithm"].encode())
        flow.connect((o["host"], o["port"]))
        flow.settimeout(.2)
        while left > 0 and time.monotonic_ns() < end:
            try:
                left -= flow.send(bytes(min(CHUNK, left)))
            except TimeoutError:
                pass
        if left > 0:
            # What still waits is not sent: the flow has left.
            flow.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                            b"\1\0\0\0\0\0\0\0")


def tcp_take(flow):
    try:
        while flow.recv(CHUNK):
            pass
    except ConnectionResetError:
        pass


def tcp_receive(o):
    with socket.create_server((o["host"], o["port"])) as server:
        ready()
        while True:
            flow, _ = server.accept()
            threading.Thread(target=tcp_take, args=(flow,), daemon=True).start()


if __name__ == "__main__":
    {"send": send, "receive": receive, "tcp-send": tcp_send,
     "tcp-receive": tcp_receive}[sys.argv[1]](json.loads(sys.argv[2]))
