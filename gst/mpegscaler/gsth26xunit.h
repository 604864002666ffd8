/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The NAL units of an access unit that are not slices.
 */
#ifndef __GST_H26X_UNIT_H__
#define __GST_H26X_UNIT_H__

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  GST_H26X_UNIT_DELIMITER,      /* access unit delimiter */
  GST_H26X_UNIT_PARAMETERS,     /* parameter set */
  GST_H26X_UNIT_FILLER          /* filler data */
} GstH26xUnitKind;

/* A NAL unit with its start code or length. */
typedef struct
{
  GstH26xUnitKind kind;
  gsize offset, size;
} GstH26xUnit;

G_END_DECLS

#endif
