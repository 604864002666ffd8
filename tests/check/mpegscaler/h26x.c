/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * H.264 and H.265 through mpegscaler: each picture that passes is shown once,
 * and is bit for bit what the source's is (FFmpeg). Streams are made by the
 * encoders that are installed.
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/congestion/congestion.h>

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "../avdecode.h"
#include "../rounds.h"
#include "stream.h"
#include "sums.h"

#define N_FRAMES 120
#define RATE 25
#define N_FILM_FRAMES 240
#define FILM_RATE 30
#define WALK_STEP 7

enum
{
  BRIEF = 1,                    /* a few plans will do */
  SECOND = 2,                   /* another decoder is asked as well */
  LONG = 4,
  FILM = 8,                     /* of a clip, and not of a pattern */
  LAYERS = 16                   /* by a program that writes a file */
};

typedef struct
{
  const gchar *name;
  const gchar *codec;           /* h264, h265 */
  const gchar *encoder;         /* with its properties */
  const gchar *format;
  guint how;                    /* of these */
} Source;

static const Source sources[] = {
  {"x264 default", "h264", "x264enc key-int-max=30 bitrate=300", "avc", 0},
  {"x264 pyramid", "h264",
        "x264enc key-int-max=30 bitrate=300 bframes=3 b-pyramid=true ref=4",
      "avc", 0},
  {"x264 one reference", "h264",
        "x264enc key-int-max=40 bitrate=300 bframes=3 b-pyramid=true ref=1",
      "byte-stream", 0},
  {"x264 zerolatency, slices", "h264",
      "x264enc key-int-max=25 bitrate=300 tune=zerolatency sliced-threads=true "
        "threads=4", "byte-stream", SECOND},
  {"x264 open groups", "h264",
      "x264enc key-int-max=24 bitrate=300 bframes=3 "
        "option-string=open-gop=1:bluray-compat=1", "byte-stream", 0},
  {"x264 interlaced", "h264",
      "x264enc key-int-max=30 bitrate=300 bframes=2 interlaced=true", "avc", 0},
  {"x264 intra refresh", "h264",
      "x264enc key-int-max=30 bitrate=300 intra-refresh=true", "avc", 0},
  {"x264 constant rate with filler", "h264",
      "x264enc key-int-max=30 bitrate=600 vbv-buf-capacity=300 bframes=2 "
        "option-string=nal-hrd=cbr:filler=1", "byte-stream", 0},
  {"x265 default", "h265", "x265enc key-int-max=30 bitrate=300", "hvc1",
      SECOND},
  {"x265 temporal layers", "h265",
        "x265enc key-int-max=30 bitrate=300 option-string=temporal-layers=1",
      "byte-stream", SECOND},
  {"x265 closed groups", "h265",
        "x265enc key-int-max=25 bitrate=300 option-string=no-open-gop=1",
      "hev1", SECOND},
  {"openh264", "h264", "openh264enc gop-size=30 bitrate=300000", "avc",
      SECOND},
  {"openh264 temporal layers", "h264", OPENH264_LAYERS, "byte-stream",
      LAYERS | SECOND},
#define OPEN(n, how) \
  {"x264 open groups of " #n, "h264", "x264enc key-int-max=" #n " bitrate=300 " \
      "bframes=3 option-string=open-gop=1", "avc3", how}
  OPEN (8, BRIEF),
  OPEN (12, BRIEF),
  OPEN (16, BRIEF),
  OPEN (40, BRIEF | LONG),
  OPEN (60, BRIEF | LONG),
#define REFERENCES(n) \
  {"x264 references " #n, "h264", "x264enc key-int-max=40 bitrate=300 " \
      "bframes=3 b-pyramid=true ref=" #n, "avc", BRIEF}
  REFERENCES (2),
  REFERENCES (3),
  REFERENCES (8),
  REFERENCES (12),
  REFERENCES (16),
  {"x264 strict pyramid", "h264", "x264enc key-int-max=40 bitrate=300 bframes=5 "
        "option-string=b-pyramid=strict:b-adapt=0", "avc", BRIEF},
  {"x264 as OBS asks", "h264", "x264enc speed-preset=veryfast key-int-max=50 "
        "bitrate=300 vbv-buf-capacity=1000 bframes=2 pass=cbr", "byte-stream",
      BRIEF},
  {"x265 long groups", "h265", "x265enc key-int-max=150 bitrate=300", "hvc1",
      BRIEF | LONG},
};

enum
{
  WALK = 5,                     /* scales before it */
  LATE = 9,                     /* scale 0 from the middle on */
  GAPS_LATE = 10,               /* with allow-gaps the same, and a walk */
  GAPS_WALK = 11,
  N_PLANS = 12
};

/* An access unit in coded order. */
typedef struct
{
  GstBuffer *buffer;
  GstClockTime pts;
} Unit;

typedef struct
{
  const Source *source;
  guint n_frames, rate;
  GArray *units;
  GstCaps *caps;
  GPtrArray *sums;              /* in order of presentation */
  GArray *times;                /* of these */
  gsize size;
} Stream;

/* Decoding */

/* FFmpeg's name of what a source is coded as. */
static const gchar *
coding (const Source * source)
{
  return strcmp (source->codec, "h265") == 0 ? "hevc" : "h264";
}

/* A new file's path. */
static gchar *
write_file (GByteArray * bytes)
{
  gchar *path;
  gint fd = g_file_open_tmp ("mpegscaler-XXXXXX", &path, NULL);

  fail_unless (fd >= 0);
  fail_unless (write (fd, bytes->data, bytes->len) == (gssize) bytes->len);
  close (fd);
  return path;
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  GstClockTime x = *(const GstClockTime *) a, y = *(const GstClockTime *) b;

  return x < y ? -1 : x > y;
}

/* What another decoder shows; FALSE: there is none here. */
static gboolean
decode_second (const gchar * codec, const gchar * path, gchar ** pictures,
    gsize * size)
{
  static const gchar *const programs[] = { "libde265-dec265", "gst-launch-1.0" };
  gboolean h265 = strcmp (codec, "h265") == 0;
  GstElementFactory *factory = h265 ? NULL :
      gst_element_factory_find ("openh264dec");
  gchar *program = g_find_program_in_path (programs[!h265]);
  gchar *out, *command;
  gboolean found = program && (h265 || factory);

  if (found) {
    out = g_strdup_printf ("%s.yuv", path);
    command = h265 ? g_strdup_printf ("%s -q -o %s %s", program, out, path)
        : g_strdup_printf ("%s -q filesrc location=%s ! h264parse ! openh264dec "
        "! filesink location=%s", program, path, out);
    fail_unless (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
    fail_unless (g_file_get_contents (out, pictures, size, NULL), "%s", command);
    g_unlink (out);
    g_free (command);
    g_free (out);
  }
  gst_clear_object (&factory);
  g_free (program);
  return found;
}

/* A second decoder shows the pictures with these sums, which are FFmpeg's. */
static void
compare_second (const gchar * codec, const gchar * path, GPtrArray * sums,
    const gchar * what)
{
  gchar *pictures;
  gsize all, size;
  guint wrong = 0;

  if (!decode_second (codec, path, &pictures, &all)) {
    g_print ("skipped: %s: no second decoder of %s here\n", what, codec);
    return;
  }
  fail_unless (all > 0 && all % sums->len == 0, "%s: another decoder shows %"
      G_GSIZE_FORMAT " bytes, FFmpeg %u pictures", what, all, sums->len);
  size = all / sums->len;
  for (guint i = 0; i < sums->len; i++) {
    gchar *sum = g_compute_checksum_for_data (G_CHECKSUM_MD5,
        (guchar *) pictures + i * size, size);

    wrong += strcmp (sum, sums->pdata[i]) != 0;
    g_free (sum);
  }
  fail_unless (wrong == 0, "%s: another decoder shows %u of %u pictures "
      "otherwise than FFmpeg", what, wrong, sums->len);
  g_free (pictures);
}

static void
append_buffer (GByteArray * bytes, GstBuffer * buffer)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_byte_array_append (bytes, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

/* Making streams */

static gboolean
have_encoder (const Source * source)
{
  gchar **words = g_strsplit (source->encoder, " ", 2);
  GstElementFactory *factory;

  if (source->how & LAYERS) {
    g_strfreev (words);
    if (!source->encoder[0])
      g_print ("skipped: %s: built without libopenh264-dev\n", source->name);
    return source->encoder[0] != '\0';
  }
  factory = gst_element_factory_find (words[0]);
  if (!factory)
    g_print ("skipped: %s: no %s here\n", source->name, words[0]);
  g_strfreev (words);
  if (factory)
    gst_object_unref (factory);
  return factory != NULL;
}

/* And the decoder that says what its pictures are. */
static gboolean
can_make (const Source * source)
{
  return avdecode_present () && have_encoder (source);
}

/* What a harness behind `elements` gives for the units. */
static GByteArray *
to_byte_stream (const Stream * s, GstHarness * h, GArray * times)
{
  GByteArray *bytes = g_byte_array_new ();
  GstBuffer *buffer;

  (void) s;
  while ((buffer = gst_harness_try_pull (h))) {
    append_buffer (bytes, buffer);
    if (times && GST_BUFFER_PTS_IS_VALID (buffer)
        && (times->len == 0 || g_array_index (times, GstClockTime,
                times->len - 1) != GST_BUFFER_PTS (buffer)))
      g_array_append_val (times, GST_BUFFER_PTS (buffer));
    gst_buffer_unref (buffer);
  }
  return bytes;
}

static void
decode_source (Stream * s)
{
  gchar *launch = g_strdup_printf ("%sparse ! capsfilter caps=video/x-%s,"
      "stream-format=byte-stream,alignment=au", s->source->codec,
      s->source->codec), *path;
  GstHarness *h = gst_harness_new_parse (launch);
  GByteArray *bytes;

  gst_harness_set_src_caps (h, gst_caps_ref (s->caps));
  for (guint i = 0; i < s->units->len; i++) {
    Unit *unit = &g_array_index (s->units, Unit, i);

    g_array_append_val (s->times, unit->pts);
    gst_harness_push (h, gst_buffer_ref (unit->buffer));
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  bytes = to_byte_stream (s, h, NULL);
  s->size = bytes->len;
  path = write_file (bytes);
  s->sums = test_sums_of_file (coding (s->source), path);
  g_unlink (path);
  g_free (path);
  g_array_sort (s->times, compare_times);
  fail_unless_equals_int (s->sums->len, s->n_frames);
  g_byte_array_unref (bytes);
  gst_harness_teardown (h);
  g_free (launch);
}

static gchar *
describe_pictures (const Stream * s)
{
  if (s->source->how & FILM)
    return g_strdup ("filesrc location=" TEST_FILES_DIR
        "/walk-720x480p30-4M.m2v ! mpegvideoparse ! avdec_mpeg2video ! videoscale "
        "! video/x-raw,width=352,height=240");
  return g_strdup_printf ("videotestsrc num-buffers=%u pattern=zone-plate kx2=20 "
      "ky2=20 kt=3 ! video/x-raw,format=I420,width=176,height=144,"
      "framerate=%u/1", s->n_frames, s->rate);
}

/* From a file of the program's, which the caller deletes. */
static gchar *
describe_layers (const Stream * s, gchar ** path)
{
  gint fd = g_file_open_tmp ("mpegscaler-XXXXXX", path, NULL), status;
  gchar *command;

  fail_unless (fd >= 0);
  close (fd);
  command = g_strdup_printf ("%s %s %u", s->source->encoder, *path, s->n_frames);
  fail_unless (g_spawn_command_line_sync (command, NULL, NULL, &status, NULL)
      && g_spawn_check_wait_status (status, NULL), "%s", command);
  g_free (command);
  return g_strdup_printf ("filesrc location=%s ! "
      "video/x-h264,stream-format=byte-stream,framerate=%u/1", *path, s->rate);
}

static Stream *
stream_new (const Source * source)
{
  Stream *s = g_new0 (Stream, 1);
  gchar *pictures, *launch, *path = NULL;
  GstHarness *h;
  GstEvent *event;
  GstBuffer *buffer;

  s->source = source;
  s->n_frames = source->how & FILM ? N_FILM_FRAMES : source->how & LONG ?
      4 * N_FRAMES : N_FRAMES;
  s->rate = source->how & FILM ? FILM_RATE : RATE;
  pictures = source->how & LAYERS ? describe_layers (s, &path)
      : describe_pictures (s);
  launch = g_strdup_printf ("%s ! %s ! %sparse ! capsfilter caps=video/x-%s,"
      "stream-format=%s,alignment=au", pictures, path ? "identity" :
      source->encoder, source->codec, source->codec, source->format);
  h = gst_harness_new_parse (launch);
  s->units = g_array_new (FALSE, FALSE, sizeof (Unit));
  s->times = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  gst_harness_play (h);
  while ((event = gst_harness_pull_event (h))) {
    gboolean ended = GST_EVENT_TYPE (event) == GST_EVENT_EOS;

    gst_event_unref (event);
    if (ended)
      break;
  }
  while ((buffer = gst_harness_try_pull (h))) {
    Unit unit = { buffer, GST_BUFFER_PTS (buffer) };

    /* A file has no times, and these pictures are shown as they are coded. */
    if (source->how & LAYERS)
      unit.pts = GST_BUFFER_PTS (buffer) = s->units->len * GST_SECOND / s->rate;
    g_array_append_val (s->units, unit);
  }
  s->caps = gst_pad_get_current_caps (h->sinkpad);
  gst_harness_teardown (h);
  g_free (launch);
  g_free (pictures);
  if (path)
    g_unlink (path);
  g_free (path);
  decode_source (s);
  return s;
}

static void
stream_free (Stream * s)
{
  for (guint i = 0; i < s->units->len; i++)
    gst_buffer_unref (g_array_index (s->units, Unit, i).buffer);
  g_array_unref (s->units);
  g_array_unref (s->times);
  g_ptr_array_unref (s->sums);
  gst_caps_unref (s->caps);
  g_free (s);
}

/* Scaling */

static const Source *
find_source (const gchar * name)
{
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    if (strcmp (sources[i].name, name) == 0)
      return &sources[i];
  fail ("%s", name);
  return NULL;
}

static guint64
count (GstElement * scaler, const gchar * field)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (scaler, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value), "%s", field);
  gst_structure_free (stats);
  return value;
}

static void
step_walk (const Stream * s, GstHarness * h, GRand * rand)
{
  GstCongestionInfo *info =
      gst_congestion_info_new (GST_CONGESTION_REASON_LOSS);
  gdouble rate = s->size * 8.0 * s->rate / s->n_frames;
  gint kind = g_rand_int_range (rand, 0, 10);

  if (kind < 3)
    gst_congestion_info_set_scale (info, g_rand_int_range (rand, 0, 5));
  else if (kind < 9)
    gst_congestion_info_set_target_bitrate (info,
        rate * g_rand_double_range (rand, 0.05, 1.2));
  else
    gst_congestion_info_set_target_bitrate (info, 0);
  gst_harness_push_upstream_event (h, gst_congestion_event_new (info));
  gst_congestion_info_free (info);
}

/* What passed by a plan. */
typedef struct
{
  gchar *what;
  gchar *path;                  /* a byte-stream */
  GArray *times;
} Passed;

/* The pictures that passed, in order of presentation, are the source's. */
static void
compare (const Stream * s, const Passed * passed, GPtrArray * sums)
{
  GArray *times = passed->times;
  guint n = 0, wrong = 0;

  g_array_sort (times, compare_times);
  for (guint i = 0; i < s->times->len && n < times->len; i++) {
    if (g_array_index (s->times, GstClockTime, i)
        != g_array_index (times, GstClockTime, n))
      continue;
    if (n < sums->len)
      wrong += g_strcmp0 (g_ptr_array_index (sums, n),
          g_ptr_array_index (s->sums, i)) != 0;
    n++;
  }
  fail_unless (n == times->len, "%s: a time that is not the source's",
      passed->what);
  fail_unless (sums->len == times->len && wrong == 0,
      "%s: %u pictures passed, %u shown, %u of them differ", passed->what,
      times->len, sums->len, wrong);
  if (s->source->how & SECOND)
    compare_second (s->source->codec, passed->path, sums, passed->what);
}

static gboolean
is_late (gint plan)
{
  return plan == LATE || plan == GAPS_LATE;
}

static void
set_plan (GstElement * scaler, gint plan)
{
  if (plan < WALK || is_late (plan))
    g_object_set (scaler, "follow-events", FALSE, "scale",
        plan < WALK ? plan : -1, NULL);
  g_object_set (scaler, "allow-gaps", plan >= GAPS_LATE, NULL);
}

static void
run_plan (const Stream * s, gint plan, Passed * passed)
{
  gchar *launch = g_strdup_printf ("mpegscaler name=scaler ! %sparse ! "
      "capsfilter caps=video/x-%s,stream-format=byte-stream,alignment=au",
      s->source->codec, s->source->codec);
  GstHarness *h = gst_harness_new_parse (launch);
  GstElement *scaler = gst_bin_get_by_name (GST_BIN (h->element), "scaler");
  GRand *rand = g_rand_new_with_seed (plan);
  GByteArray *bytes;

  set_plan (scaler, plan);
  gst_harness_set_src_caps (h, gst_caps_ref (s->caps));
  for (guint i = 0; i < s->units->len; i++) {
    if (plan >= WALK && !is_late (plan) && i % WALK_STEP == 0)
      step_walk (s, h, rand);
    if (is_late (plan) && i == s->n_frames / 2)
      g_object_set (scaler, "scale", 0, NULL);
    fail_unless_equals_int (gst_harness_push (h,
            gst_buffer_ref (g_array_index (s->units, Unit, i).buffer)),
        GST_FLOW_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  passed->what = g_strdup_printf ("%s, plan %d", s->source->name, plan);
  passed->times = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  bytes = to_byte_stream (s, h, passed->times);
  passed->path = write_file (bytes);
  fail_unless_equals_uint64 (count (scaler, "frames-passed"),
      passed->times->len);
  fail_unless_equals_uint64 (count (scaler, "frames-unreadable"), 0);
  g_byte_array_unref (bytes);
  g_rand_free (rand);
  gst_object_unref (scaler);
  gst_harness_teardown (h);
  g_free (launch);
}

static void
clear_passed (Passed * passed)
{
  g_array_unref (passed->times);
  g_unlink (passed->path);
  g_free (passed->path);
  g_free (passed->what);
}

static void
run_plans (const Stream * s)
{
  gboolean gaps = strcmp (s->source->codec, "h264") == 0;
  /* With fewer rounds the brief plans are enough. */
  gboolean brief = (s->source->how & BRIEF) || !test_taken (1);
  guint half = s->n_frames / 2, n = 0, n_passed[N_PLANS] = { 0 };
  const gchar *paths[N_PLANS];
  Passed passed[N_PLANS];
  GPtrArray *sums;

  for (gint plan = 0; plan < N_PLANS; plan++)
    if ((gaps || plan < GAPS_LATE) && (!brief || plan % WALK == 0
            || plan == LATE)) {
      run_plan (s, plan, &passed[n]);
      n_passed[plan] = passed[n].times->len;
      paths[n] = passed[n].path;
      n++;
    }
  sums = test_sums_of_files (coding (s->source), paths, n);
  for (guint i = 0; i < n; i++) {
    if (passed[i].times->len > 0)
      compare (s, &passed[i], sums->pdata[i]);
    clear_passed (&passed[i]);
  }
  g_ptr_array_unref (sums);
  fail_unless (brief || n_passed[4] == s->n_frames);
  /* References before pictures that are no IDR go with allow-gaps alone. */
  if (!strstr (s->source->encoder, "open-gop") || !gaps)
    return;
  fail_unless (n_passed[LATE] > half * 12 / 10
      && n_passed[GAPS_LATE] < n_passed[LATE], "%u of %u, %u with gaps",
      n_passed[LATE], s->n_frames, n_passed[GAPS_LATE]);
}

GST_START_TEST (test_pictures)
{
  const Source *source = &sources[__i__];
  Stream *s;

  if (!test_taken (__i__) || !can_make (source))
    return;
  s = stream_new (source);
  run_plans (s);
  stream_free (s);
}

GST_END_TEST;

/* Targets: of each group no more leaves than they give, if its random-access
 * picture is no more; and the least share of pictures that passes at 55 %, of a
 * clip with two scenes that pan and walk. */
#define FILM_SOURCE(name, codec, options, least) \
  {{name, "h" codec, "x" codec "enc key-int-max=60 bitrate=1200 " options, \
          "byte-stream", FILM}, least}

static const struct
{
  Source source;
  guint least;                  /* percent */
} targets[] = {
  FILM_SOURCE ("x264 zerolatency", "264", "tune=zerolatency", 50),
  FILM_SOURCE ("x264 pyramid", "264", "bframes=3 b-pyramid=true ref=3", 30),
  FILM_SOURCE ("x264 open groups", "264", "bframes=3 option-string=open-gop=1",
      0),
  FILM_SOURCE ("x265 default", "265", "speed-preset=veryfast", 25),
};

typedef struct
{
  guint n, passed;              /* pictures */
  GstClockTime duration;
  gsize key, bytes;             /* its random-access picture; what leaves */
} Group;

static gboolean
is_floor (GstHarness * h)
{
  GstStructure *stats;
  gboolean value = FALSE;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_boolean (stats, "floor", &value));
  gst_structure_free (stats);
  return value;
}

/* Groups that are shorter than those before are paid back by the next ones. Neither
 * the first one counts, of which nobody knows how long it is, nor the last, which
 * is cut off. Returns how many of a hundred pictures pass. */
static guint
run_target (const Stream * s, guint percent)
{
  guint64 target = s->size * G_GUINT64_CONSTANT (8) * s->rate / s->n_frames
      * percent / 100;
  GstHarness *h = gst_harness_new ("mpegscaler");
  guint n_groups = 0, longest = 0;
  Group g = { 0 }, all = { 0 };

  g_object_set (h->element, "follow-events", FALSE, "target-bitrate", target,
      "allow-gaps", TRUE, NULL);
  gst_harness_set_src_caps (h, gst_caps_ref (s->caps));
  for (guint i = 0; i < s->units->len; i++) {
    GstBuffer *in = g_array_index (s->units, Unit, i).buffer, *out;

    if (!GST_BUFFER_FLAG_IS_SET (in, GST_BUFFER_FLAG_DELTA_UNIT)) {
      guint64 limit = gst_util_uint64_scale (target, g.duration,
          8 * GST_SECOND);

      fail_unless (n_groups < 2 || g.n < longest || g.key > limit
          || g.bytes <= limit || is_floor (h), "%s, %u %%: %u of %u bytes",
          s->source->name, percent, (guint) g.bytes, (guint) limit);
      longest = MAX (longest, g.n);
      all.n += n_groups > 1 ? g.n : 0;
      all.passed += n_groups > 1 ? g.passed : 0;
      n_groups++;
      memset (&g, 0, sizeof g);
      g.key = gst_buffer_get_size (in);
    }
    g.n++;
    g.duration += GST_BUFFER_DURATION (in);
    gst_harness_push (h, gst_buffer_ref (in));
    out = gst_harness_try_pull (h);
    g.bytes += out ? gst_buffer_get_size (out) : 0;
    g.passed += out != NULL;
    gst_clear_buffer (&out);
  }
  fail_unless (all.n > 0);
  gst_harness_teardown (h);
  return 100 * all.passed / all.n;
}

GST_START_TEST (test_targets)
{
  const Source *source = &targets[__i__].source;
  guint passed;
  Stream *s;

  if (!can_make (source))
    return;
  s = stream_new (source);
  for (guint percent = 40; percent < 80; percent += 15) {
    /* Of fewer the middle one is enough. */
    if (percent != 55 && !test_taken (1))
      continue;
    passed = run_target (s, percent);
    g_print ("%s at %u %%: %u %% of pictures\n", source->name, percent, passed);
    fail_unless (percent != 55 || passed >= targets[__i__].least);
  }
  stream_free (s);
}

GST_END_TEST;

static GstHarness *
start (const Stream * s, const gchar * mode)
{
  GstHarness *h = gst_harness_new ("mpegscaler");

  gst_util_set_object_arg (G_OBJECT (h->element), "mode", mode);
  g_object_set (h->element, "follow-events", FALSE, "scale", 2, NULL);
  gst_harness_set_src_caps (h, gst_caps_ref (s->caps));
  return h;
}

static guint
push_all (const Stream * s, GstHarness * h)
{
  guint n = 0;

  for (guint i = 0; i < s->units->len; i++) {
    GstBuffer *in = g_array_index (s->units, Unit, i).buffer, *out;

    fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (in)),
        GST_FLOW_OK);
    out = gst_harness_try_pull (h);
    if (!out)
      continue;
    /* Its memory is the source's, its place is new. */
    fail_unless (gst_buffer_peek_memory (out, 0) ==
        gst_buffer_peek_memory (in, 0));
    fail_unless (gst_buffer_get_coded_picture_meta (out) != NULL);
    fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (out,
            GST_BUFFER_FLAG_DELTA_UNIT), GST_BUFFER_FLAG_IS_SET (in,
            GST_BUFFER_FLAG_DELTA_UNIT));
    gst_buffer_unref (out);
    n++;
  }
  return n;
}

