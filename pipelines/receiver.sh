#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Two machines, the receiving one: shows in a window what sender.sh sends.
# Without a display it counts pictures instead.
#
#   pipelines/receiver.sh [PORT]
. "$(dirname "$0")/common.sh"
prepare
if [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; then
  sink="videoscale ! autovideosink"
else
  sink="fpsdisplaysink text-overlay=false video-sink=fakesink"
  say "No display: counting pictures."
fi
exec gst-launch-1.0 -v pspsrc port="${1:-5004}" caps="$h264_caps" \
  ! rtpjitterbuffer latency=200 ! rtph264depay ! decodebin ! videoconvert ! $sink
