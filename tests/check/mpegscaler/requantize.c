/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * mode=requantize by what leaves: rates, decodable pictures, changes of the
 * target, ends and beginnings.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "../mpeg2/decoding.h"
#include "../rounds.h"
#include "driver.h"
#include <mpeg2/patch.h>
#include "quality.h"
#include <ratecontrol/vbv.h>

#define WALK "walk-720x480p30-4M.m2v"
#define SINTEL "sintel-720x480-pulldown-4M.m2v"
#define FIELDS "bbb-352x576i25-fields-3M.m2v"
#define MPEG1 "bbb-352x288p25-1100k.m1v"
#define OCEAN "ocean-176x96p30-500k.m2v"

static const gchar *const names[] = { WALK, SINTEL, FIELDS, MPEG1, OCEAN };

#define N_STREAMS G_N_ELEMENTS (names)

static const guint percents[] = { 75, 50, 35 };

/* Of whole groups, from the target; all that can be met. */
#define TOLERANCE .05

/* A source with so little more than the target is not wholly recoded, and what it
 * leaves is the next group's. */
#define ENOUGH 1.1

static gboolean
group_counts (const TestDriver * d, const TestGroup * before,
    const TestGroup * group, gint64 target)
{
  /* the loop's cut to another scene */
  if (test_driver_fate (d, group->begin)->number == d->loop_begin)
    return FALSE;
  return before->rate_in > target * ENOUGH && group->rate_in > target * ENOUGH
      && ABS ((gint64) (group->duration - before->duration)) < GST_MSECOND;
}

/* All whole groups from the fate `from` on but `n_free`. Returns how many there
 * were. */
static guint
check_groups (const TestDriver * d, guint from, guint n_free, gint64 target,
    gdouble tolerance)
{
  TestGroup before = { 0, }, group;
  guint n = 0, n_groups = 0;

  for (; test_driver_group (d, from, &group); from = group.end) {
    gdouble error = (gdouble) group.rate_out / target - 1;

    if (n_groups++ >= n_free && group_counts (d, &before, &group, target)) {
      fail_unless (ABS (error) <= tolerance, "group at %" GST_TIME_FORMAT
          ": %.3f of the target beyond it", GST_TIME_ARGS (test_driver_fate (d,
                  group.begin)->begin), error);
      n++;
    }
    before = group;
  }
  return n;
}

static gint64
part_of_rate (const TestStream * s, guint percent)
{
  return test_stream_rate (s) * percent / 100;
}

static void
set_target (TestDriver * d, gint64 target)
{
  g_object_set (d->h->element, "target-bitrate", (guint64) target, NULL);
}

static void
set_vbv_delays (guint8 * data, gsize size, guint delay)
{
  M2vSplitter splitter;
  M2vPicture p;
  gsize position = 0;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, data, size, &position, &p)) {
    if (p.kind != M2V_SPAN_PICTURE)
      continue;
    fail_unless (m2v_patch_vbv_delay (data + p.begin + p.headers.offset,
            p.headers.size, delay));
  }
}

/* Without a target, and with one that the source keeps, nothing is touched but
 * vbv_delay. */
static const gchar *const idle[][2] = {
  {"requantize", NULL},
  {"auto", NULL},
  {"requantize", "target-bitrate=20000000"},
  {"auto", "target-bitrate=20000000"},
  {"requantize", "scale=0"},
};

