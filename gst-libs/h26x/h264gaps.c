/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include <h26x/h264gaps.h>

#include <string.h>

/* Reads the bits of an RBSP and skips emulation prevention bytes (7.3.1). */
typedef struct
{
  const uint8_t *data;
  size_t size;
  size_t at;                    /* byte of the next bit */
  unsigned bit;                 /* bits of that byte already read */
  /* that byte follows an emulation prevention byte */
  bool escaped;
  bool error;                   /* a read passed the end */
} Bits;

static unsigned
read_bit (Bits * b)
{
  unsigned value;

  if (b->bit == 0) {
    b->escaped = b->at >= 2 && b->at < b->size && b->data[b->at] == 3
        && b->data[b->at - 1] == 0 && b->data[b->at - 2] == 0;
    b->at += b->escaped;
  }
  if (b->at >= b->size) {
    b->error = true;
    return 0;
  }
  value = b->data[b->at] >> (7 - b->bit) & 1;
  b->bit = (b->bit + 1) & 7;
  b->at += b->bit == 0;
  return value;
}

static uint32_t
read_bits (Bits * b, unsigned n)
{
  uint32_t value = 0;

  while (n-- > 0)
    value = value << 1 | read_bit (b);
  return value;
}

/* Reads ue(v) (9.1). */
static uint32_t
read_ue (Bits * b)
{
  unsigned zeros = 0;

  while (zeros < 32 && !b->error && read_bit (b) == 0)
    zeros++;
  if (zeros == 32)
    b->error = true;
  return b->error ? 0 : (UINT32_C (1) << zeros) - 1 + read_bits (b, zeros);
}

/* Reads se(v) modulo 256, as scaling lists need it. */
static int
read_se (Bits * b)
{
  uint32_t k = read_ue (b);
  int value = (int) (k / 2 & 0xff) + (int) (k & 1);

  return k & 1 ? value : -value;
}

/* Skips a scaling_list (7.3.2.1.1.1). */
static void
skip_scaling_list (Bits * b, unsigned size)
{
  int last = 8, next = 8;

  for (unsigned i = 0; i < size && !b->error; i++) {
    if (next != 0)
      next = (last + read_se (b)) & 0xff;
    last = next == 0 ? last : next;
  }
}

static bool
has_chroma_format (unsigned profile)
{
  static const uint8_t profiles[] = { 100, 110, 122, 244, 44, 83, 86, 118, 128,
    138, 139, 134, 135
  };

  return memchr (profiles, (int) profile, sizeof profiles) != NULL;
}

static void
skip_chroma_format (Bits * b)
{
  uint32_t chroma_format = read_ue (b);

  if (chroma_format == 3)
    read_bit (b);
  read_ue (b);
  read_ue (b);
  read_bit (b);
  if (read_bit (b))
    for (unsigned i = 0; i < (chroma_format == 3 ? 12 : 8); i++)
      if (read_bit (b))
        skip_scaling_list (b, i < 6 ? 16 : 64);
}

static void
skip_order (Bits * b)
{
  uint32_t type = read_ue (b);

  if (type == 0)
    read_ue (b);
  if (type != 1)
    return;
  read_bit (b);
  read_se (b);
  read_se (b);
  for (uint32_t n = read_ue (b); n > 0 && !b->error; n--)
    read_se (b);
}

bool
h264_sps_allow_gaps (uint8_t * nal, size_t size)
{
  Bits b;
  unsigned profile;

  memset (&b, 0, sizeof b);
  b.data = nal;
  b.size = size;
  if ((read_bits (&b, 8) & 0x1f) != 7)
    return false;
  profile = read_bits (&b, 8);
  read_bits (&b, 16);
  read_ue (&b);
  if (has_chroma_format (profile))
    skip_chroma_format (&b);
  read_ue (&b);
  skip_order (&b);
  read_ue (&b);
  if (b.error)
    return false;
  if (read_bit (&b))
    return true;
  /* A byte after an emulation prevention byte must stay below 4 (7.4.1). */
  if (b.error || b.escaped)
    return false;
  nal[b.bit == 0 ? b.at - 1 : b.at] |= 1u << ((8 - b.bit) & 7);
  return true;
}
