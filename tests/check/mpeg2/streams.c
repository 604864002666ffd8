/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Whole streams cut into pictures, and counted. Those of tests/files always;
 * with MPEG_MEDIA_DIR all that the MANIFEST.tsv there lists: tab-separated,
 * file, SHA-256, codec, size, frames/s, frames, GOPs, ..., features last, as in
 * the rows below.
 */
#include <gst/check/gstcheck.h>

#include <stdio.h>
#include <stdlib.h>

#include <mpeg2/splitter.h>

typedef struct
{
  const char *file, *codec, *size, *fps, *frames, *gops, *features;
} Row;

static const Row rows[] = {
  {"bbb-352x288p25-1100k.m1v", "MPEG-1", "352x288p", "25", "132",
      "I/P/B 15/44/73; GOP hdrs 15 closed 15; seq hdrs 1", ""},
  {"bbb-352x576i25-fields-3M.m2v", "MPEG-2 MP@ML 420", "352x576i", "25", "73",
        "I/P/B 7/18/48; GOP hdrs 7 closed 1; seq hdrs 1",
      "intra_vlc1:14; q_scale_type1:146; field_pictures:73; dc9"},
  {"ocean-176x96p30-500k.m2v", "MPEG-2 MP@ML 420", "176x96p", "30", "101",
        "I/P/B 9/26/66; GOP hdrs 9 closed 0; seq hdrs 1",
      "intra_vlc1:101; q_scale_type1:3; dc10/8/9"},
  {"sintel-720x480-pulldown-4M.m2v", "MPEG-2 MP@ML 420", "720x480p", "29.97",
        "144", "I/P/B 12/37/95; GOP hdrs 12 closed 1; seq hdrs 12",
      "alt_scan:144; intra_vlc1:144; q_scale_type1:144; "
        "repeat_first_field:72; dc9"},
  {"walk-720x480p30-4M.m2v", "MPEG-2 MP@ML 420", "720x480p", "29.97", "240",
      "I/P/B 21/60/159; GOP hdrs 21 closed 1; seq hdrs 21", "dc8"},
};

typedef struct
{
  unsigned frames, types[5], groups, closed, sequences, field_frames,
      repeat_first_field, alt_scan, intra_vlc, q_scale, conceal, dc_precisions;
  M2vMatrices matrices;
  M2vSequence sequence;
} Counts;

static void
count_picture (Counts * n, const M2vPicture * span, bool *in_second)
{
  const M2vPictureCoding *coding = &span->coding;
  bool field = coding->structure != M2V_FRAME_PICTURE;

  fail_unless (span->valid);
  if (!*in_second) {
    n->frames++;
    n->types[span->header.type]++;
    n->field_frames += field;
  }
  *in_second = field && !*in_second;
  n->groups += span->has_group;
  n->closed += span->has_group && span->group_header.closed;
  n->sequences += span->sequence.size > 0;
  n->repeat_first_field += coding->repeat_first_field;
  n->alt_scan += coding->alternate_scan;
  n->intra_vlc += coding->intra_vlc_format;
  n->q_scale += coding->q_scale_type;
  n->conceal += coding->concealment_motion_vectors;
  n->dc_precisions |= 1u << coding->intra_dc_precision;
}

static void
count (Counts * n, const uint8_t * data, size_t size)
{
  M2vSplitter s;
  M2vPicture span;
  size_t position = 0, end = 0;
  bool in_second = false;

  memset (n, 0, sizeof *n);
  m2v_splitter_init (&s);
  while (m2v_splitter_next (&s, data, size, &position, &span)) {
    fail_unless_equals_int (span.kind, M2V_SPAN_PICTURE);
    fail_unless_equals_uint64 (span.begin, end);
    end += span.size;
    fail_unless (span.mpeg2 == s.sequence.mpeg2);
    count_picture (n, &span, &in_second);
  }
  fail_unless_equals_uint64 (end, size);
  fail_unless (s.has_sequence && !in_second);
  n->sequence = s.sequence;
  n->matrices = s.matrices;
}

/* The number behind a name in the manifest, 0 where it is not there. */
static unsigned
feature (const char *features, const char *name)
{
  const char *found = strstr (features, name);

  return found ? (unsigned) atoi (found + strlen (name)) : 0;
}

/* intra_dc_precision: "dc9" or "dc10/8/9", not there in MPEG-1. */
static unsigned
dc_precisions (const char *features)
{
  const char *found = strstr (features, "dc");
  unsigned set = 0;

  while (found && g_ascii_isdigit (found[*found == '/' ? 1 : 2])) {
    found += *found == '/' ? 1 : 2;
    set |= 1u << (atoi (found) - 8);
    found += strspn (found, "0123456789");
    if (*found != '/')
      break;
  }
  return set ? set : 1;
}

