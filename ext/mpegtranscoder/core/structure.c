/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "structure.h"

#include <string.h>

/* Pictures; libavcodec itself makes an I after 600 pictures. */
#define MAX_GROUP 500

void
transcoder_structure_init (TranscoderStructure * s, const TranscoderGop * gop,
    unsigned max_b, unsigned delay)
{
  memset (s, 0, sizeof *s);
  s->gop = *gop;
  s->max_b = max_b > TRANSCODER_MAX_B ? TRANSCODER_MAX_B : max_b;
  s->delay = delay > s->max_b ? s->max_b + 1 : s->max_b;
}

void
transcoder_structure_force (TranscoderStructure * s)
{
  s->intra_due = true;
}

static bool
is_intra (TranscoderStructure * s, Tm5Type source)
{
  if (!s->started || s->intra_due || s->since_intra >= MAX_GROUP)
    return true;
  return s->gop.gop_size ? s->since_intra >= s->gop.gop_size : source == TM5_I;
}

Tm5Type
transcoder_structure_type (TranscoderStructure * s, Tm5Type source)
{
  Tm5Type type = TM5_P;

  if (is_intra (s, source))
    type = TM5_I;
  else if ((s->gop.b_frames >= 0 || source == TM5_B) && s->run < s->max_b)
    type = TM5_B;

  s->started = true;
  s->run = type == TM5_B ? s->run + 1 : 0;
  if (type == TM5_I) {
    s->since_intra = 0;
    s->intra_due = false;
  }
  s->since_intra++;
  return type;
}

/* Selects pictures as select_input_picture of libavcodec's mpegvideo_enc:
 * those up to the first anchor, or as many B as allowed. The anchor comes
 * first. */
static void
select (TranscoderStructure * s)
{
  unsigned i, b = 0;

  while (b + 1 < s->n_input && b < s->max_b && s->input[b].type == TM5_B)
    b++;
  if (s->gop.closed && b > 0 && s->input[b].type == TM5_I)
    b--;
  s->coded[0] = s->input[b];
  if (s->coded[0].type != TM5_I)
    s->coded[0].type = TM5_P;
  for (i = 0; i < b; i++) {
    s->coded[i + 1] = s->input[i];
    s->coded[i + 1].type = TM5_B;
  }
  s->n_coded = b + 1;
  s->n_input -= b + 1;
  memmove (s->input, s->input + b + 1, s->n_input * sizeof s->input[0]);
}

bool
transcoder_structure_drain (TranscoderStructure * s, TranscoderCoded * coded)
{
  if (s->n_coded == 0 && s->n_input == 0)
    return false;
  if (s->n_coded == 0)
    select (s);
  *coded = s->coded[0];
  s->n_coded--;
  memmove (s->coded, s->coded + 1, s->n_coded * sizeof s->coded[0]);
  return true;
}

bool
transcoder_structure_give (TranscoderStructure * s, Tm5Type type,
    TranscoderCoded * coded)
{
  s->input[s->n_input].number = s->next_number++;
  s->input[s->n_input++].type = type;
  if (s->n_given < s->delay) {
    s->n_given++;
    return false;
  }
  return transcoder_structure_drain (s, coded);
}
