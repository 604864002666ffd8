/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * SRTP and SRTCP (RFC 3711, RFC 7714) under one master key, by libsrtp: packets
 * are protected or unprotected in place. Two threads must not use a session, or
 * the key of which it was made, at the same time.
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

#define PSP_SRTP_MAX_KEY 44     /* bytes of the longest key with its salt */
#define PSP_SRTP_MAX_MKI 16     /* bytes of the longest MKI */
#define PSP_SRTP_ROOM 148       /* bytes that protecting may append */

typedef struct
{
  PspSrtpSuite suite;
  uint8_t key[PSP_SRTP_MAX_KEY];        /* master key, master salt */
  uint8_t mki[PSP_SRTP_MAX_MKI];        /* master key identifier */
  size_t mki_size;              /* 0 = packets carry none */
} PspSrtpKey;

typedef enum
{
  PSP_SRTP_OK,
  /* The packet has been unprotected, or protected, before. */
  PSP_SRTP_REPLAYED,
  /* The packet is malformed or not authentic, or the key is worn out. */
  PSP_SRTP_FAILED
} PspSrtpResult;

typedef struct _PspSrtpSession PspSrtpSession;

/* Returns NULL, or the reason why no session can be created and its remedy, as
 * the start of a sentence without a full stop. */
const char *psp_srtp_missing (void);
/* Returns the bytes of a master key with its salt. */
size_t psp_srtp_key_size (PspSrtpSuite suite);
/* Returns the bytes that protecting adds to a packet. */
size_t psp_srtp_overhead (const PspSrtpKey * key, bool rtcp);
/* Returns where a packet carries its MKI; NULL = it is too short. */
const uint8_t *psp_srtp_mki (PspSrtpSuite suite, size_t mki_size,
    const uint8_t * data, size_t size);

/* Returns NULL if libsrtp refuses the key. The caller frees the session. */
PspSrtpSession *psp_srtp_session_new (const PspSrtpKey * key, bool inbound);
void psp_srtp_session_free (PspSrtpSession * s);
const PspSrtpKey *psp_srtp_session_key (const PspSrtpSession * s);

/* Both functions work in place. `data` is aligned to 4 bytes and has
 * PSP_SRTP_ROOM bytes of room behind it. A failure destroys the packet. */
PspSrtpResult psp_srtp_protect (PspSrtpSession * s, uint8_t * data,
    size_t *size, bool rtcp);
PspSrtpResult psp_srtp_unprotect (PspSrtpSession * s, uint8_t * data,
    size_t *size, bool rtcp);
/* Sets the roll-over counter of the stream's next packet. That packet's index
 * must be more than 2^15 ahead of all packets of the stream in this session, or
 * libsrtp keeps this counter permanently. Returns false if libsrtp refuses. */
bool psp_srtp_set_roc (PspSrtpSession * s, uint32_t ssrc, uint32_t roc);

#endif
