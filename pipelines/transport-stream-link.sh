#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# A transport stream of H.264 over a link that becomes too slow for it, emulated
# here: 3 Mb/s, and after 4 s half of what the stream needs. The multiplex has no
# rate of its own (bitrate=0), so it falls with the video; null packets would go
# on to fill the link. Says what the link carried before and after, and how much
# of what arrived decodes.
#
#   pipelines/transport-stream-link.sh [OUTPUT.ts]
. "$(dirname "$0")/common.sh"
prepare
out=${1:-$(mktemp --suffix=.ts)} log=$(mktemp --suffix=.csv)
in=$(mktemp --suffix=.ts) slow=700000
gst-launch-1.0 -q multifilesrc location="$mpeg_clip" loop=true num-buffers=2 \
  ! mpegvideoparse ! avdec_mpeg2video ! videoconvert \
  ! video/x-raw,format=I420 ! x264enc speed-preset=veryfast bitrate=1500 bframes=2 key-int-max=30 \
  ! h264parse ! mpegtsmux ! filesink location="$in"
"$build/tests/link/relay/psp-link-relay" --listen 127.0.0.1:5138 \
  --to 127.0.0.1:5038 --log "$log" --back delay=20ms \
  --forward "delay=20ms,queue=300ms,schedule=0s:3M/4s:$slow" >/dev/null &
relay=$!
gst-launch-1.0 -q pspsrc port=5038 eos-on-bye=true \
  caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=MP2T,payload=33" \
  ! rtpjitterbuffer latency=500 ! rtpmp2tdepay ! filesink location="$out" &
receiver=$!
trap 'kill $relay $receiver 2>/dev/null || true' EXIT
sleep 1
say "Sending $(stat -c %s "$in") bytes, and then over $slow bits per second"
gst-launch-1.0 -q filesrc location="$in" ! tsdemux ! h264parse \
  ! mpegscaler share=0.93 ! mpegtsmux alignment=7 bitrate=0 ! rtpmp2tpay \
  ! pspsink port=5138 start-target-bitrate=2000000 max-target-bitrate=2500000
wait $receiver
kill $relay
wait $relay || true
trap - EXIT
awk -F, -v slow=$slow '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  $column["direction"] != "forward" || $column["size"] < 200 { next }
  { sent++ }
  $column["departed"] == "" { lost++; next }
  { t = $column["departed"] / 1e9; bits = 8 * ($column["size"] + 28) }
  t >= 1 && t < 4 { before += bits / 3 }
  t >= 6 && t < 11 { after += bits / 5 }
  END {
    printf "The link carried %.2f Mb/s, and %.2f of %.2f Mb/s; it lost %.2f %% of the packets\n",
      before / 1e6, after / 1e6, slow / 1e6, 100 * lost / sent
  }' "$log"
python3 -B "$top/tests/benchmarks/tsreport.py" "$out" || true
gst-launch-1.0 -q filesrc location="$out" ! tsdemux ! h264parse \
  ! video/x-h264,stream-format=byte-stream ! filesink location="$out.h264"
decode h264 "$out.h264"
rm -f "$log" "$out.h264"
