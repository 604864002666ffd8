#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# What a newcomer does, on a Debian 12 with nothing but apt: in roots that
# debootstrap makes below FOLDER (5 GB). By hand: it needs root and a mirror.
#
#   tests/packages/newcomer.sh FOLDER [STEP…]
#
#   quickstart   pipelines/quickstart.sh, and how long it takes
#   tests        tests/run.sh, and how long it takes
#   follow       README.md and the guide, line by line, until one does not do what
#                the text says; where Xvfb is installed, windows are looked at
#   short        quickstart.sh --short alone: whether a bare root is enough
#
# Without a STEP: the first three. What is committed is what is tested.
set -euo pipefail
. "$(dirname "$0")/../setup.sh"
[ $# -ge 1 ] || die "usage: tests/packages/newcomer.sh FOLDER [STEP…]"
folder=$1
shift
. "$(dirname "$0")/roots.sh"

bare() {                        # bare NAME: a root with a clone in /src
  root "$1"
  git clone -q --no-hardlinks "$top" "$folder/$1/src"
}

timed() {                       # timed NAME COMMAND
  local begun=$SECONDS
  bare "$1"
  inside "$1" bash -c "cd /src && $2" || die "$2 failed"
  say "$2 on a bare Debian 12: $((SECONDS - begun)) s, the download included"
}

step_quickstart() { timed quickstart ./pipelines/quickstart.sh; }
step_short() { timed short "./pipelines/quickstart.sh --short"; }
step_tests() { timed tests ./tests/run.sh; }

# One line of a newcomer's, in the root.
step_enter() { inside "$1" bash -c "cd /src && $2"; }

step_follow() {
  local display xvfb=
  bare follow
  if command -v Xvfb >/dev/null; then
    display=$(mktemp)
    Xvfb -displayfd 1 -screen 0 1280x960x24 -nolisten tcp -noreset \
      >"$display" 2>/dev/null &
    xvfb=$!
    trap 'kill '$xvfb EXIT
    until [ -s "$display" ]; do
      kill -0 $xvfb             # else it has failed
      sleep .1
    done
    DISPLAY=:$(cat "$display")
    export DISPLAY ROOT_DISPLAY=$DISPLAY
    rm "$display"
  else
    unset DISPLAY
    say "No Xvfb here: windows are not looked at."
  fi
  python3 -B "$top/tests/docs/follow.py" "$0" "$folder" enter follow
}

if [ "${1-}" = enter ]; then
  shift
  step_enter "$@"
  exit
fi
for step in "${@:-quickstart tests follow}"; do
  for step in $step; do
    [[ $(type -t "step_$step") == function ]] || die "there is no step $step"
    say "Step $step"
    "step_$step"
  done
done
