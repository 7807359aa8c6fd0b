#ifndef BENCH_BACKENDS_CUDA_CHOICE_H
#define BENCH_BACKENDS_CUDA_CHOICE_H

/* Which of several ways of a library computes a problem fastest, by our own measurement. A library's own search times
 * each way once, and may count ways that compute something else. */

#include "bench/backends/cuda/cuda.h"

enum { CHOICE_MAX = 8 };

/* Seconds of the fastest of three runs, after one that may load and compile code. Runs below 100 us, where one run
 * shows mostly how fast it was launched, are timed 20 in a row. After a long run there is no other, except that the
 * first counts only above ten seconds. Nothing is running after it, also where it fails. */
bool choice_measure(struct session *session, routine_submit *submit, void *work, double *seconds, struct error *err);

struct choice {
    unsigned count; /* at most CHOICE_MAX */
    char name[CHOICE_MAX][KERNEL_SHAPE_MAX];
    bool (*attempt)(void *work, unsigned number, double *seconds, struct error *err);
    void *work;
};

/* The number of the way to use: the one that the job wants, or that of the least seconds from attempt(work, number,
 * &seconds, err). A difference of 2 % may be noise: the earlier one then stays, so that two runs choose the same.
 * Writes its name to the job's `shape_in_use`. -1 where none computes, with the reason in err: an error before missing
 * memory, and that before what is not supported. */
int choice_make(const struct choice *choice, const struct job *job, struct error *err);

#endif
