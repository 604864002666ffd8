/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "coding.h"

void
mpeg_read_coding (MpegBitReader * r, MpegPictureCoding * coding)
{
  for (unsigned i = 0; i < 4; i++)
    coding->f_code[i / 2][i % 2] = mpeg_read_bits (r, 4);
  coding->intra_dc_precision = mpeg_read_bits (r, 2);
  coding->structure = (MpegStructure) mpeg_read_bits (r, 2);
  coding->top_field_first = mpeg_read_bits (r, 1);
  coding->frame_pred_frame_dct = mpeg_read_bits (r, 1);
  coding->concealment_motion_vectors = mpeg_read_bits (r, 1);
  coding->q_scale_type = mpeg_read_bits (r, 1);
  coding->intra_vlc_format = mpeg_read_bits (r, 1);
  coding->alternate_scan = mpeg_read_bits (r, 1);
  coding->repeat_first_field = mpeg_read_bits (r, 1);
  coding->chroma_420_type = mpeg_read_bits (r, 1);
  coding->progressive_frame = mpeg_read_bits (r, 1);
  coding->composite_display = mpeg_read_bits (r, 1);
}

void
mpeg_write_coding (MpegBitWriter * w, const MpegPictureCoding * coding)
{
  for (unsigned i = 0; i < 4; i++)
    mpeg_write_bits (w, coding->f_code[i / 2][i % 2] & 15, 4);
  mpeg_write_bits (w, coding->intra_dc_precision & 3, 2);
  mpeg_write_bits (w, coding->structure & 3, 2);
  mpeg_write_bits (w, coding->top_field_first, 1);
  mpeg_write_bits (w, coding->frame_pred_frame_dct, 1);
  mpeg_write_bits (w, coding->concealment_motion_vectors, 1);
  mpeg_write_bits (w, coding->q_scale_type, 1);
  mpeg_write_bits (w, coding->intra_vlc_format, 1);
  mpeg_write_bits (w, coding->alternate_scan, 1);
  mpeg_write_bits (w, coding->repeat_first_field, 1);
  mpeg_write_bits (w, coding->chroma_420_type, 1);
  mpeg_write_bits (w, coding->progressive_frame, 1);
  mpeg_write_bits (w, coding->composite_display, 1);
}
