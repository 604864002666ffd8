#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# smoke.sh BUILD_DIR SCRIPT PATTERN… [-- ARGUMENT…]: runs pipelines/SCRIPT on what
# is built and installed. Succeeds where it does, and each PATTERN (an extended
# regular expression) is in what it says. It has a network of its own: the ports
# are those of the script, whoever else uses them.
set -euo pipefail
skip() { printf 'skipped: %s\n' "$*"; exit 77; }

if [ -z "${SMOKE_IN_NAMESPACE-}" ]; then
  for how in -n -rn; do
    unshare $how ip link set lo up 2>/dev/null || continue
    SMOKE_IN_NAMESPACE=1 exec unshare $how "$0" "$@"
  done
  skip "no network namespace can be made"
fi
ip link set lo up

export BUILD_DIR=$1 PSP_NO_BUILD=1
script=$2
shift 2
. "$(dirname "$0")/../setup.sh"
groups=$(sed -n 's/^prepare *//p; s/^compare .*/report/p' \
  "$top/pipelines/$script")
mapfile -t missing < <(setup_missing build play $groups)
[ ${#missing[@]} -eq 0 ] || skip "not installed: ${missing[*]}"

patterns=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  patterns+=("$1")
  shift
done
[ $# -eq 0 ] || shift

export TMPDIR
TMPDIR=$(mktemp -d)
trap 'rm -rf "$TMPDIR"' EXIT
# So that the first to start need not look through all plugins first: a second
# is what the scripts give their receivers.
(setup_environment && gst-inspect-1.0 pspsrc >/dev/null)

"$top/pipelines/$script" "$@" 2>&1 | tee "$TMPDIR/output"
for pattern in "${patterns[@]}"; do
  grep -Eq -- "$pattern" "$TMPDIR/output" || die "$script did not say: $pattern"
done
