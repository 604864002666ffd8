#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# receiver.sh, without a display, and sender.sh on one machine, until pictures
# have come.
set -uo pipefail
pipelines=$(dirname "$0")/../../pipelines
log=$(mktemp)
unset DISPLAY WAYLAND_DISPLAY
"$pipelines/receiver.sh" >"$log" 2>&1 &
receiver=$!
"$pipelines/sender.sh" 127.0.0.1 >/dev/null 2>&1 &
sender=$!
for _ in $(seq 300); do
  grep -q 'rendered: [1-9]' "$log" && break
  sleep .2
done
kill "$sender" "$receiver"
wait
cat "$log"
rm -f "$log"
