#ifndef BENCH_COMMANDS_EARLIER_H
#define BENCH_COMMANDS_EARLIER_H

/* What one run cannot see: states of the machine that outlast it. At the end of a run each row gets a journal line with
 * the range of its speed-up in earlier runs of the default folder, so that reports stay a function of the journal. */

#include "bench/schedule/context.h"

/* Of runs on this machine by the same versions, where there are three or more. */
void earlier_write(struct context *context);

#endif
