/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "spec.h"

#include <string.h>

#include "value.h"

#define MAX_PACKETS 1000000
#define MAX_BYTES 1000000000
#define MAX_OVERHEAD 1000
#define MAX_SEED INT64_C (999999999999999)

/* A part of "a:b:c" that must be there. */
static bool
field (LinkParser * p, LinkSpan * rest, const char *what, LinkSpan * s)
{
  if (link_span_cut (rest, ':', s) && s->n > 0)
    return true;
  return link_parse_fail (p, "%s is missing", what);
}

static bool
probability_field (LinkParser * p, LinkSpan * rest, const char *what,
    double *value)
{
  LinkSpan s;

  return field (p, rest, what, &s) && link_parse_probability (p, s, value);
}

static bool
packets_field (LinkParser * p, LinkSpan * rest, const char *what, double *value)
{
  LinkSpan s;

  return field (p, rest, what, &s) &&
      link_parse_number (p, s, MAX_PACKETS, value);
}

static bool
time_field (LinkParser * p, LinkSpan * rest, const char *what, int64_t * value)
{
  LinkSpan s;

  return field (p, rest, what, &s) && link_parse_time (p, s, value);
}

static bool
end_of_fields (LinkParser * p, LinkSpan rest)
{
  LinkQuote q;

  return rest.at ? link_parse_fail (p, "\"%s\" is too much",
      link_quote (rest, &q)) : true;
}

static bool
parse_rate (LinkParser * p, LinkSpan s)
{
  return link_parse_rate (p, s, &p->config->schedule.step[0].rate);
}

/* Appends to the step that rate= fills in. */
static bool
parse_schedule (LinkParser * p, LinkSpan s)
{
  LinkSchedule *schedule = &p->config->schedule;
  int64_t last = -1;
  LinkSpan entry, at;
  LinkQuote q;

  while (link_span_cut (&s, '/', &entry)) {
    LinkRateStep *step = &schedule->step[schedule->n];

    if (schedule->n == LINK_MAX_STEPS)
      return link_parse_fail (p, "more than %d steps", LINK_MAX_STEPS - 1);
    link_span_cut (&entry, ':', &at);
    if (!entry.at)
      return link_parse_fail (p, "\"%s\" is not time:rate",
          link_quote (at, &q));
    if (!link_parse_time (p, at, &step->at) ||
        !link_parse_rate (p, entry, &step->rate))
      return false;
    if (step->at <= last)
      return link_parse_fail (p, "time %s does not follow the one before",
          link_quote (at, &q));
    last = step->at;
    schedule->n++;
  }
  return true;
}

static bool
parse_delay (LinkParser * p, LinkSpan s)
{
  return link_parse_time (p, s, &p->config->impair.delay);
}

static bool
parse_queue (LinkParser * p, LinkSpan s)
{
  LinkLimit *limit = &p->config->limit;
  LinkSpan count = { s.at, s.n - 1 };
  LinkQuote q;

  switch (s.at[s.n - 1]) {
    case 'p':
      limit->unit = LINK_LIMIT_PACKETS;
      return link_parse_whole (p, count, MAX_PACKETS, &limit->value);
    case 'B':
      limit->unit = LINK_LIMIT_BYTES;
      return link_parse_whole (p, count, MAX_BYTES, &limit->value);
    case 's':
      limit->unit = LINK_LIMIT_TIME;
      return link_parse_time (p, s, &limit->value);
  }
  return link_parse_fail (p,
      "\"%s\" is not a limit (like 10p, 20000B or 300ms)", link_quote (s, &q));
}

static bool
parse_loss (LinkParser * p, LinkSpan s)
{
  return link_parse_probability (p, s, &p->config->impair.loss);
}

static bool
parse_gilbert (LinkParser * p, LinkSpan s)
{
  LinkGilbert *g = &p->config->impair.gilbert;

  p->config->impair.bursty = true;
  g->loss_bad = 1.0;
  if (!probability_field (p, &s, "good-to-bad", &g->to_bad) ||
      !probability_field (p, &s, "bad-to-good", &g->to_good))
    return false;
  if (s.at && !probability_field (p, &s, "loss in bad", &g->loss_bad))
    return false;
  if (s.at && !probability_field (p, &s, "loss in good", &g->loss_good))
    return false;
  return end_of_fields (p, s);
}

