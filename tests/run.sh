#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Installs what is missing, builds, and runs every test.
#
#   tests/run.sh          the suite
#   tests/run.sh --all    the suite but for the demos, then again built by clang
#                         with AddressSanitizer and UBSan, the elements under
#                         ThreadSanitizer, the unit tests under valgrind, and
#                         the fuzz targets on their corpus
#
# BUILD_DIR (default build/) says where to build.
set -euo pipefail
. "$(dirname "$0")/setup.sh"

case ${1-} in
  "" | --all) ;;
  *) die "usage: tests/run.sh [--all]" ;;
esac

# What waits for real packets is judged in real time, and other tests may take
# the processor from it. Where nothing else fails, such tests are run once more,
# one at a time: what fails then fails.
again() {                       # again BUILD_DIR, and FAILED has what to run
  echo "run again, one at a time, as they are judged in real time: $failed"
  # Names have no spaces.
  # shellcheck disable=SC2086
  meson test -C "$1" --print-errorlogs --no-rebuild --num-processes 1 \
    --timeout-multiplier 8 $failed
}

suite() {                       # suite WHAT BUILD_DIR TEST_OPTION…
  local what=$1 dir=$2 status=0 failed
  shift 2
  say "Running $what"
  # Two more than processors, as a third of the time tests wait for packets. What
  # the tests need and is not built yet is built first.
  meson test -C "$dir" --print-errorlogs --num-processes $(($(nproc) + 2)) "$@" ||
    status=$?
  # Meson counts a skip as success: say what was not run, and why.
  python3 "$top/tests/results.py" skipped "$dir"
  if [ $status != 0 ] && failed=$(python3 "$top/tests/results.py" again "$dir"); then
    again "$dir" && status=0
  fi
  return $status
}

# All at first: the plain build is to find valgrind.
setup_packages build play test sim ${1:+check}
setup_build
suite "the tests" "$build" --no-suite demos
if [ "${1-}" != --all ]; then
  # In real time, beside nothing else.
  suite "the demos" "$build" --suite demos
  setup_hint large
  say "All tests passed."
  exit 0
fi

plain=$build
# Lines are all that a report names: all of -g takes a quarter of the compilers' time.
variant() {                     # variant NAME MESON_OPTION…
  build=$plain-$1
  shift
  setup_configure -Dbenchmarks=false -Dintrospection=disabled -Dsim=disabled \
    -Dc_args=-g1 "$@"
}

# clang warns of what gcc does not, and finds more in C's undefined behaviour.
export ASAN_OPTIONS=detect_leaks=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
CC=clang variant asan -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false
setup_build                     # all of it, for its warnings
# The simulations run the controllers that their random lives run here, too. A path
# that has run once has been looked at. The fuzz targets run on their corpus: libFuzzer
# would do the same to it, and look for more where that is asked. A fork for each test
# would take 40 % of the processor, to copy the shadow's page tables. Without one a
# test that fails may leave the next to hang: each result is written as soon as it is
# known.
export CK_FORK=no CK_LOG_FILE_NAME=-
TEST_ROUNDS=25 \
  suite "the tests under AddressSanitizer and UBSan, built by clang" "$build" \
  --timeout-multiplier 8 --no-suite accuracy --no-suite alias --no-suite demos \
  --no-suite simulation --no-suite examples --no-suite pipelines

variant tsan -Db_sanitize=thread -Db_lundef=false
TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1 \
  suite "the elements under ThreadSanitizer" "$build" --timeout-multiplier 12 \
  --suite threads

build=$plain
suite "the unit tests under valgrind" "$build" --setup valgrind
say "All tests passed."