GST_START_TEST (test_untouched)
{
  const gchar *const *settings = idle[__i__ / N_STREAMS];
  const gchar *name = names[__i__ % N_STREAMS];
  TestStream *s = test_stream_load (name);
  TestDriver *d = test_driver_new (s, settings[0], settings[1]);

  set_vbv_delays (s->data, s->size, 12345);
  test_driver_feed (d, 0, s->frames->len);
  set_vbv_delays (s->data, s->size, M2V_VBV_DELAY_VARIABLE);
  fail_unless_equals_uint64 (d->bytes->len, s->size);
  fail_unless (memcmp (d->bytes->data, s->data, s->size) == 0);
  fail_unless_equals_uint64 (test_driver_count (d, "pictures-recoded"), 0);
  fail_unless (test_driver_count (d, "pictures-passed") >= s->frames->len);
  fail_unless_equals_uint64 (test_driver_count (d, "bytes-out"), s->size);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

static guint
count_pictures (const guint8 * data, gsize size)
{
  M2vSplitter splitter;
  M2vPicture p;
  gsize position = 0;
  guint n = 0;

  m2v_splitter_init (&splitter);
  while (m2v_splitter_next (&splitter, data, size, &position, &p)) {
    if (p.kind != M2V_SPAN_PICTURE)
      continue;
    fail_unless (p.valid);
    fail_unless_equals_int (p.header.vbv_delay, M2V_VBV_DELAY_VARIABLE);
    n++;
  }
  return n;
}

/* Frames that are replaced vary the rate as well: before the first has been and
 * in those that pass, too. */
GST_START_TEST (test_repeated)
{
  TestStream *s = test_stream_load (names[__i__]);
  TestDriver *d = test_driver_new (s, "drop", "repeat-dropped=true");
  guint n_pictures;

  set_vbv_delays (s->data, s->size, M2V_VBV_DELAY_VARIABLE);
  n_pictures = count_pictures (s->data, s->size);
  set_vbv_delays (s->data, s->size, 12345);
  test_driver_feed (d, 0, s->frames->len / 2);
  fail_unless_equals_uint64 (test_driver_count (d, "frames-replaced"), 0);
  g_object_set (d->h->element, "scale", 1, NULL);
  test_driver_feed (d, s->frames->len / 2, s->frames->len);
  fail_unless (test_driver_count (d, "frames-replaced") > 0);
  fail_unless_equals_int (count_pictures (d->bytes->data, d->bytes->len),
      n_pictures);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* In either mode, all frames passing, but for a B or two at a scene change, which
 * auto leaves out near the floor. */
#define MAX_LEFT_OUT .01

GST_START_TEST (test_rates)
{
  const gint i = __i__ / 2, n = G_N_ELEMENTS (percents);
  TestStream *s;
  TestDriver *d;
  gint64 target;
  guint64 passed;

  /* of another stream another mode */
  if (!test_taken (i / n + __i__))
    return;
  s = test_stream_load (names[i / n]);
  d = test_driver_new (s, __i__ % 2 ? "auto" : "requantize", NULL);
  target = part_of_rate (s, percents[i % n]);
  set_target (d, target);
  test_driver_run (d, 20 * GST_SECOND);
  fail_unless (check_groups (d, 0, 2, target, TOLERANCE) > 10);

  passed = test_driver_count (d, "frames-passed");
  fail_unless (passed <= d->fates->len
      && passed >= d->fates->len * (__i__ % 2 ? 1 - MAX_LEFT_OUT : 1));
  fail_unless_equals_uint64 (test_driver_count (d, "bytes-out"),
      test_driver_sent (d, 0));
  fail_unless_equals_uint64 (test_driver_count (d, "pictures-unreadable"), 0);
  fail_unless_equals_uint64 (test_driver_count (d, "pictures-recoded")
      + test_driver_count (d, "pictures-passed"),
      count_pictures (d->bytes->data, d->bytes->len));
  fail_unless (test_driver_number (d, "quantiser-out")
      >= test_driver_number (d, "quantiser-in"));
  fail_unless (test_driver_count (d, "wait") < GST_SECOND / 2);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* All coded pictures leave, and decoders show as many as of the source. */
GST_START_TEST (test_decodes)
{
  TestStream *s;
  TestDriver *d;
  GByteArray *source;

  if (!test_taken (__i__))
    return;
  s = test_stream_load (names[__i__ / G_N_ELEMENTS (percents)]);
  d = test_driver_new (s, "requantize", NULL);
  source = g_byte_array_new ();
  set_target (d, part_of_rate (s, percents[__i__ % G_N_ELEMENTS (percents)]));
  test_driver_feed (d, 0, s->frames->len);
  set_vbv_delays (s->data, s->size, M2V_VBV_DELAY_VARIABLE);
  fail_unless_equals_int (count_pictures (d->bytes->data, d->bytes->len),
      count_pictures (s->data, s->size));

  g_byte_array_append (source, s->data, s->size);
  g_byte_array_append (source, stream_end, sizeof stream_end);
  g_byte_array_append (d->bytes, stream_end, sizeof stream_end);
  for (Decoder decoder = 0; decoder < N_DECODERS; decoder++) {
    GPtrArray *before, *after;

    if (!decoder_present (decoder))
      continue;
    before = decode (decoder, source);
    after = decode (decoder, d->bytes);
    fail_unless (before->len > 0);
    fail_unless_equals_int (after->len, before->len);
    g_ptr_array_unref (before);
    g_ptr_array_unref (after);
  }
  g_byte_array_unref (source);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* A new target: from the next picture on. */

/* What leaves from the fate `from` on never exceeds the target by more than half a
 * second's. */
static void
check_bucket (const TestDriver * d, guint from, guint end, gint64 target)
{
  GstClockTime begin = test_driver_fate (d, from)->begin;
  gdouble sent = 0;

  for (guint i = from; i < end; i++) {
    const TestFate *f = test_driver_fate (d, i);
    gdouble seconds = (gdouble) (f->begin - begin) / GST_SECOND;

    sent += 8. * f->size_out;
    fail_unless (sent <= target * (seconds + .5), "at %g s: %g bits of %g",
        seconds, sent, target * seconds);
  }
}

typedef struct
{
  guint frames;                 /* before it */
  guint percent;                /* of the source's rate */
} Change;

static const Change changes[] = {
  {131, 50}, {97, 80}, {64, 40}, {200, 60}, {77, 35}, {123, 70}, {150, 100},
  {83, 45}, {150, 0}
};

GST_START_TEST (test_change)
{
  gboolean follows = __i__ % 2;
  guint from = 0, n_free = 2, n = 0;
  TestStream *s;
  TestDriver *d;
  gint64 target;

  if (!test_taken (__i__))
    return;
  s = test_stream_load (__i__ / 2 ? OCEAN : WALK);
  d = test_driver_new (s, "requantize", NULL);
  target = part_of_rate (s, 60);
  g_object_set (d->h->element, "follow-events", follows, "reserved-bitrate",
      G_GUINT64_CONSTANT (64000), "share", .5, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (changes); k++) {
    /* an event with a scale: it is of no account here */
    if (follows)
      test_driver_event (d, k % 5, 2 * target + 64000);
    else
      set_target (d, target);
    fail_unless_equals_uint64 (test_driver_count (d, "target-bitrate"), target);
    for (guint i = 0; i < changes[k].frames; i++) {
      guint last = d->fates->len;
      guint next = last ? test_driver_fate (d, last - 1)->number + 1 : 0;

      if (next == d->loop_end)
        next = d->loop_begin;
      test_driver_feed (d, next, next + 1);
    }
    if (target < test_stream_rate (s)) {
      n += check_groups (d, from, n_free, target, TOLERANCE);
      check_bucket (d, from, d->fates->len, target);
    }
    from = d->fates->len;
    n_free = 1;                 /* begun before */
    target = part_of_rate (s, changes[k].percent);
  }
  fail_unless (n > 30, "%u", n);
  fail_unless_equals_uint64 (test_driver_count (d, "frames-passed"),
      d->fates->len);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* A target of 0 lets nothing pass, in either mode, and an I comes first. */
GST_START_TEST (test_stop)
{
  TestStream *s = test_stream_load (WALK);
  TestDriver *d = test_driver_new (s, __i__ ? "auto" : "requantize",
      "follow-events=true reserved-bitrate=64000");
  gint64 target = part_of_rate (s, 50);
  guint from, i;

  test_driver_event (d, -1, target + 64000);
  test_driver_feed (d, 0, 100);
  /* nothing is this stream's, whatever the scale */
  test_driver_event (d, 3, 64000);
  test_driver_feed (d, 100, 140);
  for (i = 100; i < 140; i++)
    fail_unless_equals_uint64 (test_driver_fate (d, i)->size_out, 0);
  fail_unless_equals_uint64 (test_driver_count (d, "target-bitrate"), 0);

  test_driver_event (d, -1, target + 64000);
  test_driver_feed (d, 140, s->frames->len);
  for (from = 140; test_driver_fate (d, from)->size_out == 0; from++)
    fail_unless (test_stream_frame (s, from)->type != M2V_PICTURE_I);
  fail_unless_equals_int (test_stream_frame (s, from)->type, M2V_PICTURE_I);
  for (i = from; i < s->frames->len; i++) {
    /* B that lead the group refer to what is gone */
    gboolean leads = i <= from + 2 && i > from;

    fail_unless_equals_int (test_driver_fate (d, i)->size_out > 0, !leads);
  }
  check_bucket (d, from, d->fates->len, target);
  fail_unless (check_groups (d, from, 1, target, TOLERANCE) > 3);
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* From one mode to another while it plays: what leaves in `drop` is the source's,
 * and the rates of each are kept. */
GST_START_TEST (test_modes)
{
  static const gchar *const modes[] = { "requantize", "drop", "auto",
    "requantize", "auto", "drop", "requantize"
  };
  TestStream *s = test_stream_load (OCEAN);
  TestDriver *d = test_driver_new (s, "drop", "fill-target=true");
  gint64 target = part_of_rate (s, 55);
  guint64 dropped;

  set_target (d, target);
  test_driver_run (d, 3 * GST_SECOND);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    guint from = d->fates->len, k;
    gboolean drops = g_str_equal (modes[i], "drop");

    gst_util_set_object_arg (G_OBJECT (d->h->element), "mode", modes[i]);
    dropped = test_driver_count (d, "dropped-policy");
    test_driver_run (d, 4 * GST_SECOND + i * 130 * GST_MSECOND);
    for (k = from; drops && k < d->fates->len; k++)
      fail_unless (test_driver_fate (d, k)->size_out == 0
          || test_driver_fate (d, k)->size_out ==
          test_driver_fate (d, k)->size_in);
    if (!drops)
      fail_unless (check_groups (d, from, 1, target, TOLERANCE) > 3);
    fail_unless_equals_int (test_driver_count (d, "dropped-policy") > dropped,
        drops);
  }
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* Beginnings and ends */

static void
seek (TestDriver * d, GstClockTime to)
{
  const GstSegment *passed;
  GstSegment segment;
  GstEvent *event;

  gst_harness_push_event (d->h, gst_event_new_flush_start ());
  gst_harness_push_event (d->h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = to;
  gst_harness_push_event (d->h, gst_event_new_segment (&segment));
  event = gst_pad_get_sticky_event (d->h->sinkpad, GST_EVENT_SEGMENT, 0);
  fail_unless (event != NULL);
  gst_event_parse_segment (event, &passed);
  fail_unless (gst_segment_is_equal (passed, &segment));
  gst_event_unref (event);
  d->now = to;
}

static void
flush (TestDriver * d)
{
  seek (d, d->now);
}

/* Mean PSNR of what has left since `from` against the source's frames, decoded by
 * itself. */
static gdouble
quality_since (const TestDriver * d, guint from, gsize first_byte)
{
  const TestStream *s = d->stream;
  gint *present = g_new0 (gint, s->frames->len);
  GByteArray *bytes = g_byte_array_new ();
  M2vSplitter splitter;
  M2vPicture p;
  gsize position = 0;
  gdouble psnr;

  /* it may have but one sequence header */
  m2v_splitter_init (&splitter);
  fail_unless (m2v_splitter_next (&splitter, s->data, s->size, &position, &p));
  g_byte_array_append (bytes, s->data, p.sequence.offset + p.sequence.size);
  g_byte_array_append (bytes, d->bytes->data + first_byte,
      d->bytes->len - first_byte);
  for (guint i = from; i < d->fates->len; i++)
    present[test_driver_fate (d, i)->number] =
        test_driver_fate (d, i)->size_out > 0;
  psnr = test_quality (s, present, bytes->data, bytes->len, NULL);
  g_byte_array_unref (bytes);
  g_free (present);
  return psnr;
}

enum
{
  BREAK_FLUSH,
  BREAK_SEEK,
  BREAK_DISCONT,
  BREAK_STOP,
  BREAK_MODE,
  N_BREAKS
};

static void
interrupt (TestDriver * d, gint how)
{
  switch (how) {
    case BREAK_FLUSH:
      flush (d);
      break;
    case BREAK_SEEK:
      seek (d, 100 * GST_SECOND);
      break;
    case BREAK_DISCONT:
      d->discont = TRUE;
      break;
    case BREAK_STOP:
      g_object_set (d->h->element, "follow-events", TRUE, NULL);
      test_driver_event (d, -1, 0);
      test_driver_feed (d, 60, 70);
      g_object_set (d->h->element, "follow-events", FALSE, NULL);
      break;
    default:
      gst_util_set_object_arg (G_OBJECT (d->h->element), "mode", "drop");
      g_object_set (d->h->element, "target-bitrate", G_GUINT64_CONSTANT (0),
          NULL);
      test_driver_feed (d, 60, 70);
      gst_util_set_object_arg (G_OBJECT (d->h->element), "mode", "requantize");
  }
}

/* Behind a break nothing of before is made good: pictures are as good as those of
 * an element that has seen nothing before. */
GST_START_TEST (test_break)
{
  guint begin = 70, from;
  TestStream *s;
  TestDriver *fresh, *d;
  gint64 target;
  gdouble first, second;
  gsize at;

  if (!test_taken (__i__))
    return;
  s = test_stream_load (WALK);
  target = part_of_rate (s, 50);
  fresh = test_driver_new (s, "requantize", "drift-compensation=all");
  d = test_driver_new (s, "requantize", "drift-compensation=all");
  while (test_stream_frame (s, begin)->type != M2V_PICTURE_I)
    begin++;
  set_target (fresh, target);
  test_driver_feed (fresh, begin, begin + 36);
  set_target (d, target);
  test_driver_feed (d, 0, 30);
  interrupt (d, __i__);
  set_target (d, target);
  at = d->bytes->len;
  from = d->fates->len;
  test_driver_feed (d, begin, begin + 36);

  if (decoder_present (DECODER_FFMPEG)) {
    first = quality_since (fresh, 0, 0);
    second = quality_since (d, from, at);
    g_print ("behind a break %.2f dB, fresh %.2f dB\n", second, first);
    fail_unless (first > 25, "%g dB", first);
    fail_unless (second > first - .5, "%g, %g dB", first, second);
  }
  test_driver_free (d);
  test_driver_free (fresh);
  test_stream_free (s);
}

GST_END_TEST;

/* After seeks, forward, to the begin, and back, the rate is kept, by what has been
 * learned of the stream before; and what leaves is as good as of a new element. */
static const struct
{
  const gchar *mode, *properties;
} seeking[] = {
  {"requantize", "drift-compensation=p"},
  {"requantize", "drift-compensation=all"},
  {"auto", "drift-compensation=p"},
  {"auto", "drift-compensation=all"},
};

static guint
next_intra (const TestStream * s, guint i)
{
  while (test_stream_frame (s, i)->type != M2V_PICTURE_I)
    i++;
  return i;
}

static void
assert_as_good (const TestDriver * d, guint from, gsize at,
    const TestDriver * fresh)
{
  gdouble first, second;

  if (!decoder_present (DECODER_FFMPEG))
    return;
  first = quality_since (fresh, 0, 0);
  second = quality_since (d, from, at);
  g_print ("behind a seek %.2f dB, fresh %.2f dB\n", second, first);
  fail_unless (first > 25, "%g dB", first);
  fail_unless (second > first - .5, "%g, %g dB", first, second);
}

GST_START_TEST (test_seek)
{
  const gchar *mode = seeking[__i__].mode;
  const gchar *properties = seeking[__i__].properties;
  TestStream *s;
  TestDriver *d;
  gint64 target;
  guint to[3];

  if (!test_taken (__i__))
    return;
  s = test_stream_load (WALK);
  d = test_driver_new (s, mode, properties);
  target = part_of_rate (s, 50);
  to[0] = next_intra (s, 100);
  to[1] = 0;
  to[2] = next_intra (s, 40);
  set_target (d, target);
  test_driver_feed (d, 0, 33);
  for (guint i = 0; i < G_N_ELEMENTS (to); i++) {
    TestDriver *fresh = test_driver_new (s, mode, properties);
    guint from = d->fates->len;
    gsize at = d->bytes->len;

    set_target (fresh, target);
    test_driver_feed (fresh, to[i], to[i] + 60);
    seek (d, to[i] * 33 * GST_MSECOND);
    test_driver_feed (d, to[i], to[i] + 60);
    check_bucket (d, from, d->fates->len, target);
    fail_unless (check_groups (d, from, 0, target, TOLERANCE) >= 2);
    assert_as_good (d, from, at, fresh);
    test_driver_free (fresh);
  }
  test_driver_free (d);
  test_stream_free (s);
}

GST_END_TEST;

/* Nor does it matter what has been, where quantisers leave the rate control no
 * choice: what leaves from a P frame on is to the bit what a new element makes of
 * it, so that no error is taken out that is not in there. */
GST_START_TEST (test_break_exactly)
{
  static const gchar properties[] =
      "drift-compensation=all max-quantiser=12 target-bitrate=1";
  static const gint breaks[] =
      { BREAK_FLUSH, BREAK_SEEK, BREAK_DISCONT, BREAK_MODE };
  TestStream *s = test_stream_load (OCEAN);
  TestDriver *fresh = test_driver_new (s, "requantize", properties);
  TestDriver *d = test_driver_new (s, "requantize", properties);
  guint begin = 75;
  gsize at;

  while (test_stream_frame (s, begin)->type != M2V_PICTURE_P
      || test_stream_frame (s, begin - 3)->type == M2V_PICTURE_I)
    begin++;
  test_driver_feed (fresh, 0, 1);       /* the sequence header */
  flush (fresh);
  at = fresh->bytes->len;
  test_driver_feed (fresh, begin, s->frames->len);
  g_byte_array_remove_range (fresh->bytes, 0, at);
  test_driver_feed (d, 0, 30);
  interrupt (d, breaks[__i__]);
  test_driver_set (d, properties);
  at = d->bytes->len;
  test_driver_feed (d, begin, s->frames->len);
  fail_unless (fresh->bytes->len > 1000);
  fail_unless_equals_int (d->bytes->len - at, fresh->bytes->len);
  fail_unless (memcmp (d->bytes->data + at, fresh->bytes->data,
          fresh->bytes->len) == 0);
  test_driver_free (d);
  test_driver_free (fresh);
  test_stream_free (s);
}

GST_END_TEST;

/* Behind new caps all is as in an element that has seen nothing before. */
GST_START_TEST (test_new_caps)
{
  TestStream *before = test_stream_load (MPEG1);
  TestStream *s = test_stream_load (OCEAN);
  TestDriver *fresh = test_driver_new (s, "requantize", NULL);
  TestDriver *d = test_driver_new (before, "requantize", NULL);
  gint64 target = part_of_rate (s, 50);
  guint64 recoded;
  gsize at;

  set_target (fresh, target);
  test_driver_feed (fresh, 0, s->frames->len);

  set_target (d, target);
  test_driver_feed (d, 0, 70);
  recoded = test_driver_count (d, "pictures-recoded");
  fail_unless (recoded > 60);
  at = d->bytes->len;
  gst_harness_set_src_caps (d->h, test_stream_caps (s));
  d->stream = s;
  test_driver_feed (d, 0, s->frames->len);
  fail_unless_equals_int (d->bytes->len - at, fresh->bytes->len);
  fail_unless (memcmp (d->bytes->data + at, fresh->bytes->data,
          fresh->bytes->len) == 0);
  fail_unless_equals_uint64 (test_driver_count (d, "pictures-recoded"), recoded
      + test_driver_count (fresh, "pictures-recoded"));
  test_driver_free (d);
  test_driver_free (fresh);
  test_stream_free (s);
  test_stream_free (before);
}

GST_END_TEST;

static Suite *
requantize_suite (void)
{
  Suite *suite = suite_create ("mpegscaler-requantize");
  TCase *tc = tcase_create ("general");
  const gint n = N_STREAMS * G_N_ELEMENTS (percents);

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_untouched, 0, N_STREAMS * G_N_ELEMENTS (idle));
  tcase_add_loop_test (tc, test_repeated, 0, N_STREAMS);
  tcase_add_loop_test (tc, test_rates, 0, 2 * n);
  tcase_add_loop_test (tc, test_decodes, 0, n);
  tcase_add_loop_test (tc, test_change, 0, 4);
  tcase_add_loop_test (tc, test_stop, 0, 2);
  tcase_add_test (tc, test_modes);
  tcase_add_loop_test (tc, test_break, 0, N_BREAKS);
  tcase_add_loop_test (tc, test_break_exactly, 0, 4);
  tcase_add_loop_test (tc, test_seek, 0, G_N_ELEMENTS (seeking));
  tcase_add_test (tc, test_new_caps);
  return suite;
}

GST_CHECK_MAIN (requantize);
