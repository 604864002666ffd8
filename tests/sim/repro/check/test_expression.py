# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
import unittest

from . import samples   # noqa: F401 (finds repro)
from repro.expression import Expression
from repro.problem import Problem

VALUES = [
    ("1 - a / b", .75),
    ("100 * (a + b) ** 2 - -1", 2501),
    ("max(a, b, 3) + min(a, b) + abs(-a) + sqrt(b)", 8),
    ("a < b <= 4", 1), ("a > b", 0), ("a == 1 and b != 4", 0),
    ("not a or b == 4", 1), ("1e3 * a", 1000), ("log(a)", 0),
]
REFUSED = [
    "__import__('os').system('true')", "a.real", "a[0]", "lambda: 1",
    "open('x')", "max(a, key=b)", "[a]", "a if b else 1", "'a'", "True",
    "a // b", "a % b", "~1", "a is b", "f'{a}'", "(x := 1)", "a +", "",
    "9 @ 9", "a & b",
]


class ExpressionTest(unittest.TestCase):
    def test_values(self):
        for text, wanted in VALUES:
            with self.subTest(text):
                self.assertEqual(
                    Expression(text).value({"a": 1, "b": 4}), wanted)

    def test_names(self):
        self.assertEqual(Expression("a + max(b, 1) * a").names, {"a", "b"})

    def test_refused(self):
        for text in REFUSED:
            with self.subTest(text), self.assertRaises(Problem):
                Expression(text)

    def test_not_computable(self):
        for text in ("1 / a", "sqrt(a - 1)", "log(a)", "(a - 8) ** .5"):
            with self.subTest(text), self.assertRaisesRegex(
                    Problem, "cannot be computed for a = 0"):
                Expression(text).value({"a": 0})
