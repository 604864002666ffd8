# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The measurement behind pipelines/quickstart.sh and live.sh: one clip over
equal emulated links by pspsink and by udpsink; coded MPEG-2 through
mpegscaler, which recodes it or drops frames, coded H.264, which it thins out,
or encoded live through encoderbitrate."""

import argparse
import json
import os
import sys
import threading
import time

from pspbench.frames import Clip, Gst, Viewer
from pspbench.h264stream import H264Clip, H264Stream
from pspbench.livestream import LiveStream
from pspbench.mpegstream import MpegClip, MpegStream
from pspbench.relay import Relay, rate_series
from pspbench.ports import free_port
from pspbench.showing import open_window
from pspbench.textplot import plots

HIGH, LOW = 2_000_000, 800_000
STREAM_KBIT = 1800      # what the fixed-rate stream asks of a 2 Mb/s link
H264_KBIT = 4200        # as the MPEG-2 clip
DELAY_MS, QUEUE = 20, 10


def link_spec(seconds):
    third = seconds / 3
    return "delay=%dms,queue=%dp,schedule=0s:%d/%gs:%d/%gs:%d,seed=1" % (
        DELAY_MS, QUEUE, HIGH, third, LOW, 2 * third, HIGH)


def capacity(seconds):
    third = seconds / 3
    return [(0, HIGH), (third, LOW), (2 * third, HIGH)]


PSPSINK = ("pspsink name=sink host=127.0.0.1 port={port}"
           " max-queue-time=400000000 leaky=downstream"
           " start-target-bitrate=1000000")
# The beginning of a group leaves mpegscaler at the source's rate: so its sender
# keeps as much as a group lasts.
GROUP_PSPSINK = PSPSINK.replace("400000000", "2000000000")
UDPSINK = "udpsink name=sink host=127.0.0.1 port={port}"
PSPSRC = "pspsrc port={port} caps=\"{caps}\""
UDPSRC = "udpsrc port={port} buffer-size=1000000 caps=\"{caps}\""
# By stream: what is compared, (what goes before the payloader, sink, source).
VARIANTS = {
    "mpeg": {
        "auto": ("! mpegscaler mode=auto", PSPSINK, PSPSRC),
        "drop": ("! mpegscaler mode=drop", PSPSINK, PSPSRC),
        "udpsink": ("", UDPSINK, UDPSRC),
    },
    "h264": {
        "drop": ("! mpegscaler", GROUP_PSPSINK, PSPSRC),
        "udpsink": ("", UDPSINK, UDPSRC),
    },
    "live": {
        "pspsink": ("! encoderbitrate", PSPSINK, PSPSRC),
        "udpsink": ("", UDPSINK, UDPSRC),
    },
}


def code(kind, clip, path):
    """What the streams of that kind have in common, if anything."""
    if kind == "mpeg":
        return MpegClip(path)
    return H264Clip(clip, H264_KBIT) if kind == "h264" else None


def make_stream(kind, name, clip, coded, ports):
    filters, sink, source = VARIANTS[kind][name]
    if kind == "live":
        return LiveStream(name, clip, sink, source, *ports, STREAM_KBIT,
                          filters)
    if kind == "h264":
        return H264Stream(name, coded, sink, source, *ports, filters)
    return MpegStream(name, clip, coded, sink, source, *ports, filters)


def progress(streams, seconds, started):
    """A line a second until told to stop."""
    stop = threading.Event()

    def show():
        before = {s.name: (0, 0) for s in streams}
        while not stop.wait(1):
            t = time.monotonic() - started
            cells = []
            for s in streams:
                with s.lock:
                    now = (s.bytes_sent, s.bytes_arrived)
                sent, arrived = (now[i] - before[s.name][i] for i in (0, 1))
                before[s.name] = now
                cells.append("%s %4.2f → %4.2f Mb/s" % (
                    s.name, sent * 8e-6, arrived * 8e-6))
            cap = [c for at, c in capacity(seconds) if at <= t][-1]
            print("%3.0f of %d s | link %.1f Mb/s | %s" % (
                t, seconds, cap / 1e6, " | ".join(cells)), flush=True)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    return stop, thread


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))] if values else 0.0


def summary(stream, rows):
    score = stream.score()
    media = [r for r in rows if r.size > 200]
    lost = sum(r.dropped for r in media)
    waits = [r.wait for r in media if r.wait is not None and not r.dropped]
    score.update(
        packets=len(media), lost=lost,
        loss=lost / len(media) if media else 0.0,
        wait_p50=quantile(waits, .5), wait_p95=quantile(waits, .95))
    return score


def table(results):
    lines = ["%-9s %8s %8s %10s %10s %8s %8s %14s %9s %6s" % (
        "", "packets", "loss", "delivered", "decodable", "MB",
        "<%d dB" % Viewer.VISIBLE_DB,
        "queue p50/p95", "PSNR", "SSIM")]
    for name, r in results.items():
        lines.append("%-9s %8d %7.2f%% %9.1f%% %9.1f%% %8.2f %8d %6.0f /%4.0f ms"
                     " %6.1f dB %6s" % (
            name, r["packets"], 100 * r["loss"],
            100 * r["delivered"] / r["pictures"],
            100 * r["decodable"] / r["pictures"],
            r["decodable_bytes"] / 1e6, r["damaged"],
            1e3 * r["wait_p50"], 1e3 * r["wait_p95"], r["psnr"],
            "%.3f" % r["ssim"] if "ssim" in r else "-"))
    return "\n".join(lines)


def draw(path, seconds, series, targets):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(len(series), 1, sharex=True, sharey=True,
                                   squeeze=False,
                                   figsize=(9, 1 + 2.25 * len(series)))
    axes = axes[:, 0]
    steps = capacity(seconds) + [(seconds, HIGH)]
    for ax, (name, (offered, delivered)) in zip(axes, series.items()):
        ax.step([t for t, _ in steps], [c / 1e6 for _, c in steps],
                where="post", color="black", lw=1.2, label="capacity")
        ax.plot(*offered, color="tab:orange", lw=1, label="sent")
        ax.plot(*delivered, color="tab:blue", lw=1.4, label="delivered")
        if targets.get(name):
            ax.step([t for t, _ in targets[name]],
                    [b / 1e6 for _, b in targets[name]], where="post",
                    color="tab:green", lw=.8, label="target")
        ax.set_ylabel("Mb/s")
        ax.set_title(name, loc="left")
        ax.set_ylim(0, 3.2)
        ax.grid(alpha=.3)
        ax.legend(loc="upper right", ncol=4, fontsize=8)
    axes[-1].set_xlabel("s")
    axes[-1].set_xlim(0, seconds)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def run(args):
    Gst.init(None)
    print("Decoding the clip…", flush=True)
    clip = Clip(args.clip)
    coded = code(args.stream, clip, args.clip)
    relays, streams = {}, []
    for name in VARIANTS[args.stream]:
        port = free_port()
        relay = Relay(args.relay, port, link_spec(args.seconds),
                      "delay=%dms" % DELAY_MS,
                      os.path.join(args.out, name + ".csv"))
        relays[name] = relay
        streams.append(make_stream(args.stream, name, clip, coded,
                                   (relay.port, port)))
    for stream in streams:
        stream.start()
    started = time.monotonic()
    stop, shower = progress(streams, args.seconds, started)
    feeders = [threading.Thread(target=s.feed, args=(args.seconds,))
               for s in streams]
    for feeder in feeders:
        feeder.start()
    for feeder in feeders:
        feeder.join()
    for stream in streams:
        stream.finish()
    time.sleep(0.6)             # the jitter buffer's last pictures
    stop.set()
    shower.join()
    for stream in streams:
        stream.stop()
    errors = [e for s in streams for e in s.errors]
    if errors:
        sys.exit("\n".join(errors))
    results, series = {}, {}
    for stream in streams:
        rows = relays[stream.name].stop()
        results[stream.name] = summary(stream, rows)
        series[stream.name] = rate_series(rows)
    return results, series, {s.name: s.targets for s in streams}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relay", required=True)
    parser.add_argument("--clip", required=True)
    parser.add_argument("--stream", choices=list(VARIANTS), default="mpeg")
    parser.add_argument("--seconds", type=int, default=45)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    results, series, targets = run(args)
    picture = os.path.join(args.out, "quickstart.png")
    draw(picture, args.seconds, series, targets)
    with open(os.path.join(args.out, "quickstart.json"), "w") as f:
        json.dump(results, f, indent=2)
    print()
    print(table(results))
    print()
    print("loss: packets dropped by the link; delivered: pictures that arrived"
          " whole; decodable:\nso is all they refer to; MB: of decodable"
          " pictures; <%d dB: shown so (damaged, or much coarser);\nqueue:"
          " waiting time at the link; PSNR, SSIM: luma, every picture of the"
          " source against\nwhat is seen at its time (PSNR of the mean square"
          " error): a frozen picture counts as\noften as it is repeated."
          % Viewer.VISIBLE_DB)
    if not open_window(picture):
        print()
        print(plots(args.seconds, capacity(args.seconds), series))
        print()
    print("Rate against capacity: " + picture)


if __name__ == "__main__":
    main()
