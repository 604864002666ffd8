# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Where GStreamer finds the plugins of a build."""
import os


def find_plugins(build):
    """Before Gst.init(); in `meson devenv` they are found already."""
    os.environ.setdefault("GST_PLUGIN_PATH_1_0", ":".join(
        os.path.join(build, part) for part in ("gst", "ext")))
