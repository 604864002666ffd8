/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "stream.h"

#include <gst/check/gstcheck.h>

#include <string.h>

TestStream *
test_stream_load (const gchar * path)
{
  gchar *full = strchr (path, '/') ? g_strdup (path)
      : g_build_filename (TEST_FILES_DIR, path, NULL);
  gchar *data;
  gsize size;
  GError *error = NULL;
  gboolean ok = g_file_get_contents (full, &data, &size, &error);

  fail_unless (ok, "%s", ok ? "" : error->message);
  g_free (full);
  return test_stream_cut ((guint8 *) data, size);
}

static void
add_frame (TestStream * s, const M2vFrame * frame, gsize begin, gsize second)
{
  TestFrame f = { 0, };

  f.type = frame->valid ? frame->type : 0;
  f.temporal_reference = frame->temporal_reference;
  f.starts_group = frame->starts_group;
  f.closed_group = frame->closed_group;
  f.n_fields = frame->n_fields;
  f.begin = s->frames->len ? begin : 0;
  f.second = frame->n_pictures > 1 ? second - f.begin : 0;
  g_array_append_val (s->frames, f);
}

TestStream *
test_stream_cut (guint8 * data, gsize size)
{
  TestStream *s = g_new0 (TestStream, 1);
  M2vAssembler *assembler = m2v_assembler_new ();
  const M2vStamp stamp = { M2V_TIME_NONE, M2V_TIME_NONE, false };
  M2vSplitter splitter;
  M2vPicture span;
  M2vFrame before, frame;
  gsize position = 0, first = 0, end;
  guint i, got;

  s->data = data;
  s->size = size;
  s->frames = g_array_new (FALSE, FALSE, sizeof (TestFrame));
  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, data, size, &position, &span)) {
    if (!s->sequence.width && splitter.has_sequence)
      s->sequence = splitter.sequence;
    if (span.kind != M2V_SPAN_PICTURE)
      continue;
    got = m2v_assembler_push (assembler, &splitter, &span, &stamp, &before,
        &frame);
    if (got & M2V_ASSEMBLED_UNPAIRED)
      add_frame (s, &before, first, 0);
    if (got & M2V_ASSEMBLED_FRAME)
      add_frame (s, &frame, frame.n_pictures > 1 ? first : span.begin,
          span.begin);
    first = span.begin;
  }
  if (m2v_assembler_finish (assembler, &frame))
    add_frame (s, &frame, first, 0);
  m2v_assembler_free (assembler);

  end = size;
  for (i = s->frames->len; i-- > 0;) {
    TestFrame *f = &g_array_index (s->frames, TestFrame, i);

    f->size = end - f->begin;
    end = f->begin;
  }
  return s;
}

void
test_stream_free (TestStream * s)
{
  g_array_unref (s->frames);
  g_free (s->data);
  g_free (s);
}

const TestFrame *
test_stream_frame (const TestStream * s, guint i)
{
  g_assert (i < s->frames->len);
  return &g_array_index (s->frames, TestFrame, i);
}

GstClockTime
test_stream_frame_duration (const TestStream * s)
{
  return m2v_fields_time (&s->sequence, 2);
}

GArray *
test_stream_display_order (const TestStream * s, const gint * present)
{
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));
  guint i, anchor = 0;
  gboolean waits = FALSE;

  for (i = 0; i < s->frames->len; i++) {
    if (present && !present[i])
      continue;
    if (test_stream_frame (s, i)->type == M2V_PICTURE_B) {
      g_array_append_val (order, i);
      continue;
    }
    if (waits)
      g_array_append_val (order, anchor);
    anchor = i;
    waits = TRUE;
  }
  if (waits)
    g_array_append_val (order, anchor);
  return order;
}

GstBuffer *
test_stream_buffer (const TestStream * s, guint i, guint n)
{
  const TestFrame *first = test_stream_frame (s, i);
  const TestFrame *last = test_stream_frame (s, i + n - 1);
  gsize size = last->begin + last->size - first->begin;
  GstBuffer *buffer = gst_buffer_new_memdup (s->data + first->begin, size);

  GST_BUFFER_OFFSET (buffer) = i;
  GST_BUFFER_DTS (buffer) = m2v_fields_time (&s->sequence, 2 * (gint64) i);
  if (i == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (first->type != M2V_PICTURE_I)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  return buffer;
}

GstCaps *
test_stream_caps (const TestStream * s)
{
  return gst_caps_new_simple ("video/mpeg",
      "mpegversion", G_TYPE_INT, s->sequence.mpeg2 ? 2 : 1,
      "systemstream", G_TYPE_BOOLEAN, FALSE,
      "parsed", G_TYPE_BOOLEAN, TRUE,
      "width", G_TYPE_INT, s->sequence.width,
      "height", G_TYPE_INT, s->sequence.height,
      "framerate", GST_TYPE_FRACTION, s->sequence.frame_rate_num,
      s->sequence.frame_rate_den, NULL);
}
