/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A congestion controller: a constant table and plain state. Every handler
 * fills one decision; nothing calls out. Add one by writing cc-NAME.c and
 * naming its class in controller.c.
 */
#ifndef PSP_CORE_CONTROLLER_H
#define PSP_CORE_CONTROLLER_H

#include "report.h"

#define PSP_WINDOW_NONE INT64_MAX
#define PSP_SCALES 5            /* of media-scaling: 0 to 4 */

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

/* What the application allows. The sender enforces the bitrates whatever the
 * controller decides; a controller may use them to know its range. */
typedef struct
{
  int64_t min_bitrate;          /* bits/s of RTP payload, ≥ 0 */
  int64_t max_bitrate;          /* 0 = none */
  int64_t start_bitrate;        /* 0 = the controller's own start */
  int64_t fixed_period;         /* ns, for "fixed" */
  int64_t scale_bitrates[PSP_SCALES];   /* for "media-scaling", ascending; all
                                           0 = its own */
} PspLimits;

/* One packet that has just left. */
typedef struct
{
  int64_t now;
  int64_t index;
  uint32_t size;                /* RTP packet, bytes */
  int64_t in_flight;            /* packets undecided, this one included */
  int64_t window;               /* in force, packets; PSP_WINDOW_NONE = none */
  bool app_limited;             /* as in PspPacketResult */
} PspSent;

/* What is to be done now. A handler changes only the fields it decides; they
 * stay in force until changed. */
typedef struct
{
  int64_t period;               /* ns from one packet's start to the next's;
                                   0 = no spacing */
  int64_t longest_slot;         /* 0 = each packet takes a period, whatever its
                                   size; else one of the mean size does, and
                                   others in proportion, yet not longer */
  int64_t window;               /* packets that may be undecided at once */
  int64_t target_bitrate;       /* RTP payload that fits; PSP_BITRATE_UNKNOWN
                                   where the controller cannot tell */
  int scale;                    /* media-scaling level 0–4, or −1 */
  PspReason reason;             /* of the last change */
  int64_t loss_timeout;         /* a packet undecided for so long is presumed
                                   lost; 0 = the sender's own estimate */
  int64_t next_tick;            /* when on_tick wants to run, or
                                   PSP_TIME_NEVER */
} PspDecision;

typedef struct PspController PspController;

typedef struct
{
  const char *name;
  size_t size;                  /* of the state, PspController included */
  bool needs_feedback;          /* false: works with multicast too */
  void (*init) (PspController * c, int64_t now, PspDecision * d);
  /* The rest may be NULL: ignored. */
  void (*on_sent) (PspController * c, const PspSent * sent, PspDecision * d);
  void (*on_feedback) (PspController * c, const PspReport * report,
      PspDecision * d);
  void (*on_tick) (PspController * c, int64_t now, PspDecision * d);
  void (*on_limits) (PspController * c, int64_t now, PspDecision * d);
} PspControllerClass;

/* The first member of every controller's state. */
struct PspController
{
  const PspControllerClass *klass;
  PspLimits limits;
  double mean_payload;          /* bytes of RTP payload a packet, low-passed by
                                   the sender; for rates in bits/s */
  double mean_size;             /* … and of RTP packet */
};

extern const PspControllerClass psp_cc_none;
extern const PspControllerClass psp_cc_fixed;
extern const PspControllerClass psp_cc_psp;
extern const PspControllerClass psp_cc_damped_psp;
extern const PspControllerClass psp_cc_rap_psp;
extern const PspControllerClass psp_cc_scp;
extern const PspControllerClass psp_cc_media_scaling;
/* Other readings of PSP, for experiments; not in the list. Stale epochs, begun
 * before the last change, count too: */
extern const PspControllerClass psp_cc_psp_stale;
extern const PspControllerClass psp_cc_damped_psp_stale;
/* Losses take back one decrease after another, all since the last increase,
 * before ps doubles: */
extern const PspControllerClass psp_cc_damped_psp_unwind;

/* NULL where no controller has that name. */
const PspControllerClass *psp_controller_find (const char *name);
/* All of them, NULL-terminated, in the order of the documentation. */
const PspControllerClass *const *psp_controller_list (void);

/* Allocates and initializes; NULL when out of memory. */
PspController *psp_controller_new (const PspControllerClass * klass,
    const PspLimits * limits, int64_t now, PspDecision * d);
void psp_controller_free (PspController * c);
/* Back to the state after creation, keeping the limits and the measured packet
 * size; reason RESET. For a changed network path or the reset-controller
 * action. */
void psp_controller_reset (PspController * c, int64_t now, PspDecision * d);
void psp_controller_set_limits (PspController * c, const PspLimits * limits,
    int64_t now, PspDecision * d);
void psp_controller_sent (PspController * c, const PspSent * sent,
    PspDecision * d);
void psp_controller_feedback (PspController * c, const PspReport * report,
    PspDecision * d);
void psp_controller_tick (PspController * c, int64_t now, PspDecision * d);

/* For controllers: the bitrate of packets of the mean payload every `period`
 * ns; PSP_BITRATE_UNKNOWN for a period of 0. */
int64_t psp_controller_bitrate (const PspController * c, double period);
/* … and the period of a bitrate > 0. */
int64_t psp_controller_period (const PspController * c, int64_t bitrate);

#endif
