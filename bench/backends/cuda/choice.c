#include "bench/backends/cuda/choice.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <string.h>

/* So many runs in a row, and seconds of one. */
static bool runs_time(struct session *session, routine_submit *submit, void *work, unsigned runs, double *seconds,
                      struct error *err)
{
    const double start = clock_wall();
    for (unsigned i = 1; i < runs; i++)
        if (!submit(work, 0, 0, NULL, err)) {
            cuda_finish(session, 0, NULL);
            return false;
        }
    if (!routine_run(submit, work, cuda_finish, session, err))
        return false;
    *seconds = (clock_wall() - start) / runs;
    return true;
}

bool choice_measure(struct session *session, routine_submit *submit, void *work, double *seconds, struct error *err)
{
    enum { TRIES = 3, RUNS_IN_A_ROW = 20 };
    const double brief = 1e-4, long_enough = 0.5, far_too_long = 10; /* beyond what loading code takes */
    double taken = 0;
    *seconds = INFINITY;
    for (int i = 0; i <= TRIES && taken < (i == 1 ? far_too_long : long_enough); i++) {
        if (!runs_time(session, submit, work, 1, &taken, err) ||
            (i > 0 && taken < brief && !runs_time(session, submit, work, RUNS_IN_A_ROW, &taken, err)))
            return false;
        if (i > 0 || taken >= far_too_long)
            *seconds = fmin(*seconds, taken);
    }
    return true;
}

/* How well a failure explains why nothing ran. */
static int weight(enum status status)
{
    return status == STATUS_OK ? 0 : status == STATUS_UNSUPPORTED ? 1 : status == STATUS_NO_MEMORY ? 2 : 3;
}

int choice_make(const struct choice *choice, const struct job *job, struct error *err)
{
    struct error reason = { .status = STATUS_OK };
    const char *wanted = job->wanted_shape ? job->wanted_shape : "";
    double least = INFINITY;
    int best = -1;
    for (unsigned i = 0; i < choice->count; i++) {
        struct error refused = { .status = STATUS_OK };
        double seconds = INFINITY;
        if (*wanted && strcmp(wanted, choice->name[i]) != 0)
            continue;
        if (!choice->attempt(choice->work, i, &seconds, &refused)) {
            if (weight(refused.status) > weight(reason.status))
                reason = refused;
        } else if (best < 0 || seconds < 0.98 * least) {
            best = (int)i;
            least = seconds;
        }
    }
    if (best >= 0 && job->shape_in_use)
        text_copy(job->shape_in_use, KERNEL_SHAPE_MAX, choice->name[best]);
    if (best < 0 && reason.status == STATUS_OK)
        fail(err, STATUS_UNSUPPORTED, "the library does not offer '%s' any more", wanted);
    else if (best < 0)
        fail_in(err, reason.where, reason.status, "%s", reason.message);
    return best;
}
