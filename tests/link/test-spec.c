/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * The link's specification: what it accepts, and what it says of the rest.
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "random.h"
#include "spec.h"

#define MS INT64_C (1000000)

static LinkConfig config;
static char text[LINK_ERROR_SIZE];

static void
parse (const char *spec)
{
  fail_unless (link_spec_parse (spec, &config, text), "%s: %s", spec, text);
  fail_unless_equals_string (text, "");
}

GST_START_TEST (test_defaults)
{
  parse ("");
  fail_unless_equals_int (config.schedule.n, 1);
  fail_unless_equals_int64 (config.schedule.step[0].rate, LINK_UNLIMITED);
  fail_unless_equals_int (config.overhead, -1);
  fail_unless_equals_int (config.limit.unit, LINK_LIMIT_PACKETS);
  fail_unless_equals_int64 (config.limit.value, 1000);
  fail_unless_equals_int (config.discipline, LINK_DISCIPLINE_DROP_TAIL);
  fail_unless_equals_int64 (config.impair.delay, 0);
  fail_unless_equals_uint64 (config.seed, 1);
}

GST_END_TEST;

GST_START_TEST (test_times)
{
  static const struct
  {
    const char *spec;
    int64_t ns;
  } rows[] = {
    {"delay=20ms", 20 * MS}, {"delay=0.5ms", 500000}, {"delay=0", 0},
    {"delay=2s", 2000 * MS}, {"delay=7us", 7000}, {"delay=3ns", 3},
    {"delay=0.1s", 100 * MS}, {"delay=20.7ms", 20700000},
    {"delay=1000000s", INT64_C (1000000000000000)},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    parse (rows[i].spec);
    fail_unless_equals_int64 (config.impair.delay, rows[i].ns);
  }
}

GST_END_TEST;

GST_START_TEST (test_rates)
{
  static const struct
  {
    const char *spec;
    int64_t rate;
  } rows[] = {
    {"rate=2M", 2000000}, {"rate=0.8M", 800000}, {"rate=28.8k", 28800},
    {"rate=64000", 64000}, {"rate=1G", 1000000000}, {"rate=2Mi", 2097152},
    {"rate=1Ki", 1024}, {"rate=1Gi", 1073741824}, {"rate=0", 0},
    {"rate=1000G", INT64_C (1000000000000)},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    parse (rows[i].spec);
    fail_unless_equals_int64 (config.schedule.step[0].rate, rows[i].rate);
  }
}

GST_END_TEST;

GST_START_TEST (test_schedule)
{
  parse ("schedule=0:2M/20s:0.8M/40s:2M");
  fail_unless_equals_int (config.schedule.n, 3);
  fail_unless_equals_int64 (config.schedule.step[0].at, 0);
  fail_unless_equals_int64 (config.schedule.step[0].rate, 2000000);
  fail_unless_equals_int64 (config.schedule.step[1].at, 20000 * MS);
  fail_unless_equals_int64 (config.schedule.step[1].rate, 800000);
  fail_unless_equals_int64 (config.schedule.step[2].rate, 2000000);
  parse ("schedule=20s:0,rate=1M");
  fail_unless_equals_int (config.schedule.n, 2);
  fail_unless_equals_int64 (config.schedule.step[0].rate, 1000000);
  fail_unless_equals_int64 (config.schedule.step[1].rate, 0);
}

GST_END_TEST;

GST_START_TEST (test_queues)
{
  static const struct
  {
    const char *spec;
    LinkLimitUnit unit;
    int64_t value;
  } rows[] = {
    {"queue=10p", LINK_LIMIT_PACKETS, 10},
    {"queue=0p", LINK_LIMIT_PACKETS, 0},
    {"queue=20000B", LINK_LIMIT_BYTES, 20000},
    {"queue=300ms", LINK_LIMIT_TIME, 300 * MS},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    parse (rows[i].spec);
    fail_unless_equals_int (config.limit.unit, rows[i].unit);
    fail_unless_equals_int64 (config.limit.value, rows[i].value);
  }
}

GST_END_TEST;

