#ifndef BENCH_COMMANDS_SUPPLEMENT_H
#define BENCH_COMMANDS_SUPPLEMENT_H

/* The supplement of suite standard: GPUs that reach 20 TFLOP/s at matmul 4096 are measured at matmul 8192, too, and at
 * 4096 in the half type of their matrix units. Nothing else of the suite shows what such a GPU is made for. */

#include "bench/schedule/timetable.h"

enum { SUPPLEMENTS = 2 };

struct supplement {
    struct timetable *timetable;
    struct plan plan[SUPPLEMENTS];
    bool is_added;
};

/* Extends the timetable once a device has turned out to be fast enough. Does nothing if none does, or if options narrow
 * the suite. False only when memory is short. To be freed either way, after the context's last use. */
bool supplement_join(void *supplement, struct error *err);
void supplement_free(struct supplement *supplement);

#endif
