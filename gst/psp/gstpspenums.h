/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#ifndef __GST_PSP_ENUMS_H__
#define __GST_PSP_ENUMS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstPspLeaky:
 * @GST_PSP_LEAKY_NO: wait for room
 * @GST_PSP_LEAKY_UPSTREAM: drop the new picture
 * @GST_PSP_LEAKY_DOWNSTREAM: drop the oldest picture of which nothing has left
 *
 * What a full queue does.
 */
typedef enum
{
  GST_PSP_LEAKY_NO,
  GST_PSP_LEAKY_UPSTREAM,
  GST_PSP_LEAKY_DOWNSTREAM
} GstPspLeaky;

#define GST_TYPE_PSP_LEAKY (gst_psp_leaky_get_type ())
GType gst_psp_leaky_get_type (void);

/**
 * GstPspPacing:
 * @GST_PSP_PACING_AUTO: real-time scheduling if the system grants it
 * @GST_PSP_PACING_SLEEP: ordinary scheduling, sleeping only
 * @GST_PSP_PACING_REALTIME: as auto, with a warning if it is not granted
 *
 * The precision that is requested from the system for the pacing thread.
 */
typedef enum
{
  GST_PSP_PACING_AUTO,
  GST_PSP_PACING_SLEEP,
  GST_PSP_PACING_REALTIME
} GstPspPacing;

#define GST_TYPE_PSP_PACING (gst_psp_pacing_get_type ())
GType gst_psp_pacing_get_type (void);

/**
 * GstPspEcn:
 * @GST_PSP_ECN_OFF: none
 * @GST_PSP_ECN_ECT1: ECT(1), L4S
 * @GST_PSP_ECN_ECT0: ECT(0)
 *
 * The ECN field of packets; the values are the codepoints (RFC 3168 section 5).
 */
typedef enum
{
  GST_PSP_ECN_OFF = 0,
  GST_PSP_ECN_ECT1 = 1,
  GST_PSP_ECN_ECT0 = 2
} GstPspEcn;

#define GST_TYPE_PSP_ECN (gst_psp_ecn_get_type ())
GType gst_psp_ecn_get_type (void);

/**
 * GstPspSrcFeedback:
 * @GST_PSP_SRC_FEEDBACK_CCFB: RFC 8888, by SSRC
 * @GST_PSP_SRC_FEEDBACK_TWCC: by transport-wide numbers
 *
 * How received packets are reported.
 */
typedef enum
{
  GST_PSP_SRC_FEEDBACK_CCFB,
  GST_PSP_SRC_FEEDBACK_TWCC
} GstPspSrcFeedback;

#define GST_TYPE_PSP_SRC_FEEDBACK (gst_psp_src_feedback_get_type ())
GType gst_psp_src_feedback_get_type (void);

/* The GType GstPspSrtpSuite has the values of PspSrtpSuite. */
#define GST_TYPE_PSP_SRTP_SUITE (gst_psp_srtp_suite_get_type ())
GType gst_psp_srtp_suite_get_type (void);

G_END_DECLS

#endif
