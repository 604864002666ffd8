/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A live source in virtual time: it makes packets as a recorded encoder did.
 *
 *   target -> response (lag, overshoot) -> frame sizes of a trace -> packets
 *
 * Pure: libc and libm, no clock, no I/O, not thread-safe. A Source is plain
 * data: nothing to free, and a copy of it goes on alike. What comes out depends
 * only on the calls' arguments. Times are int64_t nanoseconds and never go
 * back; targets are bits/s of RTP payload, as the congestion event has them.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_MTU 1200         /* of the payloaders that were recorded */
#define SOURCE_RTP_HEADER 12
#define SOURCE_MAX_RESPONSE 208 /* frames that an encoder takes to obey */

/* A recorded encoder with its payloader. */
typedef struct _SourceEncoder SourceEncoder;

/* Ends with a null pointer. */
extern const SourceEncoder *const source_encoders[];

/* A null pointer if there is none of that name. */
const SourceEncoder *source_encoder (const char *name);
const char *source_encoder_name (const SourceEncoder * encoder);
/* ns from frame to frame */
int64_t source_encoder_period (const SourceEncoder * encoder);

typedef struct
{
  int64_t at;                   /* when the payloader pushes it */
  uint32_t size;                /* bytes, from the RTP header on */
  uint32_t frame;               /* counts the frames that have packets */
  bool key;                     /* of a key frame */
  bool last;                    /* of its frame: RTP's marker */
} SourcePacket;

typedef struct
{
  const SourceEncoder *encoder;
  int64_t due;                  /* the present frame's time, or the next one's */
  int64_t target, told;         /* the last one, and when */
  int64_t before;               /* the one before it */
  int64_t obeyed[SOURCE_MAX_RESPONSE];  /* target at each frame, a ring */
  unsigned now;                 /* its newest entry */
  const void *trace;            /* that the present frame is taken from, */
  double scale;                 /* what its sizes are multiplied by */
  uint32_t position;            /* frame in the traces, which are in step */
  uint32_t picture;             /* that, or another one that is a key frame */
  uint32_t packet;              /* recorded packet that comes next */
  uint32_t unit;                /* bytes left of what is cut into packets, */
  uint32_t cuts;                /* and how often the frame has been cut */
  uint32_t frame;               /* frames with packets so far */
  bool restart;                 /* with a key frame */
} Source;

/* An encoder that has worked at `target` for long; its first frame is a key
 * frame at `start`. Seeds begin at different places of the traces. */
void source_init (Source * source, const SourceEncoder * encoder,
    int64_t target, int64_t start, uint32_t seed);

/* What the encoder is told from `now` on; frames that are due before and were
 * not taken yet have the target before. At 0 nothing leaves, as encoderbitrate
 * has it; what comes first afterwards is a key frame. */
void source_set_target (Source * source, int64_t target, int64_t now);

/* When the next packet comes. The packets of a frame come at one time. */
int64_t source_due (const Source * source);

/* The next packet that is due at `now` or earlier; false if there is none. */
bool source_take (Source * source, int64_t now, SourcePacket * packet);

#endif
