/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "log.h"

#include <inttypes.h>

static void
put_time (FILE * file, int64_t t)
{
  if (t == LINK_NEVER)
    fputc (',', file);
  else
    fprintf (file, ",%" PRId64, t);
}

void
link_log_packet (FILE * file, const char *direction, const LinkPacket * p)
{
  fprintf (file, "%s,%" PRIu64 ",%u,%u,%u,%" PRId64 ",%s,%u,%" PRIu64,
      direction, p->sequence, p->flow, p->size, p->ecn, p->arrived,
      link_verdict_name (p->verdict), p->queue_packets, p->queue_bytes);
  put_time (file, p->started);
  put_time (file, p->departed);
  put_time (file, p->delivered);
  put_time (file, p->started == LINK_NEVER ? LINK_NEVER :
      p->started - p->arrived);
  fprintf (file, ",%d,%" PRId64 "\n", p->marked, p->corrupt_bit);
}

void
link_log_stats (FILE * file, const LinkStats * s)
{
  static const char *const drops[LINK_N_VERDICTS] = {
    [LINK_ACCEPTED] = "inside",
    [LINK_DUPLICATE] = "duplicates",
    [LINK_DROPPED_FULL] = "dropped-full",
    [LINK_DROPPED_RED] = "dropped-red",
    [LINK_DROPPED_CODEL] = "dropped-codel",
    [LINK_DROPPED_ECT] = "dropped-ect",
    [LINK_DROPPED_LOSS] = "lost",
    [LINK_UNFINISHED] = "unfinished",
  };
  int i;

  fprintf (file, "\"offered\":%" PRIu64 ",\"offered-bytes\":%" PRIu64
      ",\"delivered\":%" PRIu64 ",\"delivered-bytes\":%" PRIu64,
      s->offered, s->offered_bytes, s->delivered, s->delivered_bytes);
  for (i = 0; i < LINK_N_VERDICTS; i++)
    if (drops[i])
      fprintf (file, ",\"%s\":%" PRIu64, drops[i], s->verdicts[i]);
  fprintf (file, ",\"marked\":%" PRIu64 ",\"corrupted\":%" PRIu64
      ",\"peak-packets\":%u,\"peak-bytes\":%" PRIu64
      ",\"wait-mean-us\":%.1f,\"wait-max-us\":%.1f",
      s->marked, s->corrupted, s->peak_packets, s->peak_bytes,
      s->waits ? s->wait_sum * 1e-3 / (double) s->waits : 0.0,
      (double) s->wait_max * 1e-3);
}
