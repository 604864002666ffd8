/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Elements that look like encoders: a bitrate property each, and one that limits
 * frames; buffers pass.
 */
#ifndef __TEST_ENCODER_H__
#define __TEST_ENCODER_H__

#include <gst/gst.h>

typedef struct
{
  const gchar *factory;
  const gchar *klass;
  const gchar *property;        /* NULL = none */
  GType type;
  const gchar *blurb;
  GParamFlags flags;            /* beside writable */
  gint64 min, max;
} TestEncoder;

/* A guint, default 0. */
typedef struct
{
  const gchar *property;        /* NULL = none */
  GParamFlags flags;            /* beside writable */
} TestLimit;

/* Both stay the caller's, for good; the limit may be NULL. */
void test_encoder_register (const TestEncoder * encoder,
    const TestLimit * limit);

/* The property's value as text, and how often it was set; free with g_free. */
gchar *test_encoder_get (GstElement * element, guint * n_sets);

#endif
