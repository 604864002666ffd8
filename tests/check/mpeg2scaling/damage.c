/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "damage.h"

#include <math.h>

#include <mpeg2/types.h>
#include <startcode/startcode.h>

#define CODE_SIZE 4

/* The start code at or behind `from`; size where there is none. */
static gsize
next_code (const guint8 * data, gsize size, gsize from)
{
  gsize at = start_code_find (data, size, from);

  return at + CODE_SIZE <= size ? at : size;
}

static gboolean
is_slice (const guint8 * data, gsize size, gsize at)
{
  return at + CODE_SIZE <= size && m2v_code_is_slice (data[at + 3]);
}

static gboolean
happens (GRand * rand, gdouble probability)
{
  return g_rand_double (rand) < probability;
}

/* `amount`: of the bits, that are turned. */
static GByteArray *
turn_bits (const guint8 * data, gsize size, GRand * rand, gdouble amount)
{
  GByteArray *out = g_byte_array_new ();
  gdouble at = 0;

  g_byte_array_append (out, data, size);
  for (;;) {
    gsize bit;

    /* Geometric distances are what independent errors have. */
    at += 1 + floor (log1p (-g_rand_double (rand)) / log1p (-amount));
    if (at >= 8. * size)
      return out;
    bit = (gsize) at;
    out->data[bit / 8] ^= 0x80 >> bit % 8;
  }
}

/* `amount` pieces of about 100 bytes are gone, and the end. */
static GByteArray *
cut (const guint8 * data, gsize size, GRand * rand, gdouble amount)
{
  GByteArray *out = g_byte_array_new ();

  g_byte_array_append (out, data,
      size - g_rand_int_range (rand, 1, (gint) size / 20));
  for (guint i = 0; i < (guint) amount; i++) {
    guint n = g_rand_int_range (rand, 1, 200);

    if (out->len > 2 * n)
      g_byte_array_remove_range (out, g_rand_int_range (rand, 0,
              out->len - n), n);
  }
  return out;
}

/* What a start code is followed by, up to the next. */
typedef enum
{
  UNIT_KEEP,
  UNIT_DROP,
  UNIT_TWICE
} Unit;

static GByteArray *
select_units (const guint8 * data, gsize size, GRand * rand, gdouble amount,
    Unit (*choose) (const guint8 * unit, gsize size))
{
  GByteArray *out = g_byte_array_new ();
  gsize at = 0, end;

  for (; at < size; at = end) {
    gboolean code = at + CODE_SIZE <= size && data[at + 2] == 1;
    Unit unit = UNIT_KEEP;

    end = next_code (data, size, at + 1);
    if (code && happens (rand, amount))
      unit = choose (data + at, end - at);
    for (guint i = 0; i < (unit == UNIT_DROP ? 0 : unit == UNIT_TWICE ? 2 : 1);
        i++)
      g_byte_array_append (out, data + at, end - at);
  }
  return out;
}

static Unit
drop_picture_header (const guint8 * unit, gsize size G_GNUC_UNUSED)
{
  return unit[3] == M2V_CODE_PICTURE ? UNIT_DROP : UNIT_KEEP;
}

static Unit
drop_sequence (const guint8 * unit, gsize size G_GNUC_UNUSED)
{
  return unit[3] == M2V_CODE_SEQUENCE ? UNIT_DROP : UNIT_KEEP;
}

static Unit
drop_coding (const guint8 * unit, gsize size)
{
  return unit[3] == M2V_CODE_EXTENSION && size > CODE_SIZE
      && unit[4] >> 4 == M2V_EXTENSION_PICTURE_CODING ? UNIT_DROP : UNIT_KEEP;
}

static Unit
drop_slice (const guint8 * unit, gsize size)
{
  return is_slice (unit, size, 0) ? UNIT_DROP : UNIT_KEEP;
}

static Unit
repeat_slice (const guint8 * unit, gsize size)
{
  return is_slice (unit, size, 0) ? UNIT_TWICE : UNIT_KEEP;
}

static Unit
repeat_any (const guint8 * unit G_GNUC_UNUSED, gsize size G_GNUC_UNUSED)
{
  return UNIT_TWICE;
}

