#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# An MPEG program stream from a file (DVD, old archives), its video scaled to
# what the network takes, to a decoder. Without a file, one is made first.
#
#   pipelines/program-stream.sh [FILE.mpg]
. "$(dirname "$0")/common.sh"
prepare
if [ $# -eq 0 ]; then
  set -- "$(mktemp --suffix=.mpg)"
  gst-launch-1.0 -q filesrc location="$mpeg_clip" ! mpegvideoparse \
    ! mpegscaler ! mpegpsmux ! filesink location="$1"
fi
pictures() {                    # decoded and shown, by fpsdisplaysink's messages
  sed -n 's/.*rendered: \([0-9]*\).*/\1/p' | tail -n 1
}
gst-launch-1.0 -v pspsrc port=5024 eos-on-bye=true caps="$mpv_caps" \
  ! rtpjitterbuffer ! rtpmpegvideodepay ! mpegvideoparse ! avdec_mpeg2video \
  ! fpsdisplaysink text-overlay=false video-sink=fakesink \
  > >(say "$(pictures) pictures were received and decoded") &
receiver=$!
trap 'kill $receiver 2>/dev/null || true' EXIT
sleep 1
say "Sending the video of $1, at most 2 Mb/s"
gst-launch-1.0 -q filesrc location="$1" ! mpegpsdemux ! mpegvideoparse \
  ! mpegscaler ! rtpmpegvideopay ! pspsink port=5024 \
  max-target-bitrate=2000000 start-target-bitrate=2000000
wait $receiver
trap - EXIT
sleep 0.5                       # the count
