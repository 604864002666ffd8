/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The gst-psp authors
 *
 * Replays a corpus through a fuzz target, where libFuzzer is not linked:
 * fuzz-NAME [-OPTION…] DIRECTORY. Its options are ignored. Fails where there
 * was nothing to replay.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static int
replay_file (const char *path)
{
  FILE *file = fopen (path, "rb");
  uint8_t *data = NULL;
  long size = -1;
  int ok = 0;

  if (file && fseek (file, 0, SEEK_END) == 0 && (size = ftell (file)) >= 0 &&
      fseek (file, 0, SEEK_SET) == 0) {
    /* Its exact size, so that a sanitizer sees every read past the end. */
    data = malloc (size > 0 ? (size_t) size : 1);
    ok = data && fread (data, 1, (size_t) size, file) == (size_t) size;
  }
  if (ok)
    LLVMFuzzerTestOneInput (data, (size_t) size);
  else
    perror (path);
  free (data);
  if (file)
    fclose (file);
  return ok;
}

static int
replay_directory (const char *directory)
{
  DIR *dir = opendir (directory);
  const struct dirent *entry;
  char path[4096];
  int n = 0;

  if (!dir) {
    perror (directory);
    return -1;
  }
  while ((entry = readdir (dir))) {
    if (entry->d_name[0] == '.')
      continue;
    snprintf (path, sizeof path, "%s/%s", directory, entry->d_name);
    if (!replay_file (path)) {
      n = -1;
      break;
    }
    n++;
  }
  closedir (dir);
  return n;
}

int
main (int argc, char **argv)
{
  int total = 0;

  for (int i = 1; i < argc; i++) {
    int n = argv[i][0] == '-' ? 0 : replay_directory (argv[i]);

    if (n < 0)
      return 1;
    total += n;
  }
  printf ("%d inputs replayed\n", total);
  return total > 0 ? 0 : 1;
}
