#ifndef HARNESS_JOURNAL_ROOF_H
#define HARNESS_JOURNAL_ROOF_H

/* The limit of a device that a cell measures: arithmetic, memory bandwidth, the shortest run, or none. */

enum roof_kind { ROOF_NONE, ROOF_FLOPS, ROOF_BANDWIDTH, ROOF_LATENCY, ROOF_KINDS };

extern const char *const roof_names[]; /* "none", "flops", "bandwidth", "latency" */

#endif