GST_START_TEST (test_disciplines)
{
  parse ("red");
  fail_unless_equals_int (config.discipline, LINK_DISCIPLINE_RED);
  fail_unless_equals_float (config.red.weight, 0.002);
  parse ("red=3:9:0.01:10%:500,gentle,ecn");
  fail_unless_equals_float (config.red.min, 3);
  fail_unless_equals_float (config.red.max, 9);
  fail_unless_equals_float (config.red.weight, 0.01);
  fail_unless_equals_float (config.red.probability, 0.1);
  fail_unless_equals_int (config.red.mean_size, 500);
  fail_unless (config.red.gentle && config.ecn);
  parse ("codel,fq");
  fail_unless (config.fq);
  parse ("ecn=1,gentle=0,red");
  fail_unless (!config.red.gentle && config.ecn);
  parse ("codel");
  fail_unless_equals_int (config.discipline, LINK_DISCIPLINE_CODEL);
  fail_unless_equals_int64 (config.codel.interval, 100 * MS);
  parse ("step=1ms,bleach,drop-ect=0");
  fail_unless_equals_int64 (config.step, MS);
  fail_unless (config.bleach && !config.drop_ect);
  parse ("codel=13ms:200ms");
  fail_unless_equals_int64 (config.codel.target, 13 * MS);
  fail_unless_equals_int64 (config.codel.interval, 200 * MS);
}

GST_END_TEST;

GST_START_TEST (test_impairments)
{
  const LinkImpairConfig *c = &config.impair;

  parse ("loss=0.01,dup=2%,corrupt=0.5,jitter=5ms,reorder=0.1:10ms,seed=99,"
      "overhead=40");
  fail_unless_equals_float (c->loss, 0.01);
  fail_unless_equals_float (c->duplicate, 0.02);
  fail_unless_equals_float (c->corrupt, 0.5);
  fail_unless_equals_int64 (c->jitter, 5 * MS);
  fail_unless (c->shape == LINK_JITTER_UNIFORM && !c->jitter_reorders);
  fail_unless_equals_float (c->reorder, 0.1);
  fail_unless_equals_int64 (c->reorder_extra, 10 * MS);
  fail_unless_equals_uint64 (config.seed, 99);
  fail_unless_equals_int (config.overhead, 40);
  parse ("jitter=30ms:normal:reorder,gilbert=0.1:0.2");
  fail_unless (c->shape == LINK_JITTER_NORMAL && c->jitter_reorders);
  fail_unless (c->bursty);
  fail_unless_equals_float (c->gilbert.to_good, 0.2);
  fail_unless_equals_float (c->gilbert.loss_bad, 1);
  parse ("gilbert=0.1:0.2:0.3:0.4");
  fail_unless_equals_float (c->gilbert.loss_bad, 0.3);
  fail_unless_equals_float (c->gilbert.loss_good, 0.4);
}

GST_END_TEST;

