#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Interactive TCP, all of it: the experiment, the outages, and their page,
# BUILD/reproduction/reproduction.md. Half an hour, as root.
#
#   tests/experiments/itcp-reproduce.sh BUILD [--realtime]
set -euo pipefail
[ $# -ge 1 ] && [ -d "$1" ] || {
  echo "usage: tests/experiments/itcp-reproduce.sh BUILD [--realtime]" >&2
  exit 2
}
build=$1
shift
here=$(dirname "$0")
"$here/itcp-experiment.py" "$build" --out "$build/reproduction" "$@"
"$here/itcp-experiment.py" "$build" --outage --runs 1-5 \
  --out "$build/reproduction" "$@"
"$here/../sim/reproduce.py" "$build" --only itcp
