/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 */
#include "derive.h"

#include <sodium.h>
#include <string.h>

/* Both ends must derive the same secret before they exchange any packet, so the
 * salt of the passphrase is a constant; that of a session is random. */
static const uint8_t passphrase_salt[crypto_pwhash_SALTBYTES] =
    "gst-psp SRTP 1\n";

/* RFC 9106 section 4 recommends three passes over 64 MiB if 2 GiB are not
 * available. */
#define PASSES 3
#define MEMORY (64 << 20)       /* bytes */

bool
psp_srtp_secret (const char *passphrase, uint8_t secret[PSP_SRTP_SECRET])
{
  return sodium_init () >= 0 && crypto_pwhash (secret, PSP_SRTP_SECRET,
      passphrase, strlen (passphrase), passphrase_salt, PASSES, MEMORY,
      crypto_pwhash_ALG_ARGON2ID13) == 0;
}

static void
mac (uint8_t out[crypto_auth_hmacsha256_BYTES], const uint8_t * key,
    size_t key_size, const uint8_t * before, size_t before_size,
    const uint8_t * data, size_t size, const uint8_t * last, size_t last_size)
{
  crypto_auth_hmacsha256_state state;

  crypto_auth_hmacsha256_init (&state, key, key_size);
  crypto_auth_hmacsha256_update (&state, before, before_size);
  crypto_auth_hmacsha256_update (&state, data, size);
  crypto_auth_hmacsha256_update (&state, last, last_size);
  crypto_auth_hmacsha256_final (&state, out);
  sodium_memzero (&state, sizeof state);
}

void
psp_srtp_derive (const uint8_t * secret, size_t secret_size,
    const uint8_t * salt, size_t salt_size, const char *label, uint8_t * key,
    size_t size)
{
  uint8_t extracted[crypto_auth_hmacsha256_BYTES];
  uint8_t block[crypto_auth_hmacsha256_BYTES];
  uint8_t n = 0;
  size_t before = 0;

  /* A missing salt is an empty one; pointers must not be NULL. */
  mac (extracted, salt ? salt : &n, salt_size, &n, 0, secret, secret_size, &n,
      0);
  for (size_t done = 0; done < size; done += before) {
    n++;
    mac (block, extracted, sizeof extracted, block, before,
        (const uint8_t *) label, strlen (label), &n, 1);
    before = sizeof block;
    memcpy (key + done, block,
        size - done < sizeof block ? size - done : sizeof block);
  }
  sodium_memzero (extracted, sizeof extracted);
  sodium_memzero (block, sizeof block);
}

void
psp_srtp_random (void *data, size_t size)
{
  randombytes_buf (data, size);
}

void
psp_srtp_wipe (void *data, size_t size)
{
  sodium_memzero (data, size);
}
