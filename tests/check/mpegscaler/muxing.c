/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "muxing.h"

#include <gst/check/gstcheck.h>

#include <glib/gstdio.h>
#include <string.h>

#include <mpeg2/splitter.h>

#include "../avdecode.h"
#include "sums.h"

const TestSink test_sinks[TEST_N_SINKS] = {
  {"filesink", "", "mpegvideo"},
  {"mpegtsmux", "mpegtsmux ! ", NULL},
  {"mpegpsmux", "mpegpsmux ! ", NULL},
  {"matroskamux", "matroskamux ! ", NULL},
  {"rtpmpegvideopay", "rtpmpegvideopay ! rtpmpegvideodepay ! ", "mpegvideo"},
};

static gchar *directory;

gchar *
test_muxing_path (const gchar * name)
{
  return g_build_filename (directory, name, NULL);
}

gchar *
test_muxing_missing (const TestSource * source, const TestSink * sink)
{
  gchar *program = g_find_program_in_path ("ffmpeg");
  gchar *description = g_strdup_printf ("%s ! mpegvideoparse ! %s fakesink",
      source->demuxer, sink->elements);
  GError *error = NULL;
  GstElement *bin = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, &error);
  gchar *reason = NULL;

  if (!program)
    reason = g_strdup ("ffmpeg is not installed");
  else if (!avdecode_present ())
    reason = g_strdup ("nothing decodes");
  else if (!bin)
    reason = g_strdup (error->message);
  g_clear_error (&error);
  gst_clear_object (&bin);
  g_free (description);
  g_free (program);
  return reason;
}

void
test_muxing_make (const TestSource * source, const gchar * path)
{
  gchar *argv[] = { (gchar *) "sh", (gchar *) "-c", (gchar *) source->command,
    NULL
  };
  gchar **environment = g_get_environ ();
  GError *error = NULL;
  gint status = -1;

  environment = g_environ_setenv (environment, "out", path, TRUE);
  environment = g_environ_setenv (environment, "files", TEST_FILES_DIR, TRUE);
  fail_unless (g_spawn_sync (NULL, argv, environment, G_SPAWN_SEARCH_PATH, NULL,
          NULL, NULL, NULL, &status, &error)
      && g_spawn_check_wait_status (status, &error), "%s: %s", source->name,
      error ? error->message : "");
  g_strfreev (environment);
}

/* What enters and leaves the element. */
typedef struct
{
  GHashTable *given;            /* PTS that came in */
  GstClockTime dts_in, dts_out; /* the last ones */
  gboolean in_order;            /* DTS that came in */
  guint n_timeless;             /* came in without PTS and DTS */
  gboolean recodes;             /* the element codes what is shown, anew */
  M2vSplitter splitter;
  gchar *wrong;                 /* what was first, or NULL */
} Watch;

static GstPadProbeReturn
note_input (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClockTime pts, dts;
  Watch *w = data;

  (void) pad;
  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER)) {
    if (GST_EVENT_TYPE (info->data) == GST_EVENT_SEGMENT)
      w->dts_in = GST_CLOCK_TIME_NONE;
    return GST_PAD_PROBE_OK;
  }
  pts = GST_BUFFER_PTS (buffer);
  dts = GST_BUFFER_DTS (buffer);
  g_hash_table_add (w->given, g_memdup2 (&pts, sizeof pts));
  if (GST_CLOCK_TIME_IS_VALID (dts)) {
    w->in_order &= !GST_CLOCK_TIME_IS_VALID (w->dts_in) || dts >= w->dts_in;
    w->dts_in = dts;
  } else if (!GST_CLOCK_TIME_IS_VALID (pts)) {
    w->n_timeless++;
  }
  /* Times that are made up for more than an I and a P may run ahead. */
  w->in_order &= w->n_timeless <= 2;
  return GST_PAD_PROBE_OK;
}

