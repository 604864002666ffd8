# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""What is told to the user in a sentence, without a traceback."""


class Problem(Exception):
    pass


class Missing(Problem):
    """A program or a table that is not there."""


def every(steps):
    """[what each step returns]; the problems of all of them as one."""
    found, problems = [], []
    for step in steps:
        try:
            found.append(step())
        except Problem as problem:
            problems.append(str(problem))
    if problems:
        raise Problem("\n".join(problems))
    return found
