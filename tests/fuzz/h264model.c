/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as headers of H.264: what is said to be readable has references
 * that came before it, of a stream that passes as a whole each picture decodes,
 * and of another what passes has all that it refers to.
 */
#include <stdlib.h>
#include <string.h>

#include <h26x/h264gaps.h>
#include <h26x/h264model.h>

#define MAX_PICTURES 512

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

typedef struct
{
  const uint8_t *data;
  size_t size;
} Input;

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

/* 0 .. n - 1 */
static unsigned
take (Input * in, unsigned n)
{
  if (in->size == 0)
    return 0;
  in->size--;
  return *in->data++ % n;
}

static void
take_sps (Input * in, H264Sps * sps)
{
  memset (sps, 0, sizeof *sps);
  sps->log2_max_frame_num = 4 + take (in, 14);
  sps->order_type = take (in, 4);
  sps->log2_max_order_lsb = 4 + take (in, 14);
  sps->max_references = take (in, 18);
  sps->gaps_allowed = take (in, 2);
  if (sps->order_type != 1)
    return;
  sps->offset_for_non_reference = (int8_t) take (in, 256);
  sps->offset_for_top_to_bottom = (int8_t) take (in, 256);
  sps->n_offsets = take (in, 256);
  for (unsigned i = 0; i < sps->n_offsets; i++)
    sps->offsets[i] = (int32_t) (take (in, 256) << (i % 32));
}

static void
take_operations (Input * in, H264Slice * slice)
{
  for (unsigned x = 0; x < 2; x++) {
    slice->n_active[x] = take (in, 34);
    slice->n_modifications[x] = take (in, 4) ? 0 : take (in, 33);
    for (unsigned i = 0; i < slice->n_modifications[x]; i++) {
      slice->modifications[x][i].operation = take (in, 4);
      slice->modifications[x][i].value = take (in, 256) << take (in, 24);
    }
  }
  slice->long_term = take (in, 2);
  slice->adaptive_marking = take (in, 4) == 3;
  slice->n_markings = slice->adaptive_marking ? take (in, 36) : 0;
  for (unsigned i = 0; i < slice->n_markings; i++) {
    slice->markings[i].operation = take (in, 8);
    slice->markings[i].difference = take (in, 256);
    slice->markings[i].long_term_number = take (in, 33);
    slice->markings[i].long_term_index = take (in, 17);
    slice->markings[i].max_long_term = take (in, 18);
  }
}

/* Some fields of the one before stay, as in the slices of a picture. */
static void
take_slice (Input * in, H264Slice * slice)
{
  unsigned what = take (in, 16);

  slice->type = (H264SliceType) take (in, 6);
  if (what & 1) {
    slice->reference = take (in, 4) != 0;
    slice->idr = slice->reference && take (in, 8) == 0;
    slice->frame_num = slice->idr ? 0 : slice->frame_num + take (in, 4);
    slice->idr_id = take (in, 2);
    slice->order_lsb = take (in, 256);
  }
  if (what & 2)
    slice->structure = take (in, 5);
  if (what & 4) {
    slice->delta_order_bottom = (int32_t) (take (in, 256) << take (in, 32));
    slice->delta_order[0] = (int32_t) (take (in, 256) << take (in, 32));
    slice->delta_order[1] = (int8_t) take (in, 256);
  }
  if (what & 8)
    take_operations (in, slice);
}

static void
check_picture (const H26xPicture * picture, uint64_t last)
{
  check (picture->id == last || picture->id == last + 1);
  check (picture->n_references <= H26X_MAX_REFERENCES);
  for (unsigned i = 0; i < picture->n_references; i++)
    check (picture->references[i] > 0 && picture->references[i] < picture->id);
}

static const H26xPicture *
read_picture (H264Model * m, const H264Sps * sps, const H264Slice * slices,
    unsigned n, bool recovery)
{
  h264_model_begin (m, false);
  for (unsigned i = 0; i < n; i++)
    h264_model_slice (m, sps, &slices[i]);
  return h264_model_end (m, recovery, 0);
}

static void
check_thinned (H264Model * thinned, const H26xPicture * picture, bool *passed,
    bool wanted)
{
  bool first = !passed[picture->id];

  if (!wanted || h264_model_verdict (thinned) == H264_DIFFERS)
    return;
  for (unsigned i = 0; picture->readable && first && i < picture->n_references;
      i++)
    check (passed[picture->references[i]]);
  passed[picture->id] = true;
  h264_model_passed (thinned);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static H264Model whole, thinned;
  static bool passed[MAX_PICTURES + 1];
  Input in = { data, size };
  H264Slice slices[2];
  H264Sps sps;
  uint64_t last = 0;
  uint8_t nal[64];

  memcpy (nal, data, size < sizeof nal ? size : sizeof nal);
  h264_sps_allow_gaps (nal, size < sizeof nal ? size : sizeof nal);
  memset (passed, 0, sizeof passed);
  memset (slices, 0, sizeof slices);
  h264_model_init (&whole);
  h264_model_init (&thinned);
  take_sps (&in, &sps);
  while (in.size > 0 && last < MAX_PICTURES) {
    unsigned n = 1 + take (&in, 2), wanted = take (&in, 4);
    const H26xPicture *picture;

    if (wanted == 3 && take (&in, 64) == 0)
      take_sps (&in, &sps);
    for (unsigned i = 0; i < n; i++) {
      if (i > 0)
        slices[i] = slices[0];
      take_slice (&in, &slices[i]);
    }
    picture = read_picture (&whole, &sps, slices, n, wanted & 1);
    check_picture (picture, last);
    check (h264_model_verdict (&whole) == H264_DECODES);
    h264_model_passed (&whole);
    picture = read_picture (&thinned, &sps, slices, n, wanted & 1);
    check_picture (picture, last);
    last = picture->id;
    check_thinned (&thinned, picture, passed, wanted != 0);
  }
  return 0;
}
