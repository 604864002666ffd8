/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Describes the bitrate properties of existing encoders.
 */
#ifndef __ENCODER_TABLE_H__
#define __ENCODER_TABLE_H__

#include "encoders.h"

G_BEGIN_DECLS

/* Whether a running encoder follows a change of its bitrate property. */
typedef enum
{
  ENCODER_CHANGES_BY_FLAG,
  ENCODER_CHANGES,
  ENCODER_CHANGES_NOT
} EncoderChanges;

typedef struct
{
  const gchar *factory;         /* name; * stands for any characters */
  const gchar *property;
  /* name of the field, for a property of type GstStructure, else NULL */
  const gchar *field;
  EncoderUnit unit;
  EncoderChanges changes;
} EncoderEntry;

typedef struct
{
  const gchar *factory;
  const gchar *property;
  EncoderLimitUnit unit;
  EncoderChanges changes;
} EncoderLimitEntry;

/* Returns the entry of an encoder, or NULL. If `property` is NULL, the entry's
 * own property is used. */
const EncoderEntry *encoder_table_find (const gchar * factory,
    GObjectClass * klass, const gchar * property);
/* Returns NULL if the encoder has no property that limits its frames. */
const EncoderLimitEntry *encoder_table_find_limit (const gchar * factory,
    GObjectClass * klass);
/* TRUE if the encoder's bitrate is for the frames/s of its caps, and FALSE if
 * it is by time, as of encoders that are not known. */
gboolean encoder_table_counts_frames (const gchar * factory);

G_END_DECLS

#endif
