/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * psp-replay LOG [SESSION]: puts what a pspsink asked of its sender, as a log
 * of GST_DEBUG=pspcalls:7 has it, to a fresh sender, and prints every answer
 * that is another one. 0: all are the same; 1: not; 2: no such log.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

#define PREFIX 1024             /* what GStreamer's log puts before a call */
#define PRINTED 20              /* differences */

static PspReplay replay;
static char line[PREFIX + PSP_CALL_LINE];

static void
print_call (const char *what, const PspCall * call)
{
  static char text[PSP_CALL_LINE];
  size_t size = psp_call_format (call, text, sizeof text);

  printf ("  %s %.*s\n", what, (int) size, text);
}

static void
print_sums (uint64_t same, uint64_t different)
{
  printf ("%" PRIu64 " calls over %.3f s, %" PRIu64 " packets, %" PRIu64
      " reports: %" PRIu64 " answers differ\n",
      same + different,
      (double) (replay.last_at - replay.first_at) / PSP_SECOND,
      replay.calls[PSP_CALL_SENT], replay.calls[PSP_CALL_ACKNOWLEDGE],
      different);
}

/* Lines longer than any call are read in parts, none of which is one. */
static int
replay_log (FILE * log)
{
  uint64_t same = 0, different = 0, number = 0;
  size_t size;

  while (fgets (line, sizeof line, log)) {
    number++;
    size = strcspn (line, "\n");
    if (size > 0 && line[size - 1] == '\r')
      size--;
    switch (psp_replay_line (&replay, line, size)) {
      case PSP_REPLAY_OTHER:
        break;
      case PSP_REPLAY_SAME:
        same++;
        break;
      case PSP_REPLAY_DIFFERENT:
        if (different++ < PRINTED) {
          printf ("line %" PRIu64 "\n", number);
          print_call ("then", &replay.recorded);
          print_call ("now ", &replay.replayed);
        }
        break;
      case PSP_REPLAY_BROKEN:
        fprintf (stderr, "line %" PRIu64 ": %s\n", number,
            replay.sender ? "this is not a call of a session that runs" :
            "the session's beginning is missing: record from the start of the "
            "program, GST_DEBUG=pspcalls:7");
        return 2;
    }
  }
  if (same + different == 0) {
    fprintf (stderr, "there is no such session: record with "
        "GST_DEBUG=pspcalls:7 GST_DEBUG_FILE=LOG GST_DEBUG_NO_COLOR=1\n");
    return 2;
  }
  print_sums (same, different);
  return different > 0;
}

int
main (int argc, char **argv)
{
  FILE *log;
  int result;

  if (argc < 2 || argc > 3) {
    fprintf (stderr, "usage: %s LOG [SESSION]\n", argv[0]);
    return 2;
  }
  log = fopen (argv[1], "r");
  if (!log) {
    perror (argv[1]);
    return 2;
  }
  psp_replay_init (&replay, argc > 2 ? atoi (argv[2]) : -1);
  result = replay_log (log);
  psp_replay_clear (&replay);
  fclose (log);
  return result;
}
