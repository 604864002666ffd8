/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Functions that the info (congestioninfo.c) and the structure that carries it
 * (congestion.c) share; not installed.
 */
#ifndef __GST_CONGESTION_PRIVATE_H__
#define __GST_CONGESTION_PRIVATE_H__

#include "congestion.h"

G_BEGIN_DECLS

/* Returns the nick of a reason that exists. */
const gchar *gst_congestion_reason_to_nick (GstCongestionReason reason);
/* Returns FALSE if no reason has this nick. */
gboolean gst_congestion_reason_from_nick (const gchar * nick,
    GstCongestionReason * reason);

G_END_DECLS

#endif
