/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#define _GNU_SOURCE             /* for struct ucred */

#include "gstpspviewlink.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void
gst_psp_view_link_init (GstPspViewLink * link)
{
  link->fd = -1;
  link->text = g_malloc (GST_PSP_VIEW_REPORT_SIZE);
  link->used = link->sent = 0;
}

static void
hang_up (GstPspViewLink * link)
{
  if (link->fd >= 0)
    close (link->fd);
  link->fd = -1;
  link->used = link->sent = 0;
}

void
gst_psp_view_link_clear (GstPspViewLink * link)
{
  hang_up (link);
  g_clear_pointer (&link->text, g_free);
}

/* True if the peer runs as this user or as root. The peer learns what this
 * process does, so its user is checked, whatever the path is. */
static gboolean
is_trusted (int fd)
{
  struct ucred peer;
  socklen_t size = sizeof peer;

  return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
      (peer.uid == geteuid () || peer.uid == 0);
}

static gboolean
connect_to (GstPspViewLink * link, const gchar * path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX };

  if (strlen (path) >= sizeof address.sun_path)
    return FALSE;
  strcpy (address.sun_path, path);
  link->fd = socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (link->fd < 0)
    return FALSE;
  if (connect (link->fd, (struct sockaddr *) &address, sizeof address) == 0 &&
      is_trusted (link->fd))
    return TRUE;
  hang_up (link);
  return FALSE;
}

gboolean
gst_psp_view_link_connect (GstPspViewLink * link)
{
  const gchar *named = g_getenv ("GST_PSP_VIEW_SOCKET");
  const gchar *runtime = g_getenv ("XDG_RUNTIME_DIR");
  gchar paths[3][sizeof (((struct sockaddr_un *) NULL)->sun_path) + 1];
  guint i;

  if (named != NULL && *named)
    return connect_to (link, named);
  /* A service may lack the variable that the viewer has, or vice versa. */
  g_snprintf (paths[0], sizeof paths[0], "%s/gst-psp-view/socket",
      runtime != NULL ? runtime : "");
  g_snprintf (paths[1], sizeof paths[1], "/run/user/%u/gst-psp-view/socket",
      (guint) geteuid ());
  g_snprintf (paths[2], sizeof paths[2], "/tmp/gst-psp-view-%u/socket",
      (guint) geteuid ());
  for (i = runtime != NULL ? 0 : 1; i < G_N_ELEMENTS (paths); i++)
    if (connect_to (link, paths[i]))
      return TRUE;
  return FALSE;
}

gboolean
gst_psp_view_link_flush (GstPspViewLink * link)
{
  ssize_t n;

  while (link->fd >= 0 && link->sent < link->used) {
    n = send (link->fd, link->text + link->sent, link->used - link->sent,
        MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0)
      link->sent += n;
    else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return FALSE;
    else if (n < 0 && errno != EINTR)
      hang_up (link);
  }
  link->used = link->sent = 0;
  return link->fd >= 0;
}
