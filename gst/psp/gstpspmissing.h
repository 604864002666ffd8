/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Finds which pictures of a stream do not reach the receiver, and which others
 * therefore cannot be decoded there, from the references in
 * GstCodedPictureMeta.
 */
#ifndef __GST_PSP_MISSING_H__
#define __GST_PSP_MISSING_H__

#include <gst/congestion/congestion.h>

G_BEGIN_DECLS

/* Pictures, 10 s at 30 pictures/s. A stream without a key picture for more than
 * this, and for more than twice the longest distance so far, may have no more
 * key pictures: its decoders recover by intra refresh. */
#define GST_PSP_MISSING_MAX_GROUP 300

/* The content of GstCodedPictureMeta. */
typedef struct
{
  gboolean known;               /* the picture has the meta */
  gboolean key;
  gboolean disposable;
  guint64 id;
  guint64 references;
} GstPspPlace;

/* The initial state is all zeros. */
typedef struct
{
  gboolean begun;
  guint64 newest;               /* id of the last picture */
  guint64 ids;                  /* bit i: the picture newest - i is missing */
  gboolean older;               /* an older picture since the key picture is
                                   missing */
  guint64 key;                  /* id of the last key picture, or first id */
  guint64 longest;              /* most pictures between two key pictures */
} GstPspMissing;

void gst_psp_place_read (GstPspPlace * place, GstBuffer * buffer);

/* Takes the next picture in coded order, whose place is known, or the same one
 * again. Returns TRUE if it is missing, or counts as missing because it refers
 * to a missing one. Skipped ids are missing. */
gboolean gst_psp_missing_next (GstPspMissing * m, const GstPspPlace * place);

/* True if the last picture, which has this place, refers to a missing one. */
gboolean gst_psp_missing_concerns (const GstPspMissing * m,
    const GstPspPlace * place);

/* Notes that this picture, the last or an earlier one, is missing. */
void gst_psp_missing_add (GstPspMissing * m, guint64 id);

G_END_DECLS

#endif