static bool
parse_corrupt (LinkParser * p, LinkSpan s)
{
  return link_parse_probability (p, s, &p->config->impair.corrupt);
}

static bool
parse_dup (LinkParser * p, LinkSpan s)
{
  return link_parse_probability (p, s, &p->config->impair.duplicate);
}

static bool
parse_jitter (LinkParser * p, LinkSpan s)
{
  LinkImpairConfig *c = &p->config->impair;
  LinkSpan option;
  LinkQuote q;

  if (!time_field (p, &s, "time", &c->jitter))
    return false;
  while (link_span_cut (&s, ':', &option)) {
    if (link_span_is (option, "uniform"))
      c->shape = LINK_JITTER_UNIFORM;
    else if (link_span_is (option, "normal"))
      c->shape = LINK_JITTER_NORMAL;
    else if (link_span_is (option, "reorder"))
      c->jitter_reorders = true;
    else
      return link_parse_fail (p, "\"%s\" is none of uniform, normal, reorder",
          link_quote (option, &q));
  }
  return true;
}

static bool
parse_reorder (LinkParser * p, LinkSpan s)
{
  LinkImpairConfig *c = &p->config->impair;

  return probability_field (p, &s, "probability", &c->reorder) &&
      time_field (p, &s, "extra delay", &c->reorder_extra) &&
      end_of_fields (p, s);
}

static bool
discipline (LinkParser * p, LinkDiscipline which)
{
  if (p->config->discipline != LINK_DISCIPLINE_DROP_TAIL)
    return link_parse_fail (p, "red and codel exclude each other");
  p->config->discipline = which;
  return true;
}

static bool
parse_red (LinkParser * p, LinkSpan s)
{
  LinkRedConfig *c = &p->config->red;
  int64_t size = c->mean_size;

  if (!discipline (p, LINK_DISCIPLINE_RED))
    return false;
  if (!s.at)
    return true;
  if (!packets_field (p, &s, "min", &c->min) ||
      !packets_field (p, &s, "max", &c->max) ||
      !probability_field (p, &s, "weight", &c->weight) ||
      !probability_field (p, &s, "probability", &c->probability))
    return false;
  if (c->max <= c->min)
    return link_parse_fail (p, "max must be more than min");
  if (s.at) {
    LinkSpan mean;

    if (!field (p, &s, "mean size", &mean) ||
        !link_parse_whole (p, mean, LINK_MAX_SIZE, &size))
      return false;
    if (size == 0)
      return link_parse_fail (p, "mean size is 0");
  }
  c->mean_size = (uint32_t) size;
  return end_of_fields (p, s);
}

static bool
parse_codel (LinkParser * p, LinkSpan s)
{
  LinkCodelConfig *c = &p->config->codel;

  if (!discipline (p, LINK_DISCIPLINE_CODEL))
    return false;
  if (!s.at)
    return true;
  if (!time_field (p, &s, "target", &c->target) ||
      !time_field (p, &s, "interval", &c->interval) || !end_of_fields (p, s))
    return false;
  if (c->target == 0 || c->interval <= c->target)
    return link_parse_fail (p, "needs 0 < target < interval");
  return true;
}

static bool
parse_gentle (LinkParser * p, LinkSpan s)
{
  return link_parse_flag (p, s, &p->config->red.gentle);
}

static bool
parse_ecn (LinkParser * p, LinkSpan s)
{
  return link_parse_flag (p, s, &p->config->ecn);
}

static bool
parse_fq (LinkParser * p, LinkSpan s)
{
  return link_parse_flag (p, s, &p->config->fq);
}

static bool
parse_step (LinkParser * p, LinkSpan s)
{
  if (!link_parse_time (p, s, &p->config->step))
    return false;
  return p->config->step > 0 ? true : link_parse_fail (p, "is 0");
}

static bool
parse_bleach (LinkParser * p, LinkSpan s)
{
  return link_parse_flag (p, s, &p->config->bleach);
}

static bool
parse_drop_ect (LinkParser * p, LinkSpan s)
{
  return link_parse_flag (p, s, &p->config->drop_ect);
}

static bool
parse_overhead (LinkParser * p, LinkSpan s)
{
  int64_t value;

  if (!link_parse_whole (p, s, MAX_OVERHEAD, &value))
    return false;
  p->config->overhead = (int32_t) value;
  return true;
}

