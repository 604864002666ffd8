#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# Adds a controller with a parameter of its own to a copy of the tree, as
# docs/controllers.md says ("Add one in an hour"): two new files, three edited.
# Shows that nothing else is needed: its test passes, gst-inspect-1.0 lists the
# parameter, and pspsink obeys it.
#
#   tests/journeys/newcontroller.sh
set -euo pipefail
export LC_ALL=C
tree=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
copy=$scratch/copy build=$scratch/build
mkdir "$copy"

fail ()
{
  echo "newcontroller.sh: $*" >&2
  exit 1
}

# The tree as it is, also where it is not committed.
cd "$tree"
git ls-files -z --cached --others --exclude-standard |
  xargs -0 cp --parents -t "$copy"
cd "$copy"
git init --quiet
git add --all
git -c user.name=x -c user.email=x commit --quiet --message before

# The two new files
cat >gst-libs/control/cc-steady.c <<'END'
/* "steady": always the same target, which is its parameter. */
#include <control/controller.h>

enum
{
  RATE
};

static const PspParameter parameters[] = {
  [RATE] = {"steady-rate", "bit/s", 1000, 1e9, 1e6,
      "The target, whatever happens", "an example"},
  {.name = NULL}
};

static void
steady_init (PspController * c, int64_t now, PspDecision * d)
{
  (void) now;
  d->target_bitrate = (int64_t) c->parameters[RATE];
  d->period = psp_controller_period (c, d->target_bitrate);
}

const PspControllerClass psp_cc_steady = {
  .name = "steady",
  .size = sizeof (PspController),
  .parameters = parameters,
  .init = steady_init,
  .on_limits = steady_init,
};
END
cat >tests/check/control/cc-steady.c <<'END'
#include <gst/check/gstcheck.h>

#include <control/controller.h>

GST_START_TEST (test_rate)
{
  PspLimits limits = { 0 };
  double rate = 500000;
  PspDecision d;
  PspController *c =
      psp_controller_new (&psp_cc_steady, &limits, NULL, 0, &d);

  fail_unless_equals_int64 (d.target_bitrate, 1000000);
  psp_controller_set_parameters (c, &rate, 1, &d);
  fail_unless_equals_int64 (d.target_bitrate, 500000);
  psp_controller_free (c);
}

GST_END_TEST;

static Suite *
cc_steady_suite (void)
{
  Suite *s = suite_create ("control-cc-steady");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_rate);
  return s;
}

GST_CHECK_MAIN (cc_steady);
END

# The three edits
sed -i 's/^#define PSP_CONTROLLERS(X) .*/&\n  X (steady) \\/' gst-libs/control/controller.h
sed -i "s/^controllers = \[/&'steady', /" gst-libs/control/meson.build
printf '\n## `steady`\n\nAlways `steady-rate`.\n' >>docs/controllers.md

git add --all
changed=$(git diff --cached --name-status --no-renames)
echo "$changed"
test "$(grep -c ^A <<<"$changed")" = 2 || fail "not two new files"
test "$(grep -c ^M <<<"$changed")" = 3 || fail "not three files edited"

# Only what is needed to see it.
meson setup "$build" -Dmpegtranscoder=disabled -Dbpf=disabled -Ddocs=disabled \
  -Dintrospection=disabled -Dbenchmarks=false -Dsim=disabled >"$scratch/log" ||
  { cat "$scratch/log"; fail "meson setup"; }
tests=(control-cc-steady control-controller control-random-controllers)
ninja -C "$build" --quiet gst/psp/libgstpsp.so \
  "${tests[@]/#/tests\/check\/control/}"
meson test -C "$build" --no-rebuild --num-processes 1 "${tests[@]}"

export GST_PLUGIN_PATH_1_0=$build/gst GST_REGISTRY=$scratch/registry
gst-inspect-1.0 pspsink >"$scratch/inspect"
grep -A1 'controller-params' "$scratch/inspect" | grep -o 'steady-rate[^,;]*' ||
  fail "gst-inspect-1.0 lists no steady-rate"
gst-launch-1.0 -m audiotestsrc num-buffers=2 ! audioconvert ! rtpL16pay ! \
  pspsink host=127.0.0.1 port=9 controller=steady \
  'controller-params="params,steady-rate=500000"' >"$scratch/messages" 2>&1
grep -o 'GstCongestion.*' "$scratch/messages" |
  grep 'controller=(string)steady' | grep -m1 'target-bitrate=(guint64)500000,' ||
  { cat "$scratch/messages"; fail "pspsink does not obey steady-rate"; }
echo "2 new files, 3 edited"
