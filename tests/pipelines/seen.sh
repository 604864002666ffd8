#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# What a script shows on a display, which is Xvfb's: says "seen" once it is a
# picture of what was sent. The screenshot stays in the build directory.
#
#   seen.sh camera-c|camera-python|quickstart|two-machines|view
#
# smoke.sh runs it, with BUILD_DIR, TMPDIR and PSP_NO_BUILD set.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../pipelines/common.sh"
command -v Xvfb >/dev/null || {
  echo "skipped: there is no Xvfb (package xvfb)"
  exit 77
}
python3 -c 'import numpy' 2>/dev/null || {
  echo "skipped: there is no numpy (package python3-numpy)"
  exit 77
}

set -m                          # each in a process group of its own
cleanup() {
  local job
  for job in $(jobs -p); do
    kill -- "-$job" 2>/dev/null || true
  done
}
trap cleanup EXIT
display() {                     # display NUMBER: one more, which DISPLAY names
  local name=$TMPDIR/display-$1
  Xvfb -displayfd 1 -screen 0 1280x960x24 -nolisten tcp -noreset \
    >"$name" 2>"$name.log" &
  for _ in $(seq 100); do
    [ ! -s "$name" ] || break
    sleep .1
  done
  [ -s "$name" ] || die "Xvfb did not start: $(cat "$name.log")"
  DISPLAY=:$(cat "$name")
  export DISPLAY
}
unset WAYLAND_DISPLAY

display 1
setup_environment
read_source() {                 # read_source SOURCE…: words, as in a launch line
  python3 -B "$here/screenshot.py" read "$TMPDIR/source" "$@"
}
camera() {                      # camera SENDER RECEIVER: words
  # What there is without a camera. Its noise is coded away.
  read_source videotestsrc num-buffers=1 ! video/x-raw,width=640,height=480
  size=640x480
  # Commands and their arguments.
  # shellcheck disable=SC2086
  {
    $2 &
    DISPLAY=${sender_display-$DISPLAY} $1 &
  }
}
case $1 in
  camera-c)
    camera "$build/tests/examples/example-camera send 127.0.0.1" \
      "$build/tests/examples/example-camera receive"
    ;;
  camera-python)
    python3 -c 'import gi; gi.require_version("Gtk", "3.0")' 2>/dev/null || {
      echo "skipped: there is no GTK 3 for Python (package gir1.2-gtk-3.0)"
      exit 77
    }
    gst-inspect-1.0 gtksink >/dev/null || {
      echo "skipped: there is no gtksink (package gstreamer1.0-gtk3)"
      exit 77
    }
    sender_display=$DISPLAY
    display 2
    camera "python3 $top/tests/examples/camera-sender.py 127.0.0.1" \
      "python3 $top/tests/examples/camera-receiver.py"
    ;;
  view)
    read_source filesrc location="$clip" ! mpegvideoparse ! avdec_mpeg2video
    size=853x480
    "$top/pipelines/view.sh" &
    ;;
  two-machines)
    read_source videotestsrc num-buffers=600 pattern=ball \
      ! video/x-raw,width=1280,height=720,framerate=30/1 ! timeoverlay
    size=1280x720
    "$top/pipelines/receiver.sh" &
    "$top/pipelines/sender.sh" 127.0.0.1 &
    ;;
  quickstart)
    picture=$top/docs/quickstart.png
    read_source filesrc location="$picture" ! pngdec
    # In the header of a PNG file.
    size=$(od -An -td4 --endian=big -j16 -N8 "$picture" | awk '{ print $1 "x" $2 }')
    PYTHONPATH=$top/tests/benchmarks python3 -B -c 'import sys
from pspbench.showing import open_window
sys.exit(not open_window(sys.argv[1]))' "$picture" || die "no window opened"
    ;;
esac

mkdir -p "$build/screenshots"
png=$build/screenshots/$1.png
python3 -B "$here/screenshot.py" look "$png" "$size" "$TMPDIR/source" ||
  die "The display does not show it: $png"
say "seen: $png"