/* Modes that recode are for MPEG-1 and MPEG-2: one says so, and both drop. */
GST_START_TEST (test_modes)
{
  static const gchar *const modes[] = { "drop", "auto", "requantize" };
  GstMessage *message;
  guint passed[3], warnings[3] = { 0 };
  Stream *s;

  if (!can_make (&sources[0]))
    return;
  s = stream_new (&sources[0]);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    GstHarness *h = start (s, modes[i]);
    GstBus *bus = gst_bus_new ();

    gst_element_set_bus (h->element, bus);
    passed[i] = push_all (s, h);
    while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
      warnings[i]++;
      gst_message_unref (message);
    }
    gst_element_set_bus (h->element, NULL);
    gst_object_unref (bus);
    gst_harness_teardown (h);
  }
  fail_unless (passed[0] > 0 && passed[0] < N_FRAMES);
  fail_unless (passed[1] == passed[0] && passed[2] == passed[0]);
  fail_unless (warnings[0] == 0 && warnings[1] == 0 && warnings[2] == 1);
  stream_free (s);
}

GST_END_TEST;

/* From MPEG-2 to H.264 and back, while playing: each is scaled, all is counted,
 * and what leaves goes on to be numbered. */
GST_START_TEST (test_codec_change)
{
  TestStream *mpeg = test_stream_load ("ocean-176x96p30-500k.m2v");
  GstHarness *h;
  guint64 before;
  guint passed;
  Stream *s;

  if (!can_make (&sources[0])) {
    test_stream_free (mpeg);
    return;
  }
  s = stream_new (&sources[0]);
  h = start (s, "drop");
  passed = push_all (s, h);
  before = count (h->element, "frames-passed");
  fail_unless_equals_uint64 (before, passed);
  fail_unless_equals_uint64 (count (h->element, "frames-h26x"), N_FRAMES);

  gst_harness_set_src_caps (h, test_stream_caps (mpeg));
  for (guint i = 0; i < mpeg->frames->len; i++)
    gst_harness_push (h, test_stream_buffer (mpeg, i, 1));
  fail_unless (count (h->element, "frames-i") > 0);
  fail_unless (count (h->element, "frames-passed") > before);
  while (gst_harness_buffers_in_queue (h) > 0) {
    GstBuffer *out = gst_harness_pull (h);

    fail_unless_equals_uint64 (gst_buffer_get_coded_picture_meta (out)->id,
        passed++);
    gst_buffer_unref (out);
  }
  gst_harness_set_src_caps (h, gst_caps_ref (s->caps));
  push_all (s, h);
  fail_unless_equals_uint64 (count (h->element, "frames-h26x"), 2 * N_FRAMES);
  fail_unless_equals_uint64 (count (h->element, "frames-passed"),
      passed + before);
  gst_harness_teardown (h);
  stream_free (s);
  test_stream_free (mpeg);
}

