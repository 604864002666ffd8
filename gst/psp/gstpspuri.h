/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * psp://host:port?property=value&… for both elements.
 */
#ifndef __GST_PSP_URI_H__
#define __GST_PSP_URI_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* Sets the element's `host_property` and "port" from the URI, and each query
 * parameter's property. A parameter that only the other end has (other_end,
 * NULL-terminated) is ignored; an unknown or unreadable one, a missing port or
 * another scheme is a GST_URI_ERROR, and nothing is set. */
gboolean gst_psp_uri_apply (GstElement * element, const gchar * uri,
    const gchar * host_property, const gchar * const *other_end,
    GError ** error);

/* FALSE: the number, not below 0, is no port. */
gboolean gst_psp_uri_check_port (gint port, GError ** error);

/* psp://host:port with IPv6 addresses in brackets; free with g_free(). */
gchar *gst_psp_uri_format (const gchar * host, guint port);

G_END_DECLS

#endif
