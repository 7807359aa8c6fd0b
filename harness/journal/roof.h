#ifndef HARNESS_JOURNAL_ROOF_H
#define HARNESS_JOURNAL_ROOF_H

/* What of a device a cell measures the limit of: arithmetic, memory, how short a run can be, or nothing. */

#include <stdbool.h>

enum roof_kind { ROOF_NONE, ROOF_FLOPS, ROOF_BANDWIDTH, ROOF_LATENCY, ROOF_KINDS };

const char *roof_name(enum roof_kind kind); /* "none", "flops", "bandwidth", "latency" */

/* The kind of that name; ROOF_NONE for any other word. */
enum roof_kind roof_parse(const char *word);

#endif
