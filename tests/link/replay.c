/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "spec.h"

enum
{
  DIRECTION, SEQUENCE, FLOW, SIZE, ECN, ARRIVED, VERDICT, QUEUE_PACKETS,
  QUEUE_BYTES, STARTED, DEPARTED, DELIVERED, WAIT, MARKED, CORRUPT_BIT,
  N_COLUMNS
};

static int64_t
time_of (const char *cell)
{
  return cell[0] ? g_ascii_strtoll (cell, NULL, 10) : LINK_NEVER;
}

static void
parse_row (char **cell, LinkPacket * p)
{
  int verdict = 0;

  memset (p, 0, sizeof *p);
  p->sequence = g_ascii_strtoull (cell[SEQUENCE], NULL, 10);
  p->flow = (unsigned) atoi (cell[FLOW]);
  p->size = (uint32_t) atoi (cell[SIZE]);
  p->ecn = (uint8_t) atoi (cell[ECN]);
  p->arrived = time_of (cell[ARRIVED]);
  while (verdict < LINK_N_VERDICTS &&
      strcmp (cell[VERDICT], link_verdict_name (verdict)) != 0)
    verdict++;
  fail_unless (verdict < LINK_N_VERDICTS, "%s", cell[VERDICT]);
  p->verdict = verdict;
  p->queue_packets = (uint32_t) atoi (cell[QUEUE_PACKETS]);
  p->queue_bytes = g_ascii_strtoull (cell[QUEUE_BYTES], NULL, 10);
  p->started = time_of (cell[STARTED]);
  p->departed = time_of (cell[DEPARTED]);
  p->delivered = time_of (cell[DELIVERED]);
  p->marked = atoi (cell[MARKED]) != 0;
  p->corrupt_bit = g_ascii_strtoll (cell[CORRUPT_BIT], NULL, 10);
}

static gint
by_sequence (gconstpointer x, gconstpointer y)
{
  const LinkPacket *a = x, *b = y;

  return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

GArray *
replay_rows (const char *log, const char *direction)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (LinkPacket));
  char **lines;
  char *text;
  guint i;

  fail_unless (g_file_get_contents (log, &text, NULL, NULL), "%s", log);
  fail_unless (g_str_has_prefix (text, LINK_LOG_HEADER));
  lines = g_strsplit (text, "\n", -1);
  for (i = 1; lines[i] && lines[i][0]; i++) {
    char **cell = g_strsplit (lines[i], ",", -1);
    LinkPacket packet;

    fail_unless_equals_int (g_strv_length (cell), N_COLUMNS);
    if (strcmp (cell[DIRECTION], direction) == 0) {
      parse_row (cell, &packet);
      if (packet.verdict != LINK_DUPLICATE)
        g_array_append_val (rows, packet);
    }
    g_strfreev (cell);
  }
  g_strfreev (lines);
  g_free (text);
  g_array_sort (rows, by_sequence);
  return rows;
}

static void
compare (const LinkPacket * logged, const LinkPacket * now)
{
  guint n = (guint) now->sequence;

  fail_unless_equals_uint64 (logged->sequence, now->sequence);
  /* The front ended before the packet did. */
  if (logged->verdict == LINK_UNFINISHED)
    return;
  fail_unless (logged->verdict == now->verdict, "packet %u: %s, not %s", n,
      link_verdict_name (logged->verdict), link_verdict_name (now->verdict));
  fail_unless_equals_int64 (logged->arrived, now->arrived);
  fail_unless_equals_int (logged->queue_packets, now->queue_packets);
  fail_unless_equals_uint64 (logged->queue_bytes, now->queue_bytes);
  fail_unless_equals_int64 (logged->started, now->started);
  fail_unless_equals_int64 (logged->departed, now->departed);
  fail_unless_equals_int64 (logged->delivered, now->delivered);
  fail_unless_equals_int (logged->marked, now->marked);
  fail_unless_equals_int64 (logged->corrupt_bit, now->corrupt_bit);
}

guint
replay_check (const char *log, const char *direction, const char *spec,
    int32_t overhead)
{
  GArray *rows = replay_rows (log, direction);
  LinkPacket *now = g_new0 (LinkPacket, rows->len + 1);
  LinkConfig config;
  LinkPacket packet;
  char error[LINK_ERROR_SIZE];
  guint i, n = rows->len;
  Link *l;

  fail_unless (link_spec_parse (spec, &config, error), "%s", error);
  if (config.overhead < 0)
    config.overhead = overhead;
  l = link_new (&config);
  for (i = 0; i < n; i++) {
    const LinkPacket *row = &g_array_index (rows, LinkPacket, i);

    now[i].flow = row->flow;
    now[i].size = row->size;
    now[i].ecn = row->ecn;
    link_offer (l, row->arrived, &now[i]);
  }
  while (link_take (l, LINK_NEVER, &packet))
    if (packet.verdict != LINK_DUPLICATE)
      now[packet.sequence] = packet;
  for (i = 0; i < n; i++)
    compare (&g_array_index (rows, LinkPacket, i), &now[i]);
  link_free (l);
  g_free (now);
  g_array_unref (rows);
  return n;
}

guint64
replay_sum (const char *json, const char *direction, const char *member)
{
  char *key = g_strdup_printf ("\"%s\":", member);
  const char *at = json;

  if (direction) {
    char *object = g_strdup_printf ("\"%s\":{", direction);

    at = strstr (json, object);
    fail_unless (at != NULL, "no %s in %s", direction, json);
    g_free (object);
  }
  at = strstr (at, key);
  fail_unless (at != NULL, "no %s in %s", member, json);
  at += strlen (key);
  g_free (key);
  return g_ascii_strtoull (at, NULL, 10);
}