static gboolean
begins_with_intra (Watch * w, GstBuffer * buffer)
{
  gboolean intra = FALSE, found = FALSE;
  gsize position = 0;
  M2vPicture span;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  while (m2v_splitter_next (&w->splitter, map.data, map.size, &position,
          &span)) {
    intra |= !found && span.valid && span.header.type == M2V_PICTURE_I;
    found |= span.kind == M2V_SPAN_PICTURE;
  }
  gst_buffer_unmap (buffer, &map);
  return intra;
}

static const gchar *
find_wrong (Watch * w, const GstSegment * segment, GstBuffer * buffer)
{
  GstClockTime pts = GST_BUFFER_PTS (buffer), dts = GST_BUFFER_DTS (buffer);
  gboolean delta = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  gboolean own = GST_CLOCK_TIME_IS_VALID (pts)
      && !g_hash_table_contains (w->given, &pts);

  if (begins_with_intra (w, buffer) == delta)
    return "is marked as a key frame, or is not, and should not be, or should";
  if (own && !gst_segment_clip (segment, GST_FORMAT_TIME, pts, pts, NULL, NULL))
    return "has a PTS of its own outside the segment";
  /* Muxers take the PTS for it, which is too late for what B precede. */
  if (own && !GST_CLOCK_TIME_IS_VALID (dts)
      && (!GST_CLOCK_TIME_IS_VALID (w->dts_out) || pts >= w->dts_out))
    return "has a PTS of its own and no DTS";
  if (!GST_CLOCK_TIME_IS_VALID (dts))
    return NULL;
  if (own && dts > pts)
    return "has a DTS behind its PTS";
  /* Behind a cut B may be shown before an anchor, and be of a later time. */
  if (w->in_order && GST_CLOCK_TIME_IS_VALID (w->dts_out) && dts < w->dts_out
      && dts >= segment->start && !(w->recodes && dts == pts))
    return "has a DTS before the last one";
  w->dts_out = dts;
  return NULL;
}

static GstPadProbeReturn
check_output (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const GstSegment *segment;
  const gchar *wrong;
  GstEvent *event;
  Watch *w = data;

  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER)) {
    if (GST_EVENT_TYPE (info->data) == GST_EVENT_SEGMENT)
      w->dts_out = GST_CLOCK_TIME_NONE;
    return GST_PAD_PROBE_OK;
  }
  event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  gst_event_parse_segment (event, &segment);
  if (segment->format == GST_FORMAT_TIME) {
    wrong = find_wrong (w, segment, buffer);
    if (wrong && !w->wrong)
      w->wrong = g_strdup_printf ("what is at %" GST_TIME_FORMAT ", DTS %"
          GST_TIME_FORMAT ", %s", GST_TIME_ARGS (GST_BUFFER_PTS (buffer)),
          GST_TIME_ARGS (GST_BUFFER_DTS (buffer)), wrong);
  }
  gst_event_unref (event);
  return GST_PAD_PROBE_OK;
}

static void
watch (GstElement * pipeline, Watch * w)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  GstPad *sink = gst_element_get_static_pad (element, "sink");
  GstPad *src = gst_element_get_static_pad (element, "src");

  memset (w, 0, sizeof *w);
  w->given = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  w->dts_in = w->dts_out = GST_CLOCK_TIME_NONE;
  w->in_order = TRUE;
  w->recodes = g_str_equal (GST_OBJECT_NAME (gst_element_get_factory
          (element)), "mpegtranscoder");
  m2v_splitter_init (&w->splitter);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_input, w, NULL);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, check_output, w, NULL);
  gst_object_unref (sink);
  gst_object_unref (src);
  gst_object_unref (element);
}

/* How many frames mpegtranscoder has counted as lost. */
static guint64
count_lost (GstElement * pipeline)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  GstStructure *stats = NULL;
  guint64 dropped = 0, undecodable = 0;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "frames-dropped", G_TYPE_UINT64,
          &dropped, "frames-undecodable", G_TYPE_UINT64, &undecodable, NULL));
  gst_structure_free (stats);
  gst_object_unref (element);
  return dropped + undecodable;
}