#define SELECTION(name) \
  static GByteArray * \
  apply_##name (const guint8 * data, gsize size, GRand * rand, \
      gdouble amount) \
  { \
    return select_units (data, size, rand, amount, name); \
  }

/* *INDENT-OFF* */
SELECTION (drop_picture_header)
SELECTION (drop_sequence)
SELECTION (drop_coding)
SELECTION (drop_slice)
SELECTION (repeat_slice)
SELECTION (repeat_any)
/* *INDENT-ON* */

/* Start codes of any kind, or of slices, in so many of the slices. */
static GByteArray *
add_codes (const guint8 * data, gsize size, GRand * rand, gdouble amount)
{
  GByteArray *out = g_byte_array_new ();
  gsize end;

  g_byte_array_append (out, data, size);
  for (gsize at = next_code (data, size, 0); at < size; at = end) {
    end = next_code (data, size, at + 1);
    if (is_slice (data, size, at) && end - at > 16 && happens (rand, amount)) {
      guint8 *inside = out->data + g_rand_int_range (rand, at + 5, end - 4);

      inside[0] = inside[1] = 0;
      inside[2] = 1;
      inside[3] = g_rand_boolean (rand) ? g_rand_int_range (rand, 1, 40)
          : g_rand_int_range (rand, 0, 256);
    }
  }
  return out;
}

/* Slices that change places with the next one. */
static GByteArray *
swap_slices (const guint8 * data, gsize size, GRand * rand, gdouble amount)
{
  GByteArray *out = g_byte_array_new ();
  gsize at = 0, end, behind;

  for (; at < size; at = end) {
    end = next_code (data, size, at + 1);
    behind = end < size ? next_code (data, size, end + 1) : end;
    if (is_slice (data, size, at) && is_slice (data, size, end)
        && happens (rand, amount)) {
      g_byte_array_append (out, data + end, behind - end);
      g_byte_array_append (out, data + at, end - at);
      end = behind;
    } else {
      g_byte_array_append (out, data + at, end - at);
    }
  }
  return out;
}

/* Before start codes. */
static GByteArray *
add_garbage (const guint8 * data, gsize size, GRand * rand, gdouble amount)
{
  GByteArray *out = g_byte_array_new ();
  gsize at = 0, end;

  for (; at < size; at = end) {
    guint n = happens (rand, amount) ? g_rand_int_range (rand, 1, 64) : 0;

    end = next_code (data, size, at + 1);
    for (guint i = 0; i < n; i++) {
      guint8 byte = g_rand_int_range (rand, 0, 256);

      g_byte_array_append (out, &byte, 1);
    }
    g_byte_array_append (out, data + at, end - at);
  }
  return out;
}

/* *INDENT-OFF* */
const Damage damages[] = {
  {"bits, 1e-5", turn_bits, 1e-5, TRUE},
  {"bits, 1e-4", turn_bits, 1e-4, TRUE},
  {"bits, 1e-3", turn_bits, 1e-3, FALSE},
  {"cuts", cut, 20, TRUE},
  {"no picture headers", apply_drop_picture_header, .1, FALSE},
  {"no sequence headers", apply_drop_sequence, 1, TRUE},
  {"no coding extensions", apply_drop_coding, .1, FALSE},
  {"no slices", apply_drop_slice, .02, TRUE},
  {"slices twice", apply_repeat_slice, .02, TRUE},
  {"anything twice", apply_repeat_any, .02, FALSE},
  {"codes in slices", add_codes, .02, FALSE},
  {"slices in wrong order", swap_slices, .05, TRUE},
  {"garbage", add_garbage, .02, TRUE},
};
/* *INDENT-ON* */

const guint n_damages = G_N_ELEMENTS (damages);

GByteArray *
damage_apply (const Damage * damage, const guint8 * data, gsize size,
    guint32 seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  gsize kept = next_code (data, size, 0);
  GByteArray *out;

  while (kept < size && data[kept + 3] != M2V_CODE_PICTURE)
    kept = next_code (data, size, kept + 1);
  out = damage->apply (data + kept, size - kept, rand, damage->amount);
  g_byte_array_prepend (out, data, kept);
  g_rand_free (rand);
  return out;
}
