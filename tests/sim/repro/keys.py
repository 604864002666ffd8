# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Checks tables of a TOML file: unknown and missing keys, wrong types. What is
wrong is named with the file and the table."""

import difflib

from .problem import Problem

NUMBER = (int, float)
SCALAR = (int, float, str, bool)


class Place:
    """Where in which file: `psp.toml: claim "psp-0": value`."""

    def __init__(self, *parts):
        self.parts = parts

    def __truediv__(self, part):
        return Place(*self.parts, part)

    def __str__(self):
        return ": ".join(self.parts)

    def problem(self, text):
        return Problem("%s: %s" % (self, text))


class Key:
    def __init__(self, types, needed=False, choices=None, of=None, low=None):
        self.types = types if isinstance(types, tuple) else (types,)
        self.needed, self.choices, self.of, self.low = \
            needed, choices, of, low

    def check(self, place, name, value):
        if not is_a(value, self.types):
            raise place.problem("%s is to be %s, not %r" % (
                name, " or ".join(said(t) for t in self.types), value))
        if self.choices and isinstance(value, str) and \
                value not in self.choices:
            raise place.problem("%s = %r is none of %s" % (
                name, value, ", ".join(self.choices)))
        if self.low is not None and is_a(value, NUMBER) and value < self.low:
            raise place.problem("%s is to be at least %s" % (name, self.low))
        if self.of and isinstance(value, (list, dict)):
            self.check_members(place, name, value)

    def check_members(self, place, name, value):
        members = value.values() if isinstance(value, dict) else value
        for member in members:
            if not is_a(member, self.of):
                raise place.problem("%s has %r in it, which is not %s" % (
                    name, member, " or ".join(said(t) for t in self.of)))


def said(kind):
    return {bool: "true or false", int: "an integer", float: "a number",
            str: "a string", list: "a list", dict: "a table"}[kind]


def is_a(value, types):
    """As isinstance, but true and false are no numbers."""
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, types)


def check(place, table, keys):
    """Raises Problem unless `table` has the needed of `keys`, and no others."""
    for name in table:
        if name not in keys:
            near = difflib.get_close_matches(name, keys, 1)
            raise place.problem("unknown key %r%s" % (
                name, " (%s?)" % near[0] if near else ""))
    for name, key in keys.items():
        if name in table:
            key.check(place, name, table[name])
        elif key.needed:
            raise place.problem("%s is missing" % name)
