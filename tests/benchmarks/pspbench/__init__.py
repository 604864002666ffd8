# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What the quickstart and the benchmarks share: the emulated link, live
streams over it, and their scores."""
