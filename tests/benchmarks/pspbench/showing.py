# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""A picture in a window, where there is a display."""

import os
import subprocess

# Once a second: the window may be covered, but its picture does not change.
PIPELINE = ("! pngdec ! imagefreeze is-live=true ! video/x-raw,framerate=1/1"
            " ! videoconvert ! videoscale").split()
OPENING = 3                     # s, in which what cannot open a window ends


def has_display(environment=os.environ):
    return bool(environment.get("DISPLAY") or
                environment.get("WAYLAND_DISPLAY"))


def open_window(picture):
    """Shows a PNG file in a window, until that is closed, in a process that
    outlives this one. False where none opens: no display, or one that does not
    answer."""
    if not has_display():
        return False
    # autovideosink would go on without a window.
    sink = "ximagesink" if os.environ.get("DISPLAY") else "waylandsink"
    viewer = subprocess.Popen(
        ["gst-launch-1.0", "-q", "filesrc", "location=" + picture, *PIPELINE,
         "!", sink],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        viewer.wait(OPENING)
    except subprocess.TimeoutExpired:
        return True
    return False
