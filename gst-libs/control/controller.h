/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A congestion controller: a constant table and plain state. Every handler
 * fills one decision and calls nothing outside. To add a controller, write
 * cc-NAME.c and add it to PSP_CONTROLLERS and in meson.build.
 */
#ifndef CONTROL_CONTROLLER_H
#define CONTROL_CONTROLLER_H

#include <control/parameters.h>
#include <control/report.h>

/* A window that does not limit the packets in flight. */
#define PSP_WINDOW_NONE INT64_MAX

/* Why a decision changed; order and meaning of GstCongestionReason. */
typedef enum
{
  PSP_REASON_START,
  PSP_REASON_INCREASE,
  PSP_REASON_LOSS,
  PSP_REASON_TIMEOUT,
  PSP_REASON_DUPACK,
  PSP_REASON_REXMT,
  PSP_REASON_BACKLOG,
  PSP_REASON_ECN,
  PSP_REASON_DELAY,
  PSP_REASON_LIMIT,
  PSP_REASON_RESET
} PspReason;

/* What the application allows. The sender enforces these bitrates whatever the
 * controller decides; a controller may use them to know its range. */
typedef struct
{
  int64_t min_bitrate;          /* bits/s of payload, ≥ 0 */
  int64_t max_bitrate;          /* 0 = none */
  int64_t start_bitrate;        /* 0 = the controller's own start */
  /* A target up to this, or up to start_bitrate, needs no proof; a higher
   * one is at most 3 times the highest rate sent lately. 0 = no target
   * needs one. */
  int64_t unproved_bitrate;
} PspLimits;

/* One packet that has just left. */
typedef struct
{
  int64_t now;
  int64_t index;
  uint32_t size;                /* bytes of the packet */
  int64_t in_flight;            /* undecided packets, including this one */
  bool app_limited;             /* as in PspPacketResult */
  unsigned backlog;             /* packets that wait behind it */
} PspSent;

/* The decision in force. A handler changes only the fields that it decides; the
 * others stay in force. */
typedef struct
{
  int64_t period;               /* ns from one packet's start to the next's;
                                   0 = no spacing */
  /* ns. 0 = each packet takes one period, whatever its size. Otherwise a packet
   * of the mean size takes one period, and other packets take time in
   * proportion to their size, up to this limit. */
  int64_t longest_slot;
  int64_t window;               /* how many packets may be undecided at once */
  /* bits/s of payload; PSP_BITRATE_UNKNOWN = the controller has no target */
  int64_t target_bitrate;
  int scale;                    /* media-scaling level 0–4, or −1 */
  PspReason reason;             /* of the last change */
  /* ns; a packet that stays undecided for longer is presumed lost; 0 = the
   * sender's own estimate */
  int64_t loss_timeout;
  int64_t next_tick;            /* when on_tick runs next, or PSP_TIME_NEVER */
} PspDecision;

typedef struct PspController PspController;

typedef struct
{
  const char *name;
  /* bytes of the state, including PspController */
  size_t size;
  bool needs_feedback;          /* false: works with multicast too */
  /* answers marks of ECT(1) by their share (RFC 9331 section 4.3); false: each
   * mark as a loss, if there is on_feedback */
  bool scalable;
  /* the controller's own parameters; NULL = none */
  const PspParameter *parameters;
  void (*init) (PspController * c, int64_t now, PspDecision * d);
  /* Each handler below may be NULL; its event is then ignored. */
  void (*on_sent) (PspController * c, const PspSent * sent, PspDecision * d);
  void (*on_feedback) (PspController * c, const PspReport * report,
      PspDecision * d);
  void (*on_tick) (PspController * c, int64_t now, PspDecision * d);
  /* The limits or the parameters have changed. */
  void (*on_limits) (PspController * c, int64_t now, PspDecision * d);
} PspControllerClass;

/* Every controller's state begins with this struct. */
struct PspController
{
  const PspControllerClass *klass;
  PspLimits limits;
  /* in the order of the table in the class */
  double parameters[PSP_MAX_PARAMETERS];
  /* bytes of payload per packet, low-passed by the sender, for rates in
   * bits/s */
  double mean_payload;
  /* bytes per packet, low-passed in the same way */
  double mean_size;
  /* bits/s of payload that arrived under the controller before, which need no
   * further proof; 0 = there was none */
  int64_t in_use_bitrate;
};

/* All controllers, in the order of the documentation. cc-*.c defines
 * psp_cc_NAME. */
#define PSP_CONTROLLERS(X) \
  X (none) \
  X (fixed) \
  X (psp) \
  X (damped_psp) \
  X (rap_psp) \
  X (scp) \
  X (poise) \
  X (media_scaling)

#define PSP_CONTROLLER(name) extern const PspControllerClass psp_cc_##name;
PSP_CONTROLLERS (PSP_CONTROLLER)
#undef PSP_CONTROLLER

/* Returns NULL if no controller has that name. */
const PspControllerClass *psp_controller_find (const char *name);
/* Returns all controllers in the order of the documentation,
 * NULL-terminated. */
const PspControllerClass *const *psp_controller_list (void);

/* Allocates and initializes a controller; NULL = out of memory. `parameters`
 * has one value for each entry of the class's table, each within its range;
 * NULL = defaults. */
PspController *psp_controller_new (const PspControllerClass * klass,
    const PspLimits * limits, const double *parameters, int64_t now,
    PspDecision * d);
void psp_controller_free (PspController * c);
/* Returns to the state after creation with reason RESET. Limits, parameters,
 * the measured packet size and in_use_bitrate stay. It is called when the
 * network path changed and by the reset-controller action. */
void psp_controller_reset (PspController * c, int64_t now, PspDecision * d);
void psp_controller_set_limits (PspController * c, const PspLimits * limits,
    int64_t now, PspDecision * d);
void psp_controller_set_parameters (PspController * c,
    const double *parameters, int64_t now, PspDecision * d);

/* These call the handler of the class, if it has one. */

static inline void
psp_controller_sent (PspController * c, const PspSent * sent, PspDecision * d)
{
  if (c->klass->on_sent)
    c->klass->on_sent (c, sent, d);
}

static inline void
psp_controller_feedback (PspController * c, const PspReport * report,
    PspDecision * d)
{
  if (c->klass->on_feedback)
    c->klass->on_feedback (c, report, d);
}

static inline void
psp_controller_tick (PspController * c, int64_t now, PspDecision * d)
{
  if (c->klass->on_tick)
    c->klass->on_tick (c, now, d);
}

/* For controllers: returns the reason of a decision that answers what a report
 * says is lost or marked. */
static inline PspReason
psp_report_reason (const PspReport * report)
{
  if (report->timeout)
    return PSP_REASON_TIMEOUT;
  return report->n_lost == 0 && report->n_ce ? PSP_REASON_ECN : PSP_REASON_LOSS;
}

/* Returns the payload bits of a packet of the mean size, above 0. */
static inline double
psp_controller_mean_bits (const PspController * c)
{
  return 8 * MAX (c->mean_payload, 1.0);
}

/* For controllers: returns the bitrate of packets of the mean payload that
 * leave every `period` ns; PSP_BITRATE_UNKNOWN for a period of 0. */
int64_t psp_controller_bitrate (const PspController * c, double period);
/* For controllers: returns the period in ns of a bitrate above 0. */
int64_t psp_controller_period (const PspController * c, int64_t bitrate);

#endif