static void
check_sequence (const Row * row, const M2vSequence * s,
    const M2vMatrices * matrices)
{
  const char *loaded = strstr (row->features, "matrices:");
  M2vMatrices defaults;
  unsigned width, height, mask;

  fail_unless (sscanf (row->size, "%ux%u", &width, &height) == 2);
  fail_unless_equals_int (s->width, width);
  fail_unless_equals_int (s->height, height);
  fail_unless (s->progressive == (strchr (row->size, 'p') != NULL)
      || strstr (row->codec, "MPEG-2"));
  fail_unless (s->mpeg2 == g_str_has_prefix (row->codec, "MPEG-2"));
  fail_unless (s->chroma_format == (strstr (row->codec, "422") ? 2 : 1));
  fail_unless (ABS ((double) s->frame_rate_num / s->frame_rate_den
          - g_ascii_strtod (row->fps, NULL)) < 0.005);

  m2v_matrices_init (&defaults);
  /* A matrix may have been loaded that is the default. */
  mask = m2v_matrices_difference (&defaults, matrices);
  fail_unless ((mask != 0) == (loaded != NULL));
  fail_unless (!(mask & 1) || strstr (loaded, ":intra"));
  fail_unless (!(mask & 2) || strstr (loaded, "nonintra"));
}

static void
check_stream (const char *directory, const Row * row)
{
  char *path = g_build_filename (directory, row->file, NULL), *data;
  gsize size;
  Counts n;
  unsigned types[3];

  fail_unless (g_file_get_contents (path, &data, &size, NULL), "%s", path);
  GST_INFO ("%s", row->file);
  count (&n, (const uint8_t *) data, size);
  check_sequence (row, &n.sequence, &n.matrices);
  fail_unless_equals_int (n.frames, atoi (row->frames));
  fail_unless (sscanf (strstr (row->gops, "I/P/B "), "I/P/B %u/%u/%u",
          &types[0], &types[1], &types[2]) == 3);
  for (unsigned i = 0; i < 3; i++)
    fail_unless_equals_int (n.types[i + 1], types[i]);
  fail_unless_equals_int (n.groups, feature (row->gops, "GOP hdrs "));
  fail_unless_equals_int (n.closed, feature (row->gops, "closed "));
  fail_unless_equals_int (n.sequences, feature (row->gops, "seq hdrs "));
  fail_unless_equals_int (n.field_frames, feature (row->features,
          "field_pictures:"));
  fail_unless_equals_int (n.repeat_first_field, feature (row->features,
          "repeat_first_field:"));
  fail_unless_equals_int (n.alt_scan, feature (row->features, "alt_scan:"));
  fail_unless_equals_int (n.intra_vlc, feature (row->features, "intra_vlc1:"));
  fail_unless_equals_int (n.q_scale, feature (row->features, "q_scale_type1:"));
  fail_unless_equals_int (n.conceal, feature (row->features, "conceal_mv:"));
  fail_unless_equals_int (n.dc_precisions, dc_precisions (row->features));
  g_free (data);
  g_free (path);
}

GST_START_TEST (test_committed)
{
  check_stream (TEST_FILES_DIR, &rows[__i__]);
}

GST_END_TEST;

GST_START_TEST (test_manifest)
{
  const char *directory = g_getenv ("MPEG_MEDIA_DIR");
  char *path, *manifest, **lines;
  unsigned n = 0;

  if (!directory) {
    g_print ("skipped: MPEG_MEDIA_DIR is not set\n");
    return;
  }
  path = g_build_filename (directory, "MANIFEST.tsv", NULL);
  fail_unless (g_file_get_contents (path, &manifest, NULL, NULL), "%s", path);
  lines = g_strsplit (manifest, "\n", -1);
  for (unsigned i = 0; lines[i]; i++) {
    char **fields = g_strsplit (lines[i], "\t", -1);

    if (g_strv_length (fields) >= 12 && g_str_has_prefix (fields[2], "MPEG-")) {
      Row row = { fields[0], fields[2], fields[3], fields[4], fields[5],
        fields[6], fields[11]
      };

      check_stream (directory, &row);
      n++;
    }
    g_strfreev (fields);
  }
  g_print ("%u streams of %s\n", n, directory);
  fail_unless (n > 0);
  g_strfreev (lines);
  g_free (manifest);
  g_free (path);
}

GST_END_TEST;

static Suite *
streams_suite (void)
{
  Suite *s = suite_create ("mpeg2-streams");
  TCase *tc = tcase_create ("streams");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_committed, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_manifest);
  return s;
}

GST_CHECK_MAIN (streams);
