/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encodertable.h"

/* Short words for the table's columns. */
#define BIT ENCODER_UNIT_BIT
#define KBIT ENCODER_UNIT_KBIT
#define FLAG ENCODER_CHANGES_BY_FLAG
#define YES ENCODER_CHANGES
#define NO ENCODER_CHANGES_NOT

/* Source: the elements' code in GStreamer 1.22 to 1.29, gst-omx,
 * gst-plugins-rs. FLAG: the flag GST_PARAM_MUTABLE_PLAYING decides. YES:
 * set_property reconfigures the running encoder; some release lacks the flag.
 * NO: the encoder reads the value only at start; if a later release sets the
 * flag, the flag decides. The first match whose property exists counts. */
static const EncoderEntry entries[] = {
  {"x264enc", "bitrate", NULL, KBIT, FLAG},
  {"x265enc", "bitrate", NULL, KBIT, FLAG},
  {"openh264enc", "bitrate", NULL, BIT, FLAG},
  {"vp8enc", "target-bitrate", NULL, BIT, YES},
  {"vp9enc", "target-bitrate", NULL, BIT, YES},
  {"av1enc", "target-bitrate", NULL, KBIT, YES},
  {"svtav1enc", "target-bitrate", NULL, KBIT, NO},
  {"svthevcenc", "bitrate", NULL, KBIT, YES},
  {"rav1enc", "bitrate", NULL, BIT, NO},
  {"theoraenc", "bitrate", NULL, KBIT, FLAG},
  {"mpeg2enc", "bitrate", NULL, KBIT, NO},
  {"avenc_*", "bitrate", NULL, BIT, NO},

  {"nvv4l2*enc", "bitrate", NULL, BIT, YES},
  {"nv*enc", "bitrate", NULL, KBIT, FLAG},
  {"vaapi*enc", "bitrate", NULL, KBIT, FLAG},
  {"vaav1*enc", "bitrate", NULL, KBIT, FLAG},
  {"vah26*enc", "bitrate", NULL, KBIT, FLAG},
  {"vavp*enc", "bitrate", NULL, KBIT, FLAG},
  {"msdk*enc", "bitrate", NULL, KBIT, FLAG},
  {"qsv*enc", "bitrate", NULL, KBIT, YES},
  {"amf*enc", "bitrate", NULL, KBIT, FLAG},
  {"vulkan*enc", "bitrate", NULL, KBIT, FLAG},
  {"d3d12*enc", "bitrate", NULL, KBIT, YES},
  {"mfh264*", "bitrate", NULL, KBIT, YES},
  {"mfh265*", "bitrate", NULL, KBIT, YES},
  {"mfvp9*", "bitrate", NULL, KBIT, YES},
  {"vtenc_*", "bitrate", NULL, KBIT, YES},
  {"amcvidenc-*", "bitrate", NULL, BIT, FLAG},
  {"omx*enc", "target-bitrate", NULL, BIT, FLAG},
  {"v4l2*enc", "bitrate", NULL, BIT, FLAG},
  {"v4l2*enc", "extra-controls", "video_bitrate", BIT, YES},
  {"vpuenc_*", "bitrate", NULL, KBIT, YES},
  {"qtic2venc", "target-bitrate", NULL, BIT, YES},

  {"opusenc", "bitrate", NULL, BIT, FLAG},
};

/* There is no entry for an encoder whose properties that limit frames stay as
 * they are at start, or bound only a mean: x265enc, openh264enc (max-bitrate
 * makes it skip frames), theoraenc, av1enc, svtav1enc, avenc_*, vaapi*. */
static const EncoderLimitEntry limits[] = {
  {"x264enc", "vbv-buf-capacity", ENCODER_LIMIT_MILLISECONDS, FLAG},
  {"vp8enc", "max-intra-bitrate", ENCODER_LIMIT_PERCENT, YES},
  {"vp9enc", "max-intra-bitrate", ENCODER_LIMIT_PERCENT, YES},
  {"nv*enc", "vbv-buffer-size", ENCODER_LIMIT_KBIT, FLAG},
  {"va*enc", "cpb-size", ENCODER_LIMIT_KBIT, FLAG},
};

/* Factories of encoders that make their bitrate for the frames/s of their caps,
 * whatever the times of the pictures. Measured: x264enc and x265enc do, vp8enc
 * and openh264enc do not. */
static const gchar *const count_frames[] = { "x264enc", "x265enc" };

gboolean
encoder_table_counts_frames (const gchar * factory)
{
  guint i;

  for (i = 0; factory && i < G_N_ELEMENTS (count_frames); i++) {
    if (g_str_equal (count_frames[i], factory))
      return TRUE;
  }
  return FALSE;
}

const EncoderLimitEntry *
encoder_table_find_limit (const gchar * factory, GObjectClass * klass)
{
  guint i;

  for (i = 0; factory && i < G_N_ELEMENTS (limits); i++) {
    if (g_pattern_match_simple (limits[i].factory, factory)
        && g_object_class_find_property (klass, limits[i].property))
      return &limits[i];
  }
  return NULL;
}

const EncoderEntry *
encoder_table_find (const gchar * factory, GObjectClass * klass,
    const gchar * property)
{
  guint i;

  for (i = 0; factory && i < G_N_ELEMENTS (entries); i++) {
    const EncoderEntry *entry = &entries[i];

    if (g_pattern_match_simple (entry->factory, factory)
        && (!property || g_str_equal (entry->property, property))
        && g_object_class_find_property (klass, entry->property))
      return entry;
  }
  return NULL;
}
