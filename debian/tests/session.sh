# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Shared by the tests: a session over loopback, and what came of it.

# session PORT SENDER RECEIVER: plays both pipelines to their end. Ports differ
# between the tests, so that no late packet of one comes to the next.
session() {
  bound=$(printf ':%04X 0*:0000 ' "$1")
  # Word by word: pipelines as they are written.
  timeout 120 gst-launch-1.0 -q $3 &
  receiver=$!
  until grep -q "$bound" /proc/net/udp*; do
    kill -0 $receiver           # it listens, or has failed
    sleep .1
  done
  timeout 120 gst-launch-1.0 -q $2
  wait $receiver
}

# pictures FILE: how many pictures a decoder makes of it.
pictures() {
  gst-launch-1.0 -q filesrc location="$1" ! decodebin ! videoconvert \
    ! videoscale ! video/x-raw,format=GRAY8,width=32,height=32 \
    ! filesink location="$1.raw" >&2
  echo $(($(stat -c %s "$1.raw") / 1024))
}

# expect WHAT NUMBER TEST OPERAND: says the number, and fails if it is not so.
expect() {
  echo "$1: $2"
  [ "$2" "$3" "$4" ] || { echo "expected $3 $4"; exit 1; }
}
