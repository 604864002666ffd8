/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * A live source in virtual time: it makes packets as a recorded encoder did.
 *
 *   target -> response (lag, overshoot) -> frame sizes of a trace -> packets
 *
 * The source is pure: it uses libc and libm, has no clock and no I/O, and is
 * not thread-safe. A Source is plain data: there is nothing to free, and a copy
 * of it goes on alike. The output depends only on the calls' arguments. Times
 * are int64_t nanoseconds and never go back; targets are bits/s of RTP payload,
 * as the congestion event has them.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_MTU 1200         /* bytes; of the recorded payloaders */
#define SOURCE_RTP_HEADER 12    /* bytes */
#define SOURCE_MAX_RESPONSE 208 /* frames that an encoder takes to obey */

/* A recorded encoder with its payloader. */
typedef struct _SourceEncoder SourceEncoder;

/* All encoders; a null pointer ends the list. */
extern const SourceEncoder *const source_encoders[];

/* Returns the encoder of that name; NULL = there is none. */
const SourceEncoder *source_encoder (const char *name);
const char *source_encoder_name (const SourceEncoder * encoder);
/* Returns the ns from frame to frame. */
int64_t source_encoder_period (const SourceEncoder * encoder);

typedef struct
{
  int64_t at;                   /* when the payloader pushes it */
  uint32_t size;                /* bytes, from the RTP header on */
  uint32_t frame;               /* counts the frames that have packets */
  bool key;                     /* it belongs to a key frame */
  bool last;                    /* the last of its frame: RTP's marker */
} SourcePacket;

typedef struct
{
  const SourceEncoder *encoder;
  int64_t due;                  /* ns; time of the current or the next frame */
  int64_t target, told;         /* the last target, and when it was set */
  int64_t before;               /* the target before the last one */
  int64_t obeyed[SOURCE_MAX_RESPONSE];  /* target at each frame, a ring */
  unsigned now;                 /* the newest entry of obeyed */
  const void *trace;            /* the trace of the current frame */
  double scale;                 /* factor of the frame's sizes in the trace */
  uint32_t position;            /* frame in the traces, which are in step */
  uint32_t picture;             /* the frame used: position, or a key frame */
  uint32_t packet;              /* the recorded packet that comes next */
  uint32_t unit;                /* bytes left of the unit cut into packets */
  uint32_t cuts;                /* how often the frame has been cut */
  uint32_t frame;               /* frames with packets so far */
  bool restart;                 /* the next frame is a key frame */
} Source;

/* Starts an encoder that has worked at `target` for long; its first frame is a
 * key frame at `start`. Seeds begin at different places of the traces. */
void source_init (Source * source, const SourceEncoder * encoder,
    int64_t target, int64_t start, uint32_t seed);

/* Sets the target from `now` on; frames that are due before and were not taken
 * yet have the target before. At 0 nothing leaves, as encoderbitrate has it;
 * the first frame afterwards is a key frame. */
void source_set_target (Source * source, int64_t target, int64_t now);

/* Returns when the next packet comes. The packets of a frame come at one
 * time. */
int64_t source_due (const Source * source);

/* Writes the next packet that is due at `now` or earlier. Returns false if
 * there is none. */
bool source_take (Source * source, int64_t now, SourcePacket * packet);

#endif
