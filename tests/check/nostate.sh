#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The gst-psp authors
#
# nostate.sh [--kept FILE] LIBRARY...: succeeds where no static library keeps
# anything between calls that its caller does not own, and none registers a type.
# Linked into two plugins of one process a variable would exist twice, and the
# second registration of a type would fail.
#
# With --kept the libraries are whole plugins: they register types, and keep what
# GObject's macros declare and what FILE names.
set -u

kept=
if [ "${1:-}" = --kept ]; then
  kept=$2
  shift 2
fi
# Of GObject's macros, of an enumeration's get_type and of the compiler's runtime.
declared='static_g_define_type_id|([A-Za-z_]+_)?parent_class|[A-Za-z]+_private_offset'
declared="$declared|properties|signals|type|[a-z_]+_template"
declared="$declared|completed|__TMC_END__|__dso_handle|__cpu_model|__cpu_features2"
failed=0
for library in "$@"; do
  table=$(objdump -t "$library") || exit 99 # an error, not a finding
  # Columns: address, flags (O: an object), section, size, name. What is
  # constant but for its relocation is in .data.rel.ro. A thread's variables have
  # no flag O. What sanitizers keep of each variable has names of their own.
  variables=$(printf '%s\n' "$table" |
    grep -E '( O \.(bss|data)|[lg] +\.(tbss|tdata))(\.[^r][^ ]*)?[[:space:]]' |
    awk '{ print $NF }' | grep -Ev '^__(asan|odr_asan|unnamed|gcov|sancov)' || :)
  # GST_DEBUG_CATEGORY_STATIC is a pointer that GStreamer owns, the same in each
  # copy; a function's __func__ is constant.
  variables=$(printf '%s\n' "$variables" |
    grep -Ev '^([a-z_]*_debug|_gst_debug_.*|__func__.*|)$' || :)
  types=$(printf '%s\n' "$table" |
    grep -E '\*UND\*.*(g_type_register|g_enum_register|g_flags_register|g_boxed_type_register|gst_meta_register|gst_meta_api_type_register)' |
    awk '{ print $NF }' | sort -u)
  if [ -n "$kept" ]; then
    # Of a variable in a function compilers write name.3 or function.name.
    plugin=$(basename "$library" .so)
    names=$(sed -nE "s/^${plugin#libgst}[[:space:]]+([^[:space:]]+).*/\1/p" "$kept") ||
      exit 99
    variables=$(printf '%s\n' "$variables" | sed -E 's/\.[0-9]+$//; s/.*\.//' |
      grep -Ev "^($declared)$" | grep -vxF "${names:-none}" || :)
    types=
  fi
  for name in $variables; do
    echo "$library keeps state: $name"
    failed=1
  done
  for name in $types; do
    echo "$library registers types: $name"
    failed=1
  done
done
exit $failed
