#ifndef HARNESS_ROOF_H
#define HARNESS_ROOF_H

/* What of a device a cell measures the limit of: arithmetic, memory, or nothing. */

#include <stdbool.h>

enum roof_kind { ROOF_NONE, ROOF_FLOPS, ROOF_BANDWIDTH, ROOF_KINDS };

const char *roof_name(enum roof_kind kind); /* "none", "flops", "bandwidth" */

/* The kind of that name; ROOF_NONE for any other word. */
enum roof_kind roof_parse(const char *word);

#endif
