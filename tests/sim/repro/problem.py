# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What is told to the user in a sentence, without a traceback."""


class Problem(Exception):
    pass


class Missing(Problem):
    """A program or a table that is not there."""
