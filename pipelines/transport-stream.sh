#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# An MPEG transport stream whose video is scaled on the way: demuxed, scaled to
# what the network takes less 5 % for the container, muxed again and sent. What
# arrives is a transport stream again.
#
#   pipelines/transport-stream.sh [FILE.ts [OUTPUT.ts]]
. "$(dirname "$0")/common.sh"
prepare
in=${1-} out=${2:-$(mktemp --suffix=.ts)}
if [ -z "$in" ]; then
  in=$(mktemp --suffix=.ts)
  gst-launch-1.0 -q filesrc location="$mpeg_clip" ! mpegvideoparse \
    ! mpegscaler ! mpegtsmux ! filesink location="$in"
fi
gst-launch-1.0 -q pspsrc port=5026 eos-on-bye=true \
  caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=MP2T,payload=33" \
  ! rtpjitterbuffer ! rtpmp2tdepay ! filesink location="$out" &
receiver=$!
trap 'kill $receiver 2>/dev/null || true' EXIT
sleep 1
say "Sending $in, at most 2 Mb/s of it"
gst-launch-1.0 -q filesrc location="$in" ! tsdemux ! mpegvideoparse \
  ! mpegscaler share=0.95 ! mpegtsmux alignment=7 ! rtpmp2tpay ! pspsink port=5026 \
  max-target-bitrate=2000000 start-target-bitrate=2000000
wait $receiver
trap - EXIT
say "Of $(stat -c %s "$in") bytes, $(stat -c %s "$out") arrived in $out"
