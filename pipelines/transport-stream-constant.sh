#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# A transport stream of H.264, scaled, to a modulator or other DVB gear that takes
# a constant rate only: null packets fill what the video leaves. Where no gear's
# address is given, a file stands in for it and is judged: PCR, continuity, and
# pictures later than their DTS.
#
#   pipelines/transport-stream-constant.sh [FILE.ts PEAK TARGET [HOST:PORT]]
#
# PEAK is the most that FILE's video needs, TARGET what is to be left of it, both
# in bits per second. The multiplex has 1.5 times PEAK, however low TARGET is: what
# passes keeps its size, and has to be there by its DTS. That is enough where the
# encoder's buffer was 150 ms at most (x264enc vbv-buf-capacity). Else pictures are
# late, and MARGIN=2 or more helps.
. "$(dirname "$0")/common.sh"
prepare
case $# in
  0)
    in=$(mktemp --suffix=.ts) peak=1500000 target=1000000
    gst-launch-1.0 -q filesrc location="$clip" ! mpegvideoparse \
      ! avdec_mpeg2video ! videoconvert ! video/x-raw,format=I420 \
      ! x264enc speed-preset=veryfast \
        bitrate=1500 vbv-buf-capacity=150 bframes=2 key-int-max=60 \
      ! h264parse ! mpegtsmux ! filesink location="$in"
    ;;
  3 | 4) in=$1 peak=$2 target=$3 ;;
  *) die "usage: $(basename "$0") [FILE.ts PEAK TARGET [HOST:PORT]], rates in bits per second" ;;
esac
gear=${4-127.0.0.1:5036}
if [ $# -lt 4 ]; then
  out=$(mktemp --suffix=.ts)
  gst-launch-1.0 -q -e udpsrc address=127.0.0.1 port=5036 buffer-size=2000000 \
    caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=MP2T" \
    ! rtpmp2tdepay ! filesink location="$out" &
  receiver=$!
  trap 'kill $receiver 2>/dev/null || true' EXIT
  sleep 1
fi
rate=$(awk "BEGIN { print int($peak * ${MARGIN:-1.5}) }")
say "Sending $in to $gear, its video at $target of $rate bits per second"
gst-launch-1.0 -q filesrc location="$in" ! tsdemux ! h264parse \
  ! mpegscaler follow-events=false target-bitrate="$target" \
  ! mpegtsmux alignment=7 bitrate="$rate" ! rtpmp2tpay \
  ! udpsink host="${gear%:*}" port="${gear##*:}"
[ $# -lt 4 ] || exit 0
sleep 1
kill -INT $receiver
wait $receiver
trap - EXIT
say "What arrived, in $out:"
python3 -B "$top/tests/benchmarks/tsreport.py" "$out" --constant
