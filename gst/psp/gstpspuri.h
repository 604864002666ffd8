/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The URIs psp://host:port?property=value&… of both elements.
 */
#ifndef __GST_PSP_URI_H__
#define __GST_PSP_URI_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* Sets the element's `host_property` and "port" from the URI, and the property
 * of each query parameter. Ignores parameters that only the other end has
 * (`other_end`, NULL-terminated). An unknown or invalid parameter, a missing
 * port or another scheme is a GST_URI_ERROR; then nothing is set. */
gboolean gst_psp_uri_apply (GstElement * element, const gchar * uri,
    const gchar * host_property, const gchar * const *other_end,
    GError ** error);

/* Returns FALSE with an error if the number (0 or more) is no port. */
gboolean gst_psp_uri_check_port (gint port, GError ** error);

/* Returns psp://host:port, with an IPv6 address in brackets; free it with
 * g_free(). */
gchar *gst_psp_uri_format (const gchar * host, guint port);

G_END_DECLS

#endif
