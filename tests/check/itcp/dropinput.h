/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: a filter on a socket that drops what comes, which TCP at the other
 * end takes for loss.
 */
#ifndef ITCP_DROP_INPUT_H
#define ITCP_DROP_INPUT_H

#include <gst/check/gstcheck.h>

#include <errno.h>
#include <linux/filter.h>
#include <sys/socket.h>
#include <unistd.h>

static inline gboolean
try_drop_input (int fd)
{
  struct sock_filter drop = BPF_STMT (BPF_RET | BPF_K, 0);
  struct sock_fprog program = {.len = 1,.filter = &drop };

  return setsockopt (fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
      sizeof program) == 0;
}

/* From now on nothing reaches the socket; TCP's own answers included. */
static inline void
drop_input (int fd)
{
  fail_unless (try_drop_input (fd));
}

/* From now on everything reaches the socket again. */
static inline void
accept_input (int fd)
{
  int unused = 0;

  fail_unless (setsockopt (fd, SOL_SOCKET, SO_DETACH_FILTER, &unused,
          sizeof unused) == 0);
}

/* Some systems refuse filters to ordinary users. */
static inline gboolean
can_drop_input (void)
{
  int fd = socket (AF_INET, SOCK_STREAM, 0);
  gboolean can = try_drop_input (fd);

  if (!can)
    g_print ("skipped: tests of loss, for this user may not attach a filter "
        "to a socket (%s)\n", g_strerror (errno));
  close (fd);
  return can;
}

#endif
