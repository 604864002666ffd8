/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/coding.h>

void
m2v_read_coding (M2vBitReader * r, M2vPictureCoding * coding)
{
  for (unsigned i = 0; i < 4; i++)
    coding->f_code[i / 2][i % 2] = m2v_read_bits (r, 4);
  coding->intra_dc_precision = m2v_read_bits (r, 2);
  coding->structure = (M2vStructure) m2v_read_bits (r, 2);
  coding->top_field_first = m2v_read_bits (r, 1);
  coding->frame_pred_frame_dct = m2v_read_bits (r, 1);
  coding->concealment_motion_vectors = m2v_read_bits (r, 1);
  coding->q_scale_type = m2v_read_bits (r, 1);
  coding->intra_vlc_format = m2v_read_bits (r, 1);
  coding->alternate_scan = m2v_read_bits (r, 1);
  coding->repeat_first_field = m2v_read_bits (r, 1);
  coding->chroma_420_type = m2v_read_bits (r, 1);
  coding->progressive_frame = m2v_read_bits (r, 1);
  coding->composite_display = m2v_read_bits (r, 1);
}

void
m2v_write_coding (M2vBitWriter * w, const M2vPictureCoding * coding)
{
  for (unsigned i = 0; i < 4; i++)
    m2v_write_bits (w, coding->f_code[i / 2][i % 2] & 15, 4);
  m2v_write_bits (w, coding->intra_dc_precision & 3, 2);
  m2v_write_bits (w, coding->structure & 3, 2);
  m2v_write_bits (w, coding->top_field_first, 1);
  m2v_write_bits (w, coding->frame_pred_frame_dct, 1);
  m2v_write_bits (w, coding->concealment_motion_vectors, 1);
  m2v_write_bits (w, coding->q_scale_type, 1);
  m2v_write_bits (w, coding->intra_vlc_format, 1);
  m2v_write_bits (w, coding->alternate_scan, 1);
  m2v_write_bits (w, coding->repeat_first_field, 1);
  m2v_write_bits (w, coding->chroma_420_type, 1);
  m2v_write_bits (w, coding->progressive_frame, 1);
  m2v_write_bits (w, coding->composite_display, 1);
}
