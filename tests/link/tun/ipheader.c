/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "ipheader.h"

uint8_t
ip_header_tos (const uint8_t * data, size_t size)
{
  if (size >= 20 && data[0] >> 4 == 4)
    return data[1];
  if (size >= 40 && data[0] >> 4 == 6)
    return (uint8_t) (data[0] << 4 | data[1] >> 4);
  return 0;
}

uint8_t
ip_header_protocol (const uint8_t * data, size_t size)
{
  if (size >= 20 && data[0] >> 4 == 4)
    return data[9];
  if (size >= 40 && data[0] >> 4 == 6)
    return data[6];
  return 0;
}

/* FNV-1a */
static uint32_t
hash (uint32_t seed, const uint8_t * data, size_t size)
{
  while (size--)
    seed = (seed ^ *data++) * UINT32_C (16777619);
  return seed;
}

uint32_t
ip_header_flow_hash (const uint8_t * data, size_t size)
{
  const uint32_t start = UINT32_C (2166136261);
  uint8_t protocol = ip_header_protocol (data, size);
  size_t ports;
  uint32_t key;

  if (size >= 20 && data[0] >> 4 == 4) {
    key = hash (start, data + 12, 8);
    ports = 4 * (size_t) (data[0] & 15);
  } else if (size >= 40 && data[0] >> 4 == 6) {
    key = hash (start, data + 8, 32);
    ports = 40;
  } else {
    return 0;
  }
  key = hash (key, &protocol, 1);
  if ((protocol == 6 || protocol == 17) && size >= ports + 4)
    key = hash (key, data + ports, 4);
  return key;
}

/* RFC 1624 equation 3: HC' = ~(~HC + ~m + m'). */
static void
update_checksum (uint8_t * header, uint16_t from, uint16_t to)
{
  uint32_t sum = (uint16_t) ~ (header[10] << 8 | header[11]);

  sum += (uint16_t) ~ from;
  sum += to;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = ~sum;
  header[10] = (uint8_t) (sum >> 8);
  header[11] = (uint8_t) sum;
}

void
ip_header_set_ecn (uint8_t * data, size_t size, uint8_t ecn)
{
  if (size >= 20 && data[0] >> 4 == 4) {
    uint16_t from = (uint16_t) (data[0] << 8 | data[1]);

    data[1] = (uint8_t) ((data[1] & 0xfc) | ecn);
    update_checksum (data, from, (uint16_t) ((from & 0xfffc) | ecn));
  } else if (size >= 40 && data[0] >> 4 == 6) {
    data[1] = (uint8_t) ((data[1] & 0xcf) | ecn << 4);
  }
}
