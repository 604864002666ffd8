#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Two cameras over one session: rtpfunnel joins their RTP, one controller
# serves both, and each encoder takes its share of the target.
. "$(dirname "$0")/common.sh"
prepare
gst-launch-1.0 pspsrc port=5034 eos-on-bye=true caps="$h264_caps" ! rtpssrcdemux name=d \
  d.src_1 ! rtpjitterbuffer ! rtph264depay ! h264parse ! fpsdisplaysink name=first \
    text-overlay=false video-sink=fakesink \
  d.src_2 ! rtpjitterbuffer ! rtph264depay ! h264parse ! fpsdisplaysink name=second \
    text-overlay=false video-sink=fakesink -v 2>&1 |
  grep --line-buffered 'last-message = rendered' | sed 's/.*GstFPSDisplaySink:\([a-z]*\).*last-message = /\1: /' &
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
sleep 1
say "Sending two streams for 8 s"
gst-launch-1.0 -q rtpfunnel name=f ! pspsink port=5034 max-target-bitrate=3000000 \
  videotestsrc num-buffers=240 is-live=true pattern=ball ! $live_encoder \
    ! encoderbitrate share=0.7 ! rtph264pay ssrc=1 config-interval=-1 mtu=1200 ! f. \
  videotestsrc num-buffers=240 is-live=true pattern=smpte ! $live_encoder \
    ! encoderbitrate share=0.3 ! rtph264pay ssrc=2 config-interval=-1 mtu=1200 ! f.
wait
