/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Amends headers that libavcodec's encoder does not write as needed.
 */
#ifndef TRANSCODER_AMEND_H
#define TRANSCODER_AMEND_H

#include <mpeg2/headers.h>

typedef struct
{
  /* Upper bound in the sequence header, bits/s; 0 = unchanged. */
  int64_t bit_rate;
  /* Upper bound in the sequence header, bits; 0 = unchanged. */
  int64_t vbv_buffer_size;
  bool low_delay;               /* MPEG-2: the sequence never has a B */
  bool progressive_sequence;    /* MPEG-2: the sequence is progressive */
  unsigned n_fields;            /* MPEG-2: field periods shown; 0 = unchanged */
  bool progressive_frame;       /* MPEG-2: both fields are of one time */
  bool is_420;                  /* MPEG-2: the chroma format is 4:2:0 */
  bool top_field_first;         /* MPEG-2: the top field is first */
} TranscoderAmendment;

/* Amends the headers of a coded picture. `sequence` gets the size of the
 * sequence headers that it begins with, 0 if there are none. */
void transcoder_amend (uint8_t * data, size_t size,
    const TranscoderAmendment * amendment, size_t * sequence);

#endif