static bool
parse_seed (LinkParser * p, LinkSpan s)
{
  int64_t value;

  if (!link_parse_whole (p, s, MAX_SEED, &value))
    return false;
  p->config->seed = (uint64_t) value;
  return true;
}

enum
{ KEY_RATE, KEY_SCHEDULE };     /* the first of the table */

static const struct
{
  const char *name;
  bool optional;                /* the value */
  bool (*parse) (LinkParser * p, LinkSpan s);
} keys[] = {
  {"rate", false, parse_rate},
  {"schedule", false, parse_schedule},
  {"delay", false, parse_delay},
  {"queue", false, parse_queue},
  {"red", true, parse_red},
  {"gentle", true, parse_gentle},
  {"codel", true, parse_codel},
  {"fq", true, parse_fq},
  {"ecn", true, parse_ecn},
  {"step", false, parse_step},
  {"bleach", true, parse_bleach},
  {"drop-ect", true, parse_drop_ect},
  {"loss", false, parse_loss},
  {"gilbert", false, parse_gilbert},
  {"corrupt", false, parse_corrupt},
  {"dup", false, parse_dup},
  {"jitter", false, parse_jitter},
  {"reorder", false, parse_reorder},
  {"overhead", false, parse_overhead},
  {"seed", false, parse_seed},
};

#define N_KEYS (sizeof keys / sizeof keys[0])

static bool
unknown_key (LinkParser * p, LinkSpan key)
{
  char known[LINK_ERROR_SIZE] = "";
  size_t i;
  LinkQuote q;

  for (i = 0; i < N_KEYS; i++) {
    strcat (known, i ? " " : "");
    strcat (known, keys[i].name);
  }
  return link_parse_fail (p, "no key \"%s\"; there are %s",
      link_quote (key, &q), known);
}

static bool
parse_item (LinkParser * p, LinkSpan item, bool seen[N_KEYS])
{
  LinkSpan key;
  size_t i;

  link_span_cut (&item, '=', &key);
  if (key.n == 0)
    return link_parse_fail (p, "a key is missing (like rate=2M,delay=20ms)");
  for (i = 0; i < N_KEYS && !link_span_is (key, keys[i].name); i++);
  if (i == N_KEYS)
    return unknown_key (p, key);
  p->key = keys[i].name;
  if (seen[i])
    return link_parse_fail (p, "given twice");
  seen[i] = true;
  if (item.at ? item.n == 0 : !keys[i].optional)
    return link_parse_fail (p, "needs a value");
  if (!keys[i].parse (p, item))
    return false;
  p->key = NULL;
  return true;
}

/* rate= rules until the schedule starts. */
static bool
join_schedule (LinkParser * p, bool has_rate)
{
  LinkSchedule *s = &p->config->schedule;

  if (s->step[1].at > 0)
    return has_rate ? true : link_parse_fail (p,
        "schedule: starts after 0; give the rate before it by rate=");
  if (has_rate)
    return link_parse_fail (p, "rate: the schedule, from 0 on, overrides it");
  memmove (s->step, s->step + 1, (s->n - 1) * sizeof s->step[0]);
  s->n--;
  return true;
}

static bool
check_flags (LinkParser * p)
{
  const LinkConfig *c = p->config;

  if (c->red.gentle && c->discipline != LINK_DISCIPLINE_RED)
    return link_parse_fail (p, "gentle: needs red");
  if (c->fq && c->discipline != LINK_DISCIPLINE_CODEL)
    return link_parse_fail (p, "fq: needs codel");
  if (c->ecn && c->discipline == LINK_DISCIPLINE_DROP_TAIL)
    return link_parse_fail (p, "ecn: needs red or codel");
  return true;
}

bool
link_spec_parse (const char *spec, LinkConfig * config,
    char error[LINK_ERROR_SIZE])
{
  bool seen[N_KEYS] = { false };
  LinkParser p = { NULL, error, config };
  LinkSpan rest = { spec, strlen (spec) };
  LinkSpan item;

  error[0] = '\0';
  link_config_init (config);
  if (rest.n == 0)
    return true;
  while (link_span_cut (&rest, ',', &item))
    if (!parse_item (&p, item, seen))
      return false;
  if (seen[KEY_SCHEDULE] && !join_schedule (&p, seen[KEY_RATE]))
    return false;
  return check_flags (&p);
}
