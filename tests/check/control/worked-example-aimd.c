/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * "aimd": congestion avoidance of RFC 5681 section 3.1, and nothing else. A
 * window that grows by one packet a round trip and halves at a loss. The
 * worked example of docs/controllers.md, "Add one in an hour".
 */
#include <control/controller.h>
#include <control/path.h>

#include <math.h>

static const struct
{
  double first_window, min_window, max_window;
  double increase, decrease;
} defaults = {
  .first_window = 10,           /* RFC 6928 */
  .min_window = 2,              /* RFC 5681 equation 4 */
  .max_window = 8192,           /* ours: half of what the history remembers */
  .increase = 1,                /* RFC 5681 equation 3 */
  .decrease = 0.5,              /* RFC 5681 equation 4 */
};

typedef struct
{
  PspController base;           /* first */
  double window;                /* packets */
  int64_t last_sent;            /* index */
  int64_t episode;              /* losses before this index are answered */
  PspPath path;
} Aimd;

static void
publish (Aimd * c, PspDecision * d)
{
  double rtt = c->path.rtt.smoothed;

  d->window = (int64_t) c->window;
  if (!c->path.last_rtt)
    return;
  d->period = (int64_t) (rtt / c->window);
  d->target_bitrate = psp_controller_bitrate (&c->base, rtt / c->window);
}

static void
aimd_init (PspController * base, int64_t now, PspDecision * d)
{
  Aimd *c = (Aimd *) base;

  (void) now;
  c->window = defaults.first_window;
  c->last_sent = -1;
  psp_path_init (&c->path);
  publish (c, d);
}

static void
aimd_on_sent (PspController * base, const PspSent * sent, PspDecision * d)
{
  (void) d;
  ((Aimd *) base)->last_sent = sent->index;
}

/* One back-off for what was lost in one flight. */
static void
back_off (Aimd * c, const PspReport * report, PspDecision * d)
{
  c->window = fmax (c->window * defaults.decrease, defaults.min_window);
  c->episode = c->last_sent + 1;
  d->reason = psp_report_reason (report);
}

static void
aimd_on_feedback (PspController * base, const PspReport * report,
    PspDecision * d)
{
  Aimd *c = (Aimd *) base;
  size_t i;

  psp_path_add (&c->path, report, 0);
  for (i = 0; i < report->n_results; i++) {
    const PspPacketResult *r = &report->results[i];

    if (psp_result_is_congestion (r)) {
      if (r->index >= c->episode)
        back_off (c, report, d);
    } else if (r->outcome == PSP_OUTCOME_RECEIVED && !r->app_limited) {
      /* Silence is not capacity: what the application held back shows none. */
      c->window = fmin (c->window + defaults.increase / c->window,
          defaults.max_window);
      d->reason = PSP_REASON_INCREASE;
    }
  }
  publish (c, d);
}

/* controller.h would have this line. */
extern const PspControllerClass psp_cc_aimd;

const PspControllerClass psp_cc_aimd = {
  .name = "aimd",
  .size = sizeof (Aimd),
  .needs_feedback = true,
  .init = aimd_init,
  .on_sent = aimd_on_sent,
  .on_feedback = aimd_on_feedback,
};
