/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/macroblock.h>

#include <string.h>

/* *INDENT-OFF* */
const uint8_t m2v_scan_tables[2][64] = {
  {
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63
  }, {
    0, 8, 16, 24, 1, 9, 2, 10, 17, 25, 32, 40, 48, 56, 57, 49,
    41, 33, 26, 18, 3, 11, 4, 12, 19, 27, 34, 42, 50, 58, 35, 43,
    51, 59, 20, 28, 5, 13, 6, 14, 21, 29, 36, 44, 52, 60, 37, 45,
    53, 61, 22, 30, 7, 15, 23, 31, 38, 46, 54, 62, 39, 47, 55, 63
  }
};
/* *INDENT-ON* */

/* Sets the numbers of macroblocks and blocks (clause 6.3.3). */
static void
set_size (M2vPictureParams * p, const M2vSequence * sequence)
{
  p->columns = (sequence->width + 15) / 16;
  p->rows = (sequence->height + 15) / 16;
  if (p->mpeg2 && !sequence->progressive)
    p->rows = (sequence->height + 31) / 32 * (m2v_is_field (p) ? 1 : 2);
  p->extended = p->mpeg2 && sequence->height > M2V_MAX_HEIGHT_UNEXTENDED;
  p->n_blocks = sequence->chroma_format == 2 ? 8 : 6;
}

/* Sets the f_codes; returns false if one is missing that the picture's vectors
 * need. */
static bool
set_f_codes (M2vPictureParams * p, const M2vPicture * picture)
{
  bool used[2];

  used[0] = p->type != M2V_PICTURE_I || p->concealment_motion_vectors;
  used[1] = p->type == M2V_PICTURE_B;
  for (unsigned s = 0; s < 2; s++) {
    for (unsigned t = 0; t < 2; t++) {
      unsigned f_code = p->mpeg2 ? picture->coding.f_code[s][t]
          : picture->header.f_code[s];

      p->f_code[s][t] = f_code <= M2V_MAX_F_CODE ? f_code : 0;
      if (used[s] && p->f_code[s][t] == 0)
        return false;
    }
    p->full_pel[s] = !p->mpeg2 && picture->header.full_pel[s];
  }
  return true;
}

bool
m2v_picture_params_init (M2vPictureParams * p, const M2vSequence * sequence,
    const M2vPicture * picture)
{
  const M2vPictureCoding *coding = &picture->coding;

  memset (p, 0, sizeof *p);
  p->mpeg2 = picture->mpeg2;
  p->type = picture->header.type;
  p->structure = p->mpeg2 ? coding->structure : M2V_FRAME_PICTURE;
  if (p->type < M2V_PICTURE_I || p->type > M2V_PICTURE_B
      || p->mpeg2 != sequence->mpeg2 || sequence->chroma_format > 2
      || (m2v_is_field (p) && sequence->progressive))
    return false;
  set_size (p, sequence);
  p->frame_pred_frame_dct = true;
  if (p->mpeg2) {
    p->intra_dc_precision = coding->intra_dc_precision;
    p->frame_pred_frame_dct = coding->frame_pred_frame_dct;
    p->concealment_motion_vectors = coding->concealment_motion_vectors;
    p->q_scale_type = coding->q_scale_type;
    p->intra_vlc_format = coding->intra_vlc_format;
    p->alternate_scan = coding->alternate_scan;
  }
  return p->columns > 0 && p->rows > 0 && set_f_codes (p, picture);
}

/* Table 7-6 has eight steps each of 1, 2 and 4, then seven steps of 8. */
unsigned
m2v_quantiser_scale (const M2vPictureParams * p, unsigned code)
{
  if (!p->q_scale_type)
    return 2 * code;
  if (code <= 8)
    return code;
  if (code <= 16)
    return 8 + (code - 8) * 2;
  if (code <= 24)
    return 24 + (code - 16) * 4;
  return 56 + (code - 24) * 8;
}

void
m2v_matrix_in_scan_order (const M2vPictureParams * p, const uint8_t matrix[64],
    uint8_t out[64])
{
  uint8_t raster[64];

  for (unsigned i = 0; i < 64; i++)
    raster[m2v_scan_tables[0][i]] = matrix[i];
  for (unsigned i = 0; i < 64; i++)
    out[i] = raster[m2v_scan_tables[p->alternate_scan][i]];
}

void
m2v_macroblock_set_zero (const M2vPictureParams * p, M2vMacroblock * mb)
{
  memset (&mb->vectors[0][0], 0, sizeof mb->vectors[0][0]);
  mb->vectors[0][0].bottom = p->structure == M2V_BOTTOM_FIELD;
  mb->n_motion_bits = 0;
  mb->motion = (uint8_t) m2v_implied_motion (p);
}

void
m2v_macroblock_empty (const M2vPictureParams * p, M2vMacroblock * mb)
{
  if (mb->type & M2V_INTRA)
    return;
  mb->type &= M2V_FORWARD | M2V_BACKWARD;
  mb->field_dct = false;
  mb->pattern = 0;
  memset (mb->n_coefficients, 0, sizeof mb->n_coefficients);
  if (mb->type == 0) {
    mb->type = M2V_FORWARD;
    m2v_macroblock_set_zero (p, mb);
  }
}

bool
m2v_macroblock_set_pattern (const M2vPictureParams * p, M2vMacroblock * mb)
{
  const unsigned blocks = (1u << p->n_blocks) - 1;

  if (mb->type & M2V_INTRA)
    return true;
  mb->pattern = (uint8_t) (m2v_coded_blocks (mb) & blocks);
  if (mb->pattern == 0)
    return false;
  mb->type |= M2V_PATTERN;
  return true;
}