GST_END_TEST;

/* From H.264 to H.265 and back, while playing: each begins anew. */
GST_START_TEST (test_h26x_change)
{
  static const gchar *const names[] = { "x264 default", "x265 closed groups" };
  guint64 passed = 0;
  GstHarness *h;
  Stream *s[2];

  for (guint i = 0; i < 2; i++)
    if (!can_make (find_source (names[i])))
      return;
  for (guint i = 0; i < 2; i++)
    s[i] = stream_new (find_source (names[i]));
  h = start (s[0], "drop");
  for (guint i = 0; i < 4; i++) {
    guint n;

    gst_harness_set_src_caps (h, gst_caps_ref (s[i % 2]->caps));
    n = push_all (s[i % 2], h);
    fail_unless (n > 0 && n < N_FRAMES);
    passed += n;
    fail_unless_equals_uint64 (count (h->element, "frames-passed"), passed);
    fail_unless_equals_uint64 (count (h->element, "frames-h26x"),
        (i + 1) * N_FRAMES);
    fail_unless_equals_uint64 (count (h->element, "frames-unreadable"), 0);
  }
  gst_harness_teardown (h);
  stream_free (s[0]);
  stream_free (s[1]);
}

GST_END_TEST;

static const struct
{
  const gchar *codec, *sink;
} negotiations[] = {
  {"h264", "qtmux"}, {"h264", "mpegtsmux"}, {"h264", "rtph264pay"},
  {"h264", "matroskamux"}, {"h265", "qtmux"}, {"h265", "mpegtsmux"},
  {"h265", "rtph265pay"}, {"h265", "matroskamux"}
};

