/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * What the benchmarks of the MPEG cores share.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Of this process, in seconds. */
static inline double
user_time (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) usage.ru_utime.tv_sec +
      1e-6 * (double) usage.ru_utime.tv_usec;
}

/* A file's bytes, to be freed; NULL where it cannot be read, or is empty. */
static inline uint8_t *
load (const char *path, size_t *size)
{
  FILE *file = fopen (path, "rb");
  uint8_t *data = NULL;
  long length = -1;

  *size = 0;
  if (file && fseek (file, 0, SEEK_END) == 0 && (length = ftell (file)) > 0
      && fseek (file, 0, SEEK_SET) == 0 && (data = malloc ((size_t) length))
      && fread (data, 1, (size_t) length, file) == (size_t) length)
    *size = (size_t) length;
  else
    perror (path);
  if (file)
    fclose (file);
  if (*size == 0) {
    free (data);
    data = NULL;
  }
  return data;
}

#endif
