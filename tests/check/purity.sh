#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# purity.sh LIBRARY...: succeeds where each static library needs nothing from
# outside but memory, strings and mathematics. An allow list, so that the
# socket, clock, lock or logging call nobody thought of is caught too.
set -u

own='(psp|itcp|h26[45x]|m2v|scaling|rtp_mpeg|start_code|tm5|vbv)_[a-z0-9_]+'
memory='malloc|calloc|free|bcmp|mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr|nlen)'
checked='__(memcpy|memmove|memset)_chk|__stack_chk_fail|__assert_fail'
math='(sqrt|cbrt|pow|exp|exp2|log|log2|log10|fabs|floor|ceil|round|trunc|rint|fmod|fmin|fmax|ldexp|frexp|lround|llround|lrint|llrint|sin|cos|hypot|ldexp)f?'
other='qsort|bsearch|abs|labs|llabs'
compiler='__cpu_(model|indicator_init|features2)|__(asan|ubsan|tsan|msan|sanitizer|sancov)_[a-z0-9_]+|__start___sancov_[a-z0-9_]+|__stop___sancov_[a-z0-9_]+|__gcov_[a-z0-9_]+|_GLOBAL_OFFSET_TABLE_|__(u?div|u?mod)[a-z0-9]+'
allowed="^($own|$memory|$checked|$math|$other|$compiler)\$"

failed=0
for library in "$@"; do
  symbols=$(nm -u "$library") || exit 99 # an error, not a finding
  # nm prints "   U name" a symbol and "member.o:" a member.
  foreign=$(printf '%s\n' "$symbols" | awk '$1 ~ /^[UwvWV]$/ { print $2 }' |
    sort -u | grep -Ev "$allowed")
  if [ -n "$foreign" ]; then
    echo "$library needs what a core must not use:"
    printf '  %s\n' $foreign
    failed=1
  fi
done
exit $failed
