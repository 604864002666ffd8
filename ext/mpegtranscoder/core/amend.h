/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What libavcodec's encoder does not write as we want it into headers.
 */
#ifndef TRANSCODER_AMEND_H
#define TRANSCODER_AMEND_H

#include <mpeg2/headers.h>

typedef struct
{
  int64_t bit_rate;             /* bounds for the sequence header; 0: as it is */
  int64_t vbv_buffer_size;      /* bits */
  bool low_delay;               /* MPEG-2: the sequence never has a B */
  /* MPEG-2: the picture is shown so many field periods, and in a sequence that
   * is not progressive, whether its fields are of one time, and which is first. */
  bool progressive_sequence;
  unsigned n_fields;            /* 0: leave it */
  bool progressive_frame;
  bool is_420;
  bool top_field_first;
} TranscoderAmendment;

/* Amends the headers of a coded picture. `sequence` gets the size of the sequence
 * headers that it begins with, 0 where there are none. */
void transcoder_amend (uint8_t * data, size_t size,
    const TranscoderAmendment * amendment, size_t * sequence);

#endif
