/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Elements that look like encoders: one bitrate property each, buffers pass.
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

void test_encoder_register (const TestEncoder * encoder);

/* The property's value as text, and how often it was set; free with g_free. */
gchar *test_encoder_get (GstElement * element, guint * n_sets);

#endif