/* Formats and alignments that others choose are those without the element. */
GST_START_TEST (test_negotiation)
{
  const gchar *codec = negotiations[__i__].codec;
  static const gchar *const fields[] = { "stream-format", "alignment" };
  gchar *chosen[2][2] = { {NULL} };

  if (!have_encoder (find_source (strcmp (codec, "h264") == 0 ?
              "x264 default" : "x265 default")))
    return;
  for (guint with = 0; with < 2; with++) {
    gchar *launch = g_strdup_printf ("videotestsrc num-buffers=10 ! "
        "video/x-raw,width=64,height=64 ! x%senc ! h%sparse ! %s ! "
        "%s name=sink ! fakesink", codec + 1, codec + 1,
        with ? "mpegscaler" : "identity", negotiations[__i__].sink);
    GstElement *pipeline = gst_parse_launch (launch, NULL), *sink;
    GstBus *bus = gst_element_get_bus (pipeline);
    GstMessage *message;
    GstCaps *caps;
    GstPad *pad;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s", launch);
    gst_message_unref (message);
    sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    pad = GST_PAD (sink->sinkpads->data);
    caps = gst_pad_get_current_caps (pad);
    for (guint i = 0; i < 2; i++)
      chosen[with][i] = g_strdup (gst_structure_get_string
          (gst_caps_get_structure (caps, 0), fields[i]));
    gst_caps_unref (caps);
    gst_object_unref (sink);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (bus);
    gst_object_unref (pipeline);
    g_free (launch);
  }
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_string (chosen[0][i], chosen[1][i]);
    g_free (chosen[0][i]);
    g_free (chosen[1][i]);
  }
}

GST_END_TEST;

static Suite *
h26x_suite (void)
{
  Suite *s = suite_create ("mpegscaler-h26x");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_pictures, 0, G_N_ELEMENTS (sources));
  tcase_add_loop_test (tc, test_targets, 0, G_N_ELEMENTS (targets));
  tcase_add_test (tc, test_modes);
  tcase_add_test (tc, test_codec_change);
  tcase_add_test (tc, test_h26x_change);
  tcase_add_loop_test (tc, test_negotiation, 0,
      G_N_ELEMENTS (negotiations));
  return s;
}

GST_CHECK_MAIN (h26x);
