/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "sums.h"

#include <string.h>

#include <glib/gstdio.h>

static gchar *
name_sums (const gchar * path)
{
  return g_strconcat (path, ".sums", NULL);
}

static gboolean
is_empty (const gchar * path)
{
  GStatBuf found;

  return g_stat (path, &found) != 0 || found.st_size == 0;
}

static void
add (GPtrArray * arguments, const gchar * text)
{
  gchar **words = g_strsplit (text, " ", -1);

  for (guint i = 0; words[i]; i++)
    g_ptr_array_add (arguments, words[i]);
  g_free (words);
}

static void
add_path (GPtrArray * arguments, gchar * path)
{
  g_ptr_array_add (arguments, path);
}

/* All of it by one process, a file of sums for each. */
static gboolean
decode (const gchar * format, const gchar * const *paths, guint n)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);
  gchar *err = NULL, *input = g_strdup_printf ("-threads 1 -f %s -i", format);
  guint n_inputs = 0;
  gint status;
  gboolean ok;

  add (arguments, "ffmpeg -v error -nostdin -y");
  for (guint i = 0; i < n; i++)
    if (!is_empty (paths[i])) {
      add (arguments, input);
      add_path (arguments, g_strdup (paths[i]));
    }
  for (guint i = 0; i < n; i++)
    if (!is_empty (paths[i])) {
      gchar *output = g_strdup_printf ("-map %u -fps_mode passthrough "
          "-f framemd5", n_inputs++);

      add (arguments, output);
      add_path (arguments, name_sums (paths[i]));
      g_free (output);
    }
  g_ptr_array_add (arguments, NULL);
  ok = n_inputs == 0 || (g_spawn_sync (NULL, (gchar **) arguments->pdata, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
          &err, &status, NULL) && g_spawn_check_wait_status (status, NULL));
  if (!ok && n == 1)
    g_print ("FFmpeg makes nothing of %s: %s\n", paths[0], err ? err : "");
  g_ptr_array_unref (arguments);
  g_free (input);
  g_free (err);
  return ok;
}

/* What the file of sums says; it is no longer there then. */
static GPtrArray *
read_sums (const gchar * path, gboolean ok)
{
  GPtrArray *sums = g_ptr_array_new_with_free_func (g_free);
  gchar *name = name_sums (path), *text = NULL, **lines;

  if (ok)
    g_file_get_contents (name, &text, NULL, NULL);
  lines = g_strsplit (text ? text : "", "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    const gchar *sum = strrchr (lines[i], ' ');

    if (lines[i][0] != '#' && sum)
      g_ptr_array_add (sums, g_strdup (sum + 1));
  }
  g_strfreev (lines);
  g_remove (name);
  g_free (name);
  g_free (text);
  return sums;
}

GPtrArray *
test_sums_of_file (const gchar * format, const gchar * path)
{
  return read_sums (path, decode (format, &path, 1));
}

GPtrArray *
test_sums_of_files (const gchar * format, const gchar * const *paths, guint n)
{
  GPtrArray *all =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  /* One that cannot be decoded ends the process for all. */
  gboolean ok = decode (format, paths, n);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (all, ok ? read_sums (paths[i], TRUE)
        : test_sums_of_file (format, paths[i]));
  return all;
}
