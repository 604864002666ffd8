# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""The present statistics in Prometheus' text format 0.0.4. Names, units and
labels are documented in docs/view.md, and stay. Pure."""

from . import figures

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
NANO = 1e-9
EIGHTH = 1 / 8                  # Prometheus counts in bytes
SENDERS = ("pspsink", "rtpbandwidth")
SCALERS = ("mpegscaler", "mpegtranscoder")


def of(kinds, field, factor=1, **labels):
    """Where a metric's values come from: of elements of these kinds, a field
    times a factor."""
    return (kinds, field, factor, labels)


# Name, type, help, sources.
METRICS = [
    ("gst_psp_target_bytes_per_second", "gauge",
     "Payload rate that fits, or that the element may pass.",
     [of(SENDERS + SCALERS + ("itcpsink",), "target-bitrate", EIGHTH),
      of(("encoderbitrate",), "share-bitrate", EIGHTH)]),
    ("gst_psp_delivered_bytes_per_second", "gauge",
     "RTP payload that was acknowledged over the last second.",
     [of(SENDERS, "delivered-bitrate", EIGHTH)]),
    ("gst_psp_encoder_bytes_per_second", "gauge",
     "Rate that the encoder was set to.",
     [of(("encoderbitrate",), "current-bitrate", EIGHTH)]),
    ("gst_psp_round_trip_seconds", "gauge", "Smoothed round-trip time.",
     [of(SENDERS + ("itcpsink",), "rtt", NANO)]),
    ("gst_psp_queue_wait_seconds", "gauge",
     "What waits in the sender, as time at the target.",
     [of(SENDERS, "queue-time", NANO)]),
    ("gst_psp_loss_ratio", "gauge",
     "Fraction of packets lost over the last round trip, as reported.",
     [of(SENDERS, "loss")]),
    ("gst_psp_jitter_seconds", "gauge",
     "Interarrival jitter of RFC 3550, the largest of all streams.",
     [of(("pspsrc",), "jitter", NANO)]),
    ("gst_psp_link_alive", "gauge",
     "1 where the receiver answers or is connected, else 0.",
     [of(SENDERS, "link-state"), of(("itcpsink",), "state")]),
    ("gst_psp_scale", "gauge",
     "Scale in force, 0 (fewest pictures) to 4 (all).",
     [of(("mpegscaler",), "scale")]),
    ("gst_psp_quantiser", "gauge", "Mean quantiser_scale of the last picture.",
     [of(SCALERS, "quantiser-in", at="in"),
      of(SCALERS, "quantiser-out", at="out")]),
    ("gst_psp_sent_bytes_total", "counter",
     "Payload sent; of itcpsink, all bytes.",
     [of(SENDERS, "payload-bytes-sent"), of(("itcpsink",), "bytes-sent")]),
    ("gst_psp_sent_packets_total", "counter", "RTP packets sent.",
     [of(SENDERS, "packets-sent")]),
    ("gst_psp_lost_packets_total", "counter",
     "Packets sent and lost, by the receiver's reports.",
     [of(SENDERS, "packets-lost")]),
    ("gst_psp_received_bytes_total", "counter", "Payload received.",
     [of(("pspsrc",), "payload-bytes")]),
    ("gst_psp_received_packets_total", "counter", "RTP packets received.",
     [of(("pspsrc",), "packets")]),
    ("gst_psp_missing_packets", "gauge",
     "Packets expected less those received; late ones lower it.",
     [of(("pspsrc",), "lost")]),
    ("gst_psp_video_bytes_total", "counter", "Coded video in and out.",
     [of(SCALERS, "bytes-in", at="in"), of(SCALERS, "bytes-out", at="out")]),
    ("gst_psp_pictures_in_total", "counter", "Coded pictures in.",
     [of(("mpegscaler",), "frames-" + name, picture=name)
      for name in ("i", "p", "b", "d", "h26x")] +
     [of(("mpegtranscoder",), "frames-in", picture="any")]),
    ("gst_psp_pictures_passed_total", "counter", "Coded pictures out.",
     [of(("mpegscaler",), "frames-passed"),
      of(("mpegtranscoder",), "frames-out")]),
    ("gst_psp_pictures_dropped_total", "counter",
     "Coded pictures dropped, by reason.",
     [of(("mpegscaler",), "dropped-" + name, reason=name)
      for name in ("policy", "reference", "unpaired", "group")] +
     [of(("mpegtranscoder",), "frames-dropped", reason="any"),
      of(SENDERS, "dropped-pictures", reason="queue")]),
    ("gst_psp_congestion_events_total", "counter",
     "Congestion events announced or seen.",
     [of(tuple(kind for kind in figures.TYPES if kind != "pspsrc"),
         "events")]),
]


def escaped(value):
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r'\"')


def help_escaped(value):
    return value.replace("\\", r"\\").replace("\n", r"\n")


def largest_jitter(stats):
    streams = stats.get("streams")
    values = [figures.number(stream, "jitter") for stream in
              (streams if isinstance(streams, list) else [])
              if isinstance(stream, dict)]
    return max((value for value in values if value is not None), default=None)


def value_of(stats, field, factor):
    if field in ("link-state", "state"):
        state = stats.get(field)
        return None if state is None else float(state in ("alive", "connected"))
    value = largest_jitter(stats) if field == "jitter" else \
        figures.number(stats, field)
    if value is None or figures.is_unknown(field, value):
        return None
    return value if factor == 1 else value * factor


def labels_of(element, extra):
    pairs = [("program", element.process.program),
             ("pid", str(element.process.pid)),
             ("pipeline", element.pipeline), ("element", element.name),
             ("type", element.kind), ("id", str(element.key))]
    return ",".join('%s="%s"' % (name, escaped(value))
                    for name, value in pairs + sorted(extra.items()))


def samples(name, sources, elements):
    for kinds, field, factor, extra in sources:
        for element in elements:
            if element.kind in kinds:
                value = value_of(element.stats, field, factor)
                if value is not None:
                    yield "%s{%s} %s" % (name, labels_of(element, extra),
                                         repr(value))


def text(elements):
    """Of elements that report at present."""
    lines = []
    for name, kind, explained, sources in METRICS:
        found = list(samples(name, sources, elements))
        if found:
            lines.append("# HELP %s %s" % (name, help_escaped(explained)))
            lines.append("# TYPE %s %s" % (name, kind))
            lines.extend(found)
    return "\n".join(lines + [""])
