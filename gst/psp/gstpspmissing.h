/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Which pictures of a stream do not reach the receiver, and so which others
 * cannot be decoded there, as far as the pictures say what they refer to.
 */
#ifndef __GST_PSP_MISSING_H__
#define __GST_PSP_MISSING_H__

#include <gst/congestion/congestion.h>

G_BEGIN_DECLS

/* A stream whose key pictures lie further apart than this, and than twice the
 * longest distance so far, may have none any more: its decoders recover without
 * (intra refresh). In pictures: 10 s of 30 a second. */
#define GST_PSP_MISSING_MAX_GROUP 300

/* What GstCodedPictureMeta says. */
typedef struct
{
  gboolean known;               /* it says anything */
  gboolean key;
  gboolean disposable;
  guint64 id;
  guint64 references;
} GstPspPlace;

/* All zeros: nothing has come yet. */
typedef struct
{
  gboolean begun;
  guint64 newest;               /* id of the last picture */
  guint64 ids;                  /* bit i: the picture newest - i is missing */
  gboolean older;               /* as is one before, since the key picture */
  guint64 key;                  /* id of the last key picture, or of the first */
  guint64 longest;              /* distance between two key pictures */
} GstPspMissing;

void gst_psp_place_read (GstPspPlace * place, GstBuffer * buffer);

/* The next picture in coded order, whose place is known, or the same one again.
 * TRUE where it is missing, or as good as that, since it refers to a missing
 * one. Ids that are left out are missing. */
gboolean gst_psp_missing_next (GstPspMissing * m, const GstPspPlace * place);

/* Whether the last picture, which has this place, refers to a missing one. */
gboolean gst_psp_missing_concerns (const GstPspMissing * m,
    const GstPspPlace * place);

/* This one of the pictures so far is missing. */
void gst_psp_missing_add (GstPspMissing * m, guint64 id);

G_END_DECLS

#endif