/* Plays to the end. What left is wrong: says so. `lost` gets how many frames
 * mpegtranscoder says are lost; NULL for other elements. */
static gchar *
play (const gchar * description, TestPrepare prepare, gpointer data,
    guint64 * lost)
{
  GstElement *pipeline = gst_parse_launch (description, NULL);
  GstMessage *message;
  GstBus *bus;
  Watch w;

  fail_unless (pipeline != NULL, "%s", description);
  watch (pipeline, &w);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  if (prepare)
    prepare (pipeline, data);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_message_unref (message);
  gst_object_unref (bus);
  if (lost)
    *lost = count_lost (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_hash_table_unref (w.given);
  return w.wrong;
}

static GPtrArray *
run (const gchar * before, const gchar * element, const TestSink * sink,
    TestPrepare prepare, gpointer data, guint64 * lost)
{
  gchar *path = test_muxing_path ("out"), *wrong, *description;
  GPtrArray *hashes;

  g_unlink (path);
  description = g_strdup_printf ("%s ! %s name=e ! %s filesink location=%s",
      before, element, sink->elements, path);
  wrong = play (description, prepare, data, lost);
  fail_unless (wrong == NULL || g_str_equal (element, "identity"), "%s: %s",
      description, wrong);
  hashes = test_sums_of_file (sink->format, path);
  g_unlink (path);
  g_free (wrong);
  g_free (description);
  g_free (path);
  return hashes;
}

GPtrArray *
test_muxing_run (const gchar * before, const gchar * element,
    const TestSink * sink, TestPrepare prepare, gpointer data)
{
  return run (before, element, sink, prepare, data, NULL);
}

/* How many of the source's pictures are among them, in order, each once. */
static guint
count_found (const GPtrArray * source, const GPtrArray * hashes)
{
  guint next = 0, found = 0, i, k;

  for (i = 0; i < hashes->len; i++) {
    for (k = next; k < source->len; k++)
      if (g_str_equal (source->pdata[k], hashes->pdata[i]))
        break;
    if (k < source->len) {
      next = k + 1;
      found++;
    }
  }
  return found;
}

void
test_muxing_compare (const gchar * what, const TestSink * sink,
    const GPtrArray * source, const GPtrArray * without, const GPtrArray * with)
{
  guint n_without = count_found (source, without);
  guint n_with = count_found (source, with);

  if (n_without < source->len)
    g_print ("%s, %s: %u pictures of %u even with identity\n", what,
        sink->name, n_without, source->len);
  fail_unless (n_with >= n_without, "%s, %s: %u pictures; with identity %u",
      what, sink->name, n_with, n_without);
  fail_unless (with->len <= MAX (source->len, without->len),
      "%s, %s: %u pictures, of %u", what, sink->name, with->len, source->len);
}

guint64
test_muxing_transcode (const gchar * what, const gchar * before,
    const TestSink * sink, TestPrepare prepare, gpointer data,
    const GPtrArray * without)
{
  GstElementFactory *factory = gst_element_factory_find ("mpegtranscoder");
  guint64 lost = 0;
  GPtrArray *coded;

  if (!factory) {
    g_print ("%s: skipped: no element mpegtranscoder\n", what);
    return 0;
  }
  coded = run (before, "mpegtranscoder", sink, prepare, data, &lost);
  fail_unless (coded->len + lost >= without->len, "%s, %s: %u pictures of "
      "mpegtranscoder, %" G_GUINT64_FORMAT " lost; with identity %u", what,
      sink->name, coded->len, lost, without->len);
  g_ptr_array_unref (coded);
  gst_object_unref (factory);
  return lost;
}

void
test_muxing_begin (void)
{
  directory = g_dir_make_tmp ("mpegscaler-XXXXXX", NULL);
  fail_unless (directory != NULL);
}

void
test_muxing_end (void)
{
  GDir *dir = g_dir_open (directory, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    gchar *path = test_muxing_path (name);

    g_unlink (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (directory);
  g_clear_pointer (&directory, g_free);
}
