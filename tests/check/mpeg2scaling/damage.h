/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * For tests: what happens to streams on their way.
 */
#ifndef TEST_DAMAGE_H
#define TEST_DAMAGE_H

#include <glib.h>

typedef struct
{
  const gchar *name;
  /* `amount` is what each makes of it. */
  GByteArray *(*apply) (const guint8 * data, gsize size, GRand * rand,
      gdouble amount);
  gdouble amount;
  gboolean slight;              /* most slices can still be read */
} Damage;

extern const Damage damages[];
extern const guint n_damages;

/* Its headers up to the first picture stay, or nothing could be decoded. */
GByteArray *damage_apply (const Damage * damage, const guint8 * data,
    gsize size, guint32 seed);

#endif
