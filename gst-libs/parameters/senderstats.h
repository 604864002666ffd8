/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the property stats says of a sender, in every element that has one.
 */
#ifndef PARAMETERS_SENDERSTATS_H
#define PARAMETERS_SENDERSTATS_H

#include <gst/gst.h>

#include <control/sender.h>

G_BEGIN_DECLS

/* Of a sender that does not run: nothing is known. */
void gst_psp_sender_stats_init (PspSenderStats * stats);
/* G_MAXUINT64 stands for unknown and for none. The caller owns the
 * structure, and adds what its element alone has. */
GstStructure *gst_psp_sender_stats_to_structure (const gchar * name,
    const gchar * controller, const PspSenderStats * stats);

G_END_DECLS

#endif
