/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "sums.h"

#include "../avdecode.h"

GPtrArray *
test_sums_of_file (const gchar * format, const gchar * path)
{
  GPtrArray *sums = g_ptr_array_new_with_free_func (g_free);

  avdecode_file (path, format, avdecode_add_checksum, sums);
  return sums;
}

GPtrArray *
test_sums_of_files (const gchar * format, const gchar * const *paths, guint n)
{
  GPtrArray *all =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (all, test_sums_of_file (format, paths[i]));
  return all;
}
