/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * SRTP and SRTCP (RFC 3711, RFC 7714) under one master key, by libsrtp: packets
 * are protected or unprotected in place. Neither a session nor the key it was
 * made of is for two threads at a time.
 */
#ifndef PSP_SRTP_SESSION_H
#define PSP_SRTP_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum
{
  PSP_SRTP_NONE,
  PSP_SRTP_AES_128_GCM,
  PSP_SRTP_AES_256_GCM,
  PSP_SRTP_AES_CM_128_HMAC_SHA1_80
} PspSrtpSuite;

/* Bytes. */
#define PSP_SRTP_MAX_KEY 44
#define PSP_SRTP_MAX_MKI 16
/* What protecting may write behind a packet, bytes. */
#define PSP_SRTP_ROOM 148

typedef struct
{
  PspSrtpSuite suite;
  uint8_t key[PSP_SRTP_MAX_KEY];        /* master key, master salt */
  uint8_t mki[PSP_SRTP_MAX_MKI];
  size_t mki_size;              /* 0 = packets carry none */
} PspSrtpKey;

typedef enum
{
  PSP_SRTP_OK,
  PSP_SRTP_REPLAYED,            /* or, outbound, protected before */
  PSP_SRTP_FAILED               /* not authentic, malformed, or the key is worn
                                   out */
} PspSrtpResult;

typedef struct _PspSrtpSession PspSrtpSession;

/* FALSE: built without libsrtp, and there are no sessions. */
bool psp_srtp_available (void);
/* Bytes of master key and master salt together. */
size_t psp_srtp_key_size (PspSrtpSuite suite);
/* Bytes that protecting adds to a packet. */
size_t psp_srtp_overhead (const PspSrtpKey * key, bool rtcp);
/* Where a packet carries its MKI; NULL: it is too short. */
const uint8_t *psp_srtp_mki (PspSrtpSuite suite, size_t mki_size,
    const uint8_t * data, size_t size);

/* NULL where libsrtp refuses. */
PspSrtpSession *psp_srtp_session_new (const PspSrtpKey * key, bool inbound);
void psp_srtp_session_free (PspSrtpSession * s);
const PspSrtpKey *psp_srtp_session_key (const PspSrtpSession * s);

/* In place; data, aligned to 4 bytes, has PSP_SRTP_ROOM behind. A packet that
 * failed is destroyed. */
PspSrtpResult psp_srtp_protect (PspSrtpSession * s, uint8_t * data,
    size_t *size, bool rtcp);
PspSrtpResult psp_srtp_unprotect (PspSrtpSession * s, uint8_t * data,
    size_t *size, bool rtcp);
/* The roll-over counter of the stream's next packet. Its index must be more than
 * 2^15 ahead of all that the session saw of the stream: libsrtp would keep to
 * the counter for ever. */
bool psp_srtp_set_roc (PspSrtpSession * s, uint32_t ssrc, uint32_t roc);

#endif
