#ifndef BENCH_BACKENDS_CUDA_CHOICE_H
#define BENCH_BACKENDS_CUDA_CHOICE_H

/* Which of several ways of a library computes a problem fastest, by our own measurement. A library's own search times
 * each way once, and may count ways that compute something else. */

#include "bench/backends/cuda/cuda.h"

enum { CHOICE_MAX = 8 };

/* The result of trying one way. */
struct choice_trial {
    double seconds;     /* INFINITY: it did not run */
    enum status status; /* the reason it did not */
};

/* Seconds of the fastest of three runs, after one that may load and compile code. After a long run there is no other,
 * except that the first counts only above ten seconds. Nothing is running after it, also where it fails. */
bool choice_measure(struct session *session, routine_submit *submit, void *work, double *seconds, struct error *err);

/* Calls attempt(work, number, &seconds, err) for each of `count` ways, at most CHOICE_MAX, and returns the number of
 * the fastest. A difference of 2 % may be noise: the earlier one then stays, so that two runs choose the same. -1 where
 * none computes, with the reason in err: an error before missing memory, and that before what is not supported. */
int choice_make(bool (*attempt)(void *work, unsigned number, double *seconds, struct error *err), void *work,
                unsigned count, struct choice_trial trial[CHOICE_MAX], struct error *err);

#endif
