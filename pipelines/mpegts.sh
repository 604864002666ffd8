#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# MPEG transport stream over pspsink and pspsrc: what came out is written to a
# file and played through a decoder.
#
#   pipelines/mpegts.sh [OUTPUT.ts]
. "$(dirname "$0")/common.sh"
out=${1:-$(mktemp --suffix=.ts)}
prepare
gst-launch-1.0 -q pspsrc port=5014 eos-on-bye=true \
  caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=MP2T,payload=33" \
  ! rtpjitterbuffer ! rtpmp2tdepay ! filesink location="$out" &
receiver=$!
trap 'kill $receiver 2>/dev/null || true' EXIT
sleep 1
say "Sending an MPEG transport stream for 8 s"
gst-launch-1.0 -q videotestsrc num-buffers=240 is-live=true \
  ! video/x-raw,width=720,height=480,framerate=30/1 \
  ! $live_encoder ! encoderbitrate ! h264parse ! mpegtsmux alignment=7 \
  ! rtpmp2tpay ! pspsink port=5014 max-target-bitrate=4000000
wait $receiver
trap - EXIT
say "Received $(stat -c %s "$out") bytes in $out"
gst-launch-1.0 -q filesrc location="$out" ! tsdemux ! h264parse ! avdec_h264 \
  ! fakesink && say "It decodes."
