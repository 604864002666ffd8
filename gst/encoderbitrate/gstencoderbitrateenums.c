/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstencoderbitrateenums.h"

#include "framelimit.h"

GType
gst_encoder_bitrate_unit_get_type (void)
{
  static const GEnumValue values[] = {
    {ENCODER_UNIT_AUTO, "As known of the encoder", "auto"},
    {ENCODER_UNIT_BIT, "Bits per second", "bps"},
    {ENCODER_UNIT_KBIT, "Kilobits (1000 bits) per second", "kbps"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstEncoderBitrateUnit", values));
  return type;
}

GType
gst_encoder_bitrate_limit_get_type (void)
{
  static const GEnumValue values[] = {
    {LIMIT_FRAMES_FALSE, "Leave the encoder's property alone", "false"},
    {LIMIT_FRAMES_TRUE, "Limit frames, whatever the property says", "true"},
    {LIMIT_FRAMES_AUTO, "Only where the property has its default", "auto"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstEncoderBitrateLimit", values));
  return type;
}
