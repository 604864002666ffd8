/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Derives keys from a passphrase and from other keys, by libsodium.
 */
#ifndef PSP_SRTP_DERIVE_H
#define PSP_SRTP_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a secret. */
#define PSP_SRTP_SECRET 32

/* Derives a secret by Argon2id (RFC 9106), three passes over 64 MiB, which
 * takes a tenth of a second. The same passphrase gives the same secret
 * everywhere. Returns false if memory runs out. */
bool psp_srtp_secret (const char *passphrase, uint8_t secret[PSP_SRTP_SECRET]);
/* Derives `size` bytes of key by HKDF with SHA-256 (RFC 5869). */
void psp_srtp_derive (const uint8_t * secret, size_t secret_size,
    const uint8_t * salt, size_t salt_size, const char *label, uint8_t * key,
    size_t size);
/* Fills data with unpredictable bytes. */
void psp_srtp_random (void *data, size_t size);
/* Overwrites data; the compiler cannot optimize this away. */
void psp_srtp_wipe (void *data, size_t size);

#endif
