#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# What tests/setup.sh shows while it installs and builds: a line each, the log
# only where it failed, how many warnings there were, and what is too large to be
# installed unasked. Meson, ninja, apt-get and dpkg-query are stand-ins.
#
#   setup-test.sh plain|terminal
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
fake() {                        # fake NAME: its text is on standard input
  { echo '#!/bin/sh'; cat; } >"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}
fake sudo <<<'"$@"'
fake dpkg-query <<<'exit 1'
fake meson <<<'echo "many lines"; mkdir -p "$BUILD_DIR"; touch "$BUILD_DIR/build.ninja"'
fake ninja <<'END'
for step in 1 2 3; do echo "[$step/3] Compiling C object $step.o"; done
[ "$FAKE" != warns ] || echo "a.c:1:2: warning: unused variable"
[ "$FAKE" != fails ] || { echo "FAILED: b.o"; echo "b.c:1:2: error: no"; exit 1; }
END
fake apt-get <<'END'
echo "Reading package lists..."
[ "$1" != update ] || exit 0
echo "dlstatus:1:12.5:Retrieving file 1 of 2" >&3
echo "pmstatus:one:50.0:Unpacking one (amd64)" >&3
[ "$FAKE" != fails ] || { echo "E: Unable to locate package one"; exit 100; }
END

fault() { printf '%s, but it said:\n%s\n' "$1" "$said"; exit 1; }
says() { grep -q -- "$1" <<<"$said" || fault "\"$1\" should be said"; }
hides() { ! grep -q -- "$1" <<<"$said" || fault "\"$1\" should not be said"; }

program='set -euo pipefail; . "$SETUP"; PATH="$BIN:$PATH"
  setup_configure() { meson >/dev/null; }; packages_one="one two three four"
  packages_large="huge"
  setup_packages one; setup_build; setup_hint large; say ready'
export SETUP BIN=$folder/bin BUILD_DIR=$folder/build TMPDIR=$folder FAKE
SETUP=$(realpath "$(dirname "$0")/../setup.sh")
run() { said=$(FAKE=$1 bash -c "$program" 2>&1) || said+=" (failed)"; }

plain() {
  run well
  says 'Installing 4 Debian packages: one two three, …'
  says 'Building in'
  says 'Not installed, as they are large: huge'
  says 'apt-get install --no-install-recommends huge'
  says ready
  [ "$(wc -l <<<"$said")" -eq 5 ] || fault "five lines are enough"
  grep -q 'Compiling C object 3.o' "$BUILD_DIR/build.log"

  run warns
  says 'Warnings of the compiler: 1, all in .*/build.log'
  says 'unused variable'
  hides Compiling

  fake apt-get <<<'exit 0'
  run fails
  says 'b.c:1:2: error: no'
  says 'The build failed; its whole output is in .*/build.log'
  hides Compiling
  hides ready
  fake apt-get <<<'echo "pmstatus:one:50.0:Unpacking"; echo "E: no such package"; exit 100'
  run fails
  says 'E: no such package'
  says 'apt-get failed; its whole output is in'
  hides pmstatus
  hides Building
}

# Each position takes the place of the one before.
terminal() {
  fake apt-get <<'END'
case " $* " in *Status-Fd=[0-2]\ *) exit 100 ;; esac
[ "$1" = update ] || {
  echo "dlstatus:1:12.5:Retrieving file 1 of 2"
  echo "pmstatus:one:amd64:50.0:Unpacking one (amd64)"
} >&3
END
  script -qec true /dev/null </dev/null >"$folder/script" 2>&1 || {
    echo "skipped: no terminal can be made: $(cat "$folder/script")"
    exit 77
  }
  said=$(FAKE=well script -qec "bash -c '$program'" /dev/null </dev/null 2>&1) ||
    fault "it should succeed"
  says $'\r\033\\[K   12 %: Retrieving file 1 of 2'
  says $'\r\033\\[K   50 %: Unpacking one (amd64)'
  says $'\r\033\\[K   3 of 3'
  hides Compiling
  [ "$(wc -l <<<"$said")" -eq 5 ] || fault "five lines are enough"
}

"$1"
