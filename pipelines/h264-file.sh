#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# H.264 from a file, thinned out to what the network takes, here at most
# 0.8 Mb/s. Without a file, one of 1.5 Mb/s is made first. Writes what
# arrived to a file and plays that through a decoder.
#
#   pipelines/h264-file.sh [FILE.mp4 [OUTPUT.h264]]
. "$(dirname "$0")/common.sh"
prepare
in=${1-} out=${2:-$(mktemp --suffix=.h264)}
if [ -z "$in" ]; then
  in=$(mktemp --suffix=.mp4)
  gst-launch-1.0 -q filesrc location="$clip" ! mpegvideoparse \
    ! avdec_mpeg2video ! videoconvert ! video/x-raw,format=I420 \
    ! x264enc speed-preset=veryfast bitrate=1500 \
      bframes=3 b-pyramid=true key-int-max=60 \
    ! h264parse ! qtmux ! filesink location="$in"
fi
gst-launch-1.0 -q pspsrc port=5028 eos-on-bye=true caps="$h264_caps" \
  ! rtpjitterbuffer ! rtph264depay ! h264parse \
  ! video/x-h264,stream-format=byte-stream ! filesink location="$out" &
receiver=$!
trap 'kill $receiver 2>/dev/null || true' EXIT
sleep 1
say "Sending the video of $in, at most 0.8 Mb/s of it"
gst-launch-1.0 -q filesrc location="$in" ! parsebin ! h264parse ! mpegscaler \
  ! rtph264pay config-interval=-1 mtu=1200 ! pspsink port=5028 \
  max-target-bitrate=800000 start-target-bitrate=800000
wait $receiver
trap - EXIT
say "Of $(stat -c %s "$in") bytes, $(stat -c %s "$out") arrived in $out"
decode h264 "$out"
