/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: a path on loopback through the program that the environment
 * variable PSP_LINK_RELAY names (tests/link).
 */
#ifndef TEST_RELAY_H
#define TEST_RELAY_H

#include <gst/check/gstcheck.h>
#include <signal.h>
#include <sys/wait.h>

typedef struct
{
  GPid pid;
  GIOChannel *out;
  guint16 port;
} Relay;

static inline void
relay_init (Relay * relay, gint to, const gchar * forward, const gchar * back)
{
  gchar *target = g_strdup_printf ("127.0.0.1:%d", to);
  /* It ends by itself where this test does not get to end it. */
  const gchar *args[] = { g_getenv ("PSP_LINK_RELAY"), "--listen",
    "127.0.0.1:0", "--to", target, "--forward", forward, "--back", back,
    "--duration", "300", NULL
  };
  GError *error = NULL;
  gchar *line = NULL;
  gint out;

  fail_unless (args[0] != NULL, "PSP_LINK_RELAY is not set");
  fail_unless (g_spawn_async_with_pipes (NULL, (gchar **) args, NULL,
          G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &relay->pid, NULL, &out, NULL,
          &error), "%s", error ? error->message : "");
  relay->out = g_io_channel_unix_new (out);
  g_io_channel_set_close_on_unref (relay->out, TRUE);
  g_io_channel_read_line (relay->out, &line, NULL, NULL, NULL);
  fail_unless (line && g_str_has_prefix (line, "ready "), "%s", line);
  relay->port = (guint16) g_ascii_strtoull (strrchr (line, ':') + 1, NULL, 10);
  g_free (line);
  g_free (target);
}

static inline void
relay_clear (Relay * relay)
{
  int status;

  kill (relay->pid, SIGTERM);
  fail_unless (waitpid (relay->pid, &status, 0) == relay->pid);
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  g_spawn_close_pid (relay->pid);
  g_io_channel_unref (relay->out);
}

#endif
