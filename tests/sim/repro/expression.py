# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
"""Arithmetic of named numbers: a fixed choice of Python's syntax tree, which
is walked here; nothing is handed to eval."""

import ast
import math
import operator

from .problem import Problem

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub,
          ast.Mult: operator.mul, ast.Div: operator.truediv,
          ast.Pow: math.pow}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos,
         ast.Not: lambda a: not a}
COMPARE = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
           ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne}
FUNCTIONS = {"abs": abs, "min": min, "max": max, "sqrt": math.sqrt,
             "log": math.log}


class Expression:
    def __init__(self, text):
        self.text, self.names = text, set()
        try:
            self.tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            raise Problem("%r is no expression" % text) from None
        self.allow(self.tree)

    def allow(self, node):
        """Raises Problem on whatever is not in the tables above."""
        if isinstance(node, ast.Name):
            self.names.add(node.id)
        elif isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.keywords or \
                    node.func.id not in FUNCTIONS:
                raise Problem("%r: the functions are %s" % (
                    self.text, ", ".join(FUNCTIONS)))
            self.allow_all(node.args)
        elif not self.allow_operator(node):
            raise Problem("%r: %s has no place in it" % (
                self.text, type(node).__name__))

    def allow_operator(self, node):
        if isinstance(node, ast.Constant):
            return type(node.value) in (int, float)
        if isinstance(node, ast.BinOp):
            self.allow_all([node.left, node.right])
            return type(node.op) in BINARY
        if isinstance(node, ast.UnaryOp):
            self.allow(node.operand)
            return type(node.op) in UNARY
        if isinstance(node, ast.BoolOp):
            self.allow_all(node.values)
            return True
        if isinstance(node, ast.Compare):
            self.allow_all([node.left] + node.comparators)
            return all(type(op) in COMPARE for op in node.ops)
        return False

    def allow_all(self, nodes):
        for node in nodes:
            self.allow(node)

    def value(self, numbers):
        """The number for `numbers`, a dict of the names."""
        try:
            return float(walk(self.tree, numbers))
        except (ArithmeticError, ValueError, TypeError) as error:
            raise Problem("%r cannot be computed for %s: %s" % (
                self.text, ", ".join("%s = %.6g" % n
                                     for n in sorted(numbers.items())),
                error)) from None


def walk(node, numbers):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return numbers[node.id]
    if isinstance(node, ast.Call):
        return FUNCTIONS[node.func.id](*(walk(a, numbers) for a in node.args))
    if isinstance(node, ast.BinOp):
        return BINARY[type(node.op)](walk(node.left, numbers),
                                     walk(node.right, numbers))
    if isinstance(node, ast.UnaryOp):
        return UNARY[type(node.op)](walk(node.operand, numbers))
    if isinstance(node, ast.BoolOp):
        met = all if isinstance(node.op, ast.And) else any
        return met(walk(value, numbers) for value in node.values)
    left, held = walk(node.left, numbers), True
    for op, right in zip(node.ops, node.comparators):
        right = walk(right, numbers)
        held, left = held and COMPARE[type(op)](left, right), right
    return held
