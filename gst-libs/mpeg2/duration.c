/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <mpeg2/clock.h>

/* Seconds of the largest time. */
#define MAX_SECONDS (M2V_CLOCK_MAX_TIME / M2V_SECOND)

unsigned
m2v_display_fields (bool progressive_sequence, const M2vPictureCoding * coding)
{
  if (coding->structure != M2V_FRAME_PICTURE || !coding->repeat_first_field)
    return 2;
  if (progressive_sequence)
    return coding->top_field_first ? 6 : 4;
  return coding->progressive_frame ? 3 : 2;
}

int64_t
m2v_fields_time (const M2vSequence * sequence, int64_t n_fields)
{
  bool known = sequence && sequence->frame_rate_num > 0 &&
      sequence->frame_rate_den > 0;
  const int64_t unit = 2 * (int64_t) (known ? sequence->frame_rate_num : 25);
  const int64_t den = known ? sequence->frame_rate_den : 1;
  int64_t n, seconds, rest;

  /* The remainder of whole seconds is multiplied, so no product overflows. */
  n = n_fields > INT64_MAX / den ? INT64_MAX / den : n_fields;
  n = n < -INT64_MAX / den ? -INT64_MAX / den : n;
  seconds = n * den / unit;
  rest = n * den % unit;
  if (rest < 0) {
    rest += unit;
    seconds--;
  }
  if (seconds >= MAX_SECONDS)
    return M2V_CLOCK_MAX_TIME;
  if (seconds < -MAX_SECONDS)
    return -M2V_CLOCK_MAX_TIME;
  return seconds * M2V_SECOND + rest * M2V_SECOND / unit;
}
