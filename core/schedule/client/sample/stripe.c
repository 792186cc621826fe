/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* How a program that stripes uses the weights of LID offsets: prints by what shares the port with GUID SOURCE should use
 * the LID offsets of the one with GUID DESTINATION, and how many of the first MESSAGES messages take each.
 *
 *   stripe FILE SOURCE DESTINATION [MESSAGES]
 *
 * Prints a line `offset 3 share 0.307692 messages 308` for each offset. Exit status: 0; 1 where the file is refused. */
#include <errno.h>
#include <espalier_choices.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kOffsets = 128 };

/* The whole word has to be one. */
static uint64_t number(const char* word, int base) {
  char* end = NULL;
  errno = 0;
  const unsigned long long value = strtoull(word, &end, base);
  if (errno == 0 && end != word && *end == '\0' && strchr(word, '-') == NULL) return value;
  fprintf(stderr, "stripe: %s is not a number\n", word);
  exit(2);
}

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) {
    fprintf(stderr, "usage: stripe FILE SOURCE DESTINATION [MESSAGES]\n");
    return 2;
  }
  const uint64_t source = number(argv[2], 16);
  const uint64_t destination = number(argv[3], 16);
  const uint64_t messages = argc == 5 ? number(argv[4], 10) : 0;

  espalier_choices* choices = NULL;
  char why[1000];
  if (espalier_choices_open(argv[1], &choices, why, sizeof why) != ESPALIER_OK) {
    fprintf(stderr, "stripe: %s\n", why);
    return 1;
  }
  uint64_t taken[kOffsets] = {0};
  for (uint64_t n = 0; n < messages; ++n) /* here a message would go to the base LID of the destination + offset */
    ++taken[espalier_choices_offset(choices, source, destination, n)];

  uint32_t count = 0;
  const espalier_share* share = espalier_choices_shares(choices, source, destination, &count);
  for (uint32_t i = 0; i < count; ++i)
    printf("offset %" PRIu32 " share %.6f messages %" PRIu64 "\n", share[i].offset, share[i].share,
           taken[share[i].offset]);
  espalier_choices_close(choices);
  return 0;
}
