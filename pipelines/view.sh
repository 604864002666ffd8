#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Sender, emulated link and viewer on this machine: watch in a window how the
# picture follows a link that goes 2 → 0.8 → 2 Mb/s every 10 s.
. "$(dirname "$0")/common.sh"
[ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ] ||
  die "view.sh opens a window and there is no display: set DISPLAY, or run quickstart.sh, which needs none."
prepare
"$build/tests/link/relay/psp-link-relay" --listen 127.0.0.1:5104 --to 127.0.0.1:5004 \
  --forward "delay=20ms,queue=10p,schedule=0s:2M/10s:800k/20s:2M" \
  --back "delay=20ms" &
# The window shows nothing before pictures come, and a pipeline plays once all of
# its sinks have something: so the sender is a pipeline of its own.
gst-launch-1.0 -q multifilesrc location="$clip" loop=true ! mpegvideoparse \
  ! avdec_mpeg2video ! videoconvert ! clocksync ! $live_encoder ! encoderbitrate \
  ! rtph264pay config-interval=-1 mtu=1200 ! pspsink port=5104 &
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
gst-launch-1.0 pspsrc port=5004 caps="$h264_caps" ! rtpjitterbuffer latency=400 \
  ! rtph264depay ! decodebin ! videoconvert ! videoscale ! autovideosink
