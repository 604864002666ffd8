/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "driver.h"

#include <gst/check/gstcheck.h>
#include <gst/congestion/congestion.h>

#include <string.h>

static void
find_loop (TestDriver * d)
{
  for (guint i = 1; i < d->stream->frames->len; i++) {
    if (test_stream_frame (d->stream, i)->type != M2V_PICTURE_I)
      continue;
    if (d->loop_begin == 0)
      d->loop_begin = i;
    d->loop_end = i;
  }
}

TestDriver *
test_driver_new (const TestStream * s, const gchar * mode,
    const gchar * properties)
{
  TestDriver *d = g_new0 (TestDriver, 1);

  d->stream = s;
  d->h = gst_harness_new ("mpegscaler");
  d->fates = g_array_new (FALSE, FALSE, sizeof (TestFate));
  d->bytes = g_byte_array_new ();
  find_loop (d);
  gst_harness_set_src_caps (d->h, test_stream_caps (s));
  gst_util_set_object_arg (G_OBJECT (d->h->element), "mode", mode);
  g_object_set (d->h->element, "follow-events", FALSE, NULL);
  if (properties)
    test_driver_set (d, properties);
  return d;
}

void
test_driver_free (TestDriver * d)
{
  gst_harness_teardown (d->h);
  g_array_unref (d->fates);
  g_byte_array_unref (d->bytes);
  g_free (d);
}

void
test_driver_set (TestDriver * d, const gchar * properties)
{
  gchar **words = g_strsplit (properties, " ", -1);

  for (guint i = 0; words[i]; i++) {
    gchar **pair = g_strsplit (words[i], "=", 2);

    gst_util_set_object_arg (G_OBJECT (d->h->element), pair[0], pair[1]);
    g_strfreev (pair);
  }
  g_strfreev (words);
}

static void
keep (TestDriver * d, TestFate * fate)
{
  GstBuffer *buffer;
  GstMapInfo map;

  while ((buffer = gst_harness_try_pull (d->h))) {
    if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
      fail ("a buffer that cannot be read");
    g_byte_array_append (d->bytes, map.data, map.size);
    fate->size_out += map.size;
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
}

static gint
current_scale (const TestDriver * d)
{
  GstStructure *stats;
  gint scale = -2;

  g_object_get (d->h->element, "stats", &stats, NULL);
  gst_structure_get_int (stats, "scale", &scale);
  gst_structure_free (stats);
  return scale;
}

void
test_driver_feed (TestDriver * d, guint begin, guint end)
{
  for (guint i = begin; i < end; i++) {
    const TestFrame *f = test_stream_frame (d->stream, i);
    GstBuffer *buffer = test_stream_buffer (d->stream, i, 1);
    TestFate fate = { 0, };

    fate.number = i;
    fate.begin = d->now;
    fate.duration = m2v_fields_time (&d->stream->sequence, f->n_fields);
    fate.size_in = f->size;
    d->now += fate.duration;
    GST_BUFFER_DTS (buffer) = fate.begin;
    if (d->discont)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    else if (d->fates->len > 0)
      GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
    d->discont = FALSE;
    if (gst_harness_push (d->h, buffer) != GST_FLOW_OK)
      fail ("frame %u", i);
    keep (d, &fate);
    fate.scale = current_scale (d);
    g_array_append_val (d->fates, fate);
  }
}

static guint
next_frame (const TestDriver * d)
{
  guint next;

  if (d->fates->len == 0)
    return 0;
  next = test_driver_fate (d, d->fates->len - 1)->number + 1;
  return next == d->loop_end ? d->loop_begin : next;
}

void
test_driver_run (TestDriver * d, GstClockTime duration)
{
  const GstClockTime end = d->now + duration;
  guint i = next_frame (d);

  while (d->now < end || test_stream_frame (d->stream, i)->type
      != M2V_PICTURE_I) {
    test_driver_feed (d, i, i + 1);
    i = next_frame (d);
  }
}

void
test_driver_event (TestDriver * d, gint scale, gint64 target)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);

  gst_congestion_info_set_scale (info, scale);
  if (target >= 0)
    gst_congestion_info_set_target_bitrate (info, target);
  fail_unless (gst_harness_push_upstream_event (d->h,
          gst_congestion_event_new (info)));
  gst_congestion_info_free (info);
}

TestFate *
test_driver_fate (const TestDriver * d, guint i)
{
  g_assert (i < d->fates->len);
  return &g_array_index (d->fates, TestFate, i);
}

static gboolean
begins_group (const TestDriver * d, guint i)
{
  return test_stream_frame (d->stream, test_driver_fate (d, i)->number)->type
      == M2V_PICTURE_I;
}

gboolean
test_driver_group (const TestDriver * d, guint i, TestGroup * group)
{
  gsize in = 0, out = 0;

  memset (group, 0, sizeof *group);
  while (i < d->fates->len && !begins_group (d, i))
    i++;
  group->begin = i;
  for (; i < d->fates->len && (i == group->begin || !begins_group (d, i)); i++) {
    const TestFate *f = test_driver_fate (d, i);

    in += f->size_in;
    out += f->size_out;
    group->duration += f->duration;
  }
  group->end = i;
  if (i >= d->fates->len)
    return FALSE;
  group->rate_in = gst_util_uint64_scale (in * 8, GST_SECOND, group->duration);
  group->rate_out =
      gst_util_uint64_scale (out * 8, GST_SECOND, group->duration);
  return TRUE;
}

gsize
test_driver_sent (const TestDriver * d, guint i)
{
  gsize size = 0;

  for (; i < d->fates->len; i++)
    size += test_driver_fate (d, i)->size_out;
  return size;
}

guint64
test_driver_count (const TestDriver * d, const gchar * field)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (d->h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value), "no %s", field);
  gst_structure_free (stats);
  return value;
}

gdouble
test_driver_number (const TestDriver * d, const gchar * field)
{
  GstStructure *stats;
  gdouble value = 0;

  g_object_get (d->h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_double (stats, field, &value), "no %s", field);
  gst_structure_free (stats);
  return value;
}

gint64
test_stream_rate (const TestStream * s)
{
  GstClockTime duration = 0;

  for (guint i = 0; i < s->frames->len; i++)
    duration += m2v_fields_time (&s->sequence,
        test_stream_frame (s, i)->n_fields);
  return gst_util_uint64_scale (s->size * 8, GST_SECOND, duration);
}
