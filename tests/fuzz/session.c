/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Octets as a recorded session: whatever the lines say, each is either no
 * call or one that the sender survives, and what was read of it is what is
 * written.
 */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CALLS 2000

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static PspAcknowledgement acknowledgements[PSP_CALL_ACKNOWLEDGEMENTS];

static void
check_text (const PspCall * call, const char *line, size_t size)
{
  static char text[PSP_CALL_LINE];
  size_t n = psp_call_format (call, text, sizeof text);

  /* Numbers may have zeros before them. */
  if (n == 0 || n > size)
    abort ();
  if (n == size && memcmp (text, line + size - n, n) != 0)
    abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static PspReplay replay;
  const char *at = (const char *) data, *end = at + size;
  PspCall call;

  psp_replay_init (&replay, -1);
  for (unsigned n = 0; at < end && n < MAX_CALLS; n++) {
    const char *stop = memchr (at, '\n', (size_t) (end - at));
    size_t length = (size_t) ((stop ? stop : end) - at);

    if (psp_call_parse (at, length, &call, acknowledgements))
      check_text (&call, at, length);
    psp_replay_line (&replay, at, length);
    at += length + 1;
  }
  psp_replay_clear (&replay);
  return 0;
}
