#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# As quickstart.sh, with a live encoder that follows the link instead of a
# coded stream: x264enc and encoderbitrate.
#
#   pipelines/live.sh [--short] [OUTPUT_DIRECTORY]
. "$(dirname "$0")/common.sh"
compare live "$clip" "$@"
