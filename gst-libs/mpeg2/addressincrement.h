/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * macroblock_address_increment (13818-2 table B.1, 11172-2 table 2-B.1).
 */
#ifndef MPEG2_ADDRESSINCREMENT_H
#define MPEG2_ADDRESSINCREMENT_H

#include <mpeg2/types.h>

typedef struct
{
  uint8_t code;                 /* the lowest `length` bits */
  uint8_t length;
} M2vVlcCode;

/* Largest increment of one code, table B.1. */
#define M2V_MAX_ADDRESS_INCREMENT 33

/* The codes by increment; each escape before the code adds 33. */
static const M2vVlcCode m2v_address_increments[M2V_MAX_ADDRESS_INCREMENT + 1] = {
  {0, 0},
  {1, 1},                                       /* 1 */
  {3, 3}, {2, 3},                               /* 011, 010 */
  {3, 4}, {2, 4},
  {3, 5}, {2, 5},
  {7, 7}, {6, 7},
  {11, 8}, {10, 8}, {9, 8}, {8, 8}, {7, 8}, {6, 8},
  {23, 10}, {22, 10}, {21, 10}, {20, 10}, {19, 10}, {18, 10},
  {35, 11}, {34, 11}, {33, 11}, {32, 11}, {31, 11}, {30, 11},
  {29, 11}, {28, 11}, {27, 11}, {26, 11}, {25, 11}, {24, 11}
};

static const M2vVlcCode m2v_address_escape = { 8, 11 };

#endif
