#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# One sender, two receivers of a multicast group on the loopback interface.
# Multicast has no feedback, so the packets are spaced evenly instead:
# controller=fixed.
. "$(dirname "$0")/common.sh"
prepare
group=239.255.42.1
receiver() {
  gst-launch-1.0 -q pspsrc address=$group port=5024 multicast-iface=lo reuse=true \
    eos-on-bye=true caps="$h264_caps" \
    ! rtpjitterbuffer ! rtph264depay ! h264parse ! filesink location="$1"
}
first=$(mktemp) second=$(mktemp)
receiver "$first" & receiver "$second" &
trap 'kill $(jobs -p) 2>/dev/null || true; rm -f "$first" "$second"' EXIT
sleep 1
say "Sending to $group for 5 s"
gst-launch-1.0 -q videotestsrc num-buffers=150 is-live=true ! $live_encoder bitrate=1000 \
  ! rtph264pay config-interval=-1 mtu=1200 \
  ! pspsink host=$group port=5024 multicast-iface=lo loop=true \
      controller=fixed spacing=2000000
wait
say "The receivers wrote $(stat -c %s "$first") and $(stat -c %s "$second") bytes"
