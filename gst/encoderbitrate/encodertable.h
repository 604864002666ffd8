/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What is known of the encoders there are.
 */
#ifndef __ENCODER_TABLE_H__
#define __ENCODER_TABLE_H__

#include "encoders.h"

G_BEGIN_DECLS

/* Does a running encoder obey a change of its bitrate property? */
typedef enum
{
  ENCODER_FOLLOWS_BY_FLAG,
  ENCODER_FOLLOWS,
  ENCODER_FOLLOWS_NOT
} EncoderFollows;

typedef struct
{
  const gchar *factory;         /* name, * for any characters */
  const gchar *property;
  const gchar *field;           /* in a GstStructure property, or NULL */
  EncoderUnit unit;
  EncoderFollows follows;
} EncoderEntry;

/* property is NULL for the encoder's own. */
const EncoderEntry *encoder_table_find (const gchar * factory,
    GObjectClass * klass, const gchar * property);

G_END_DECLS

#endif
