/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the recoder allocates: little, and nothing once it has seen the largest
 * picture. The allocator's functions are wrapped (meson.build).
 */
#include "../mpeg2/rewriting.h"

#include "recoding.h"

/* Frames: some groups. */
#define N_WARM 60
#define MAX_STATE (10 << 20)

static guint n_allocated;
static gsize n_bytes;           /* in all, freed or not */

void *__real_malloc (size_t size);
void *__real_calloc (size_t n, size_t size);
void *__real_realloc (void *memory, size_t size);
void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t n, size_t size);
void *__wrap_realloc (void *memory, size_t size);

void *
__wrap_malloc (size_t size)
{
  n_allocated++;
  n_bytes += size;
  return __real_malloc (size);
}

void *
__wrap_calloc (size_t n, size_t size)
{
  n_allocated++;
  n_bytes += n * size;
  return __real_calloc (n, size);
}

void *
__wrap_realloc (void *memory, size_t size)
{
  n_allocated++;
  n_bytes += size;
  return __real_realloc (memory, size);
}

typedef struct
{
  guint n;
  guint n_warm;                 /* allocations up to there */
  guint n_later;
} Counting;

static void
count (gpointer user, M2vRecoder * r G_GNUC_UNUSED, guint n)
{
  Counting *c = user;

  if (n == N_WARM)
    c->n_warm = n_allocated;
  c->n = n;
}

static void
after (gpointer user, const M2vFrame * frame G_GNUC_UNUSED,
    const guint8 * const data[2] G_GNUC_UNUSED,
    const M2vDecision * decision G_GNUC_UNUSED)
{
  Counting *c = user;

  if (c->n >= N_WARM)
    c->n_later = n_allocated - c->n_warm;
}

static void
check_stream (const gchar * name, const guint8 * data, gsize size)
{
  for (guint i = 0; i < 2; i++) {
    Counting c = { 0, 0, 0 };
    Recode how = recode_all (400000);
    Recoded r;

    how.settings.drift = M2V_DRIFT_ALL;
    how.settings.rate_distortion = i == 1;
    how.before = count;
    how.after = after;
    how.user = &c;
    n_allocated = 0;
    n_bytes = 0;
    r = recode (&how, data, size);
    GST_INFO ("%s: %u allocations, %" G_GSIZE_FORMAT " bytes", name,
        n_allocated, n_bytes);
    fail_unless (r.stats.recoded > N_WARM);
    fail_unless (c.n > N_WARM && c.n_warm > 2, "%s: %u", name, c.n_warm);
    fail_unless (c.n_later == 0, "%s: %u allocations", name, c.n_later);
    fail_unless (n_bytes < MAX_STATE, "%s: %" G_GSIZE_FORMAT " bytes", name,
        n_bytes);
    g_byte_array_unref (r.out);
  }
}

GST_START_TEST (test_allocations)
{
  for_each_stream (FALSE, check_stream);
}

GST_END_TEST;

static Suite *
recodermemory_suite (void)
{
  Suite *s = suite_create ("mpeg2scaling-recodermemory");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 600);
  tcase_add_test (tc, test_allocations);
  return s;
}

GST_CHECK_MAIN (recodermemory);