/* The error names the key, and what is wrong. */
GST_START_TEST (test_errors)
{
  static const struct
  {
    const char *spec, *text;
  } rows[] = {
    {"rat=2M", "no key \"rat\"; there are rate schedule"},
    {"=2M", "a key is missing"},
    {",", "a key is missing"},
    {"rate=2M,", "a key is missing"},
    {"rate", "rate: needs a value"},
    {"rate=", "rate: needs a value"},
    {"rate=2M,rate=3M", "rate: given twice"},
    {"rate=2m", "rate: \"2m\" is not a rate"},
    {"rate=2 M", "rate: \"2 M\" is not a rate"},
    {"rate=-2M", "is not a rate"},
    {"rate=+2M", "is not a rate"},
    {"rate=0x10", "is not a rate"},
    {"rate=1e6", "is not a rate"},
    {"rate=nan", "is not a rate"},
    {"rate=inf", "is not a rate"},
    {"rate=.5M", "is not a rate"},
    {"rate=1.2.3M", "is not a rate"},
    {"rate=M", "is not a rate"},
    {"rate=0.1", "less than 1 bit/s"},
    {"rate=1001G", "more than 1000G"},
    {"rate=99999999999999999999", "more than 15 digits"},
    {"delay=20", "delay: \"20\" is not a time"},
    {"delay=20min", "is not a time"},
    {"delay=1000001s", "more than 1000000s"},
    {"delay=20\nms", "\"20?ms\""},
    {"delay=20\xff", "\"20?\""},
    {"queue=10", "queue: \"10\" is not a limit"},
    {"queue=p", "queue: \"\" is not a number"},
    {"queue=1.5p", "not a whole number"},
    {"queue=1000001p", "more than 1000000"},
    {"queue=1000000001B", "more than 1000000000"},
    {"loss=1.5", "loss: \"1.5\" is more than 1"},
    {"loss=150%", "is more than 1"},
    {"loss=%", "is not a probability"},
    {"loss=-0", "is not a probability"},
    {"schedule=2M", "is not time:rate"},
    {"schedule=0:1M/0:2M", "does not follow"},
    {"schedule=0:1M/20s:2M/10s:1M", "time 10s does not follow"},
    {"schedule=0:1M//", "is not time:rate"},
    {"schedule=////", "is not time:rate"},
    {"schedule=0:1M:2M", "is not a rate"},
    {"schedule=20s:1M", "schedule: starts after 0"},
    {"rate=1M,schedule=0:1M", "rate: the schedule"},
    {"red=5:15:0.002", "red: probability is missing"},
    {"red=5:15:0.002:0.02:1000:9", "\"9\" is too much"},
    {"red=15:5:0.002:0.02", "max must be more than min"},
    {"red=5:15:2:0.02", "is more than 1"},
    {"red=5:15:0.1:0.02:0", "mean size is 0"},
    {"red=:15", "red: min is missing"},
    {"red,codel", "codel: red and codel exclude each other"},
    {"codel=5ms", "codel: interval is missing"},
    {"codel=100ms:5ms", "needs 0 < target < interval"},
    {"codel=0:5ms", "needs 0 < target < interval"},
    {"gentle", "gentle: needs red"},
    {"ecn", "ecn: needs red or codel"},
    {"fq", "fq: needs codel"},
    {"fq,red", "fq: needs codel"},
    {"step=0", "step: is 0"},
    {"step", "step: needs a value"},
    {"drop-ect=2", "drop-ect: \"2\" is neither 0 nor 1"},
    {"ecn=yes,red", "ecn: \"yes\" is neither 0 nor 1"},
    {"jitter=5ms:gauss", "none of uniform, normal, reorder"},
    {"jitter=:normal", "time is missing"},
    {"reorder=0.1", "extra delay is missing"},
    {"gilbert=0.1", "bad-to-good is missing"},
    {"overhead=1001", "more than 1000"},
    {"overhead=-1", "is not a number"},
    {"seed=1.5", "not a whole number"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    fail_if (link_spec_parse (rows[i].spec, &config, text), "%s", rows[i].spec);
    fail_unless (strstr (text, rows[i].text) != NULL, "%s: %s", rows[i].spec,
        text);
  }
}

GST_END_TEST;

GST_START_TEST (test_too_much)
{
  GString *spec = g_string_new ("schedule=0:1M");
  int i;

  for (i = 1; i < 1000; i++)
    g_string_append_printf (spec, "/%ds:1M", i);
  fail_if (link_spec_parse (spec->str, &config, text));
  fail_unless (strstr (text, "more than 127 steps") != NULL, "%s", text);
  g_string_assign (spec, "");
  for (i = 0; i < 100000; i++)
    g_string_append_c (spec, 'x');
  fail_if (link_spec_parse (spec->str, &config, text));
  fail_unless (strlen (text) < LINK_ERROR_SIZE);
  fail_unless (strstr (text, "xxx...") != NULL, "%s", text);
  g_string_free (spec, TRUE);
}

GST_END_TEST;

/* Mutated specifications are accepted or refused with a reason; what is
 * accepted lies within the bounds and makes a link. */
GST_START_TEST (test_hostile)
{
  static const char seed[] = "schedule=0:2M/20s:800k,delay=20ms,queue=10p,"
      "red=5:15:0.002:0.02:500,gentle,ecn=1,loss=1%,jitter=5ms:normal,seed=1";
  static const char alphabet[] = "0123456789.:/,=%pBkMGismnu\x01\xff-e ";
  char spec[sizeof seed];
  int i, k, accepted = 0;
  LinkRandom r;

  link_random_init (&r, 1, 0);
  for (i = 0; i < 200000; i++) {
    memcpy (spec, seed, sizeof seed);
    for (k = 0; k < 1 + i % 3; k++)
      spec[link_random_bits (&r) % (sizeof seed - 1)] =
          alphabet[link_random_bits (&r) % (sizeof alphabet - 1)];
    if (i % 7 == 0)
      spec[link_random_bits (&r) % sizeof seed] = '\0';
    if (!link_spec_parse (spec, &config, text)) {
      fail_if (text[0] == '\0');
      continue;
    }
    accepted++;
    fail_unless (config.schedule.n >= 1 && config.schedule.n <= LINK_MAX_STEPS);
    fail_unless (config.impair.delay >= 0 && config.limit.value >= 0);
    fail_unless (config.impair.loss >= 0 && config.impair.loss <= 1);
    fail_unless (config.schedule.step[0].at == 0);
  }
  fail_unless (accepted > 1000, "%d", accepted);
}

GST_END_TEST;

static Suite *
link_spec_suite (void)
{
  Suite *s = suite_create ("link-spec");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_defaults);
  tcase_add_test (tc, test_times);
  tcase_add_test (tc, test_rates);
  tcase_add_test (tc, test_schedule);
  tcase_add_test (tc, test_queues);
  tcase_add_test (tc, test_disciplines);
  tcase_add_test (tc, test_impairments);
  tcase_add_test (tc, test_errors);
  tcase_add_test (tc, test_too_much);
  tcase_add_test (tc, test_hostile);
  return s;
}

GST_CHECK_MAIN (link_spec);
