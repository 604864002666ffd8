/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Any octets as slice headers of H.265 and rules: what the model names are
 * pictures that came before, and what the dropper passes has passed its
 * references.
 */
#include <stdlib.h>
#include <string.h>

#include <h26x/dropper.h>
#include <h26x/h265rps.h>

/* More than a picture can be late. */
#define WINDOW 64

typedef struct
{
  const uint8_t *data;
  size_t size;
} Input;

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check (bool ok)
{
  if (!ok)
    abort ();
}

static unsigned
take (Input * in)
{
  if (in->size == 0)
    return 0;
  in->size--;
  return *in->data++;
}

/* Mostly of what there is; 255: whatever. */
static uint32_t
take_number (Input * in, uint32_t bound)
{
  unsigned octet = take (in);

  if (octet < 255)
    return octet % bound;
  return take (in) << 24 | take (in) << 16 | take (in) << 8 | take (in);
}

static void
take_slice (Input * in, H265Sps * sps, H265Slice * slice)
{
  memset (slice, 0, sizeof *slice);
  if (take (in) % 16 == 0) {
    sps->log2_max_order_lsb = take_number (in, 20);
    sps->highest_layer = take_number (in, 8);
  }
  slice->nal_unit_type = take_number (in, 24);
  slice->layer = take_number (in, 3);
  slice->begins_sequence = take (in) % 32 == 31;
  slice->order_lsb = take_number (in, 64);
  slice->n_short_term = take_number (in, 6);
  slice->n_long_term = take_number (in, 3);
  for (unsigned i = 0; i < slice->n_short_term && i < H265_MAX_DPB; i++) {
    slice->short_term[i].delta = (int32_t) (take_number (in, 32) - 16);
    slice->short_term[i].used = take (in) % 2;
  }
  for (unsigned i = 0; i < slice->n_long_term && i < H265_MAX_DPB; i++) {
    slice->long_term[i].order_lsb = take_number (in, 64);
    slice->long_term[i].has_msb = take (in) % 2;
    slice->long_term[i].msb_cycle = take_number (in, 4);
    slice->long_term[i].used = take (in) % 2;
  }
}

static void
take_settings (Input * in, H26xDropperSettings * settings)
{
  settings->rule.scale = (int) (take (in) % 6) - 1;
  settings->rule.target = (int64_t) take_number (in, 255) * 1000 - 1000;
  settings->rule.fill = take (in) % 2;
  settings->max_freeze = (int64_t) take_number (in, 4) * 500000000 - 500000000;
  settings->splices = take (in) % 2;
}

static void
check_picture (const H26xPicture * picture, uint64_t id)
{
  check (picture->id == id);
  check (picture->n_references <= H265_MAX_DPB);
  for (unsigned i = 0; i < picture->n_references; i++)
    check (picture->references[i] < id);
  check (picture->readable || (picture->n_references == 0
          && !picture->random_access && !picture->counts));
  check (!picture->idr || picture->random_access);
}

/* Where there is a rule, a picture that can be read passes with what it refers
 * to; unless something that could not be read came since the last one with which
 * decoding can begin. */
static void
check_passed (const H26xPicture * picture, const bool passed[WINDOW])
{
  for (unsigned i = 0; i < picture->n_references; i++) {
    uint64_t back = picture->id - picture->references[i];

    check (picture->references[i] > 0);
    check (back >= WINDOW || passed[picture->references[i] % WINDOW]);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Input in = { data, size };
  H265Sps sps = { 8, 0 };
  H265Dpb dpb;
  H26xDropper *dropper = h26x_dropper_new ();
  H26xDropperSettings settings = { 0 };
  H26xDropperStats stats;
  bool passed[WINDOW] = { false }, unsure = false;
  uint64_t n = 0;

  check (dropper != NULL);
  h265_dpb_init (&dpb);
  while (in.size > 0) {
    H265Slice slice;
    H26xPicture picture;
    H26xDecision decision;
    H26xCodedPicture coded = { &picture, 0, 0, 0, false };

    take_slice (&in, &sps, &slice);
    h265_dpb_next (&dpb, &sps, take (&in) % 64 == 63 ? NULL : &slice, &picture);
    check_picture (&picture, ++n);
    if (n == 1 || take (&in) % 8 == 7)
      take_settings (&in, &settings);
    coded.bytes = take_number (&in, 200) * 10u;
    coded.filler = coded.bytes / (1 + take (&in) % 8);
    coded.duration = (int64_t) (int32_t) take_number (&in, 100) * 1000000;
    coded.discont = take (&in) % 64 == 63;
    h26x_dropper_set (dropper, &settings);
    h26x_dropper_picture (dropper, &coded, &decision);
    passed[n % WINDOW] = decision.verdict == SCALING_PASS
        || decision.verdict == SCALING_FILL;
    if (!passed[n % WINDOW])
      continue;
    unsure = picture.readable ? unsure && !picture.random_access : true;
    check (!decision.splice || (settings.splices && picture.random_access));
    if (!unsure && (settings.rule.scale >= 0 || settings.rule.target >= 0))
      check_passed (&picture, passed);
  }
  h26x_dropper_stats (dropper, &stats);
  check (stats.pictures == n && stats.bytes_out <= stats.bytes_in);
  for (unsigned scale = 0; scale <= SCALING_MAX_SCALE; scale++)
    check (h26x_dropper_rate (dropper, scale) >= 0);
  h26x_dropper_free (dropper);
  return 0;
}
