#include "bench/backends/cuda/choice.h"

#include "harness/base/clock.h"

#include <math.h>

bool choice_measure(struct session *session, routine_submit *submit, void *work, double *seconds, struct error *err)
{
    enum { RUNS = 3 };
    const double long_enough = 0.5, far_too_long = 10; /* beyond what loading code takes */
    double taken = 0;
    *seconds = INFINITY;
    for (int run = 0; run <= RUNS && taken < (run == 1 ? far_too_long : long_enough); run++) {
        const double start = clock_wall();
        if (!routine_run(submit, work, cuda_finish, session, err))
            return false;
        taken = clock_wall() - start;
        if (run > 0 || taken >= far_too_long)
            *seconds = fmin(*seconds, taken);
    }
    return true;
}

/* How well a failure explains why nothing ran. */
static int weight(enum status status)
{
    return status == STATUS_OK ? 0 : status == STATUS_UNSUPPORTED ? 1 : status == STATUS_NO_MEMORY ? 2 : 3;
}

int choice_make(bool (*attempt)(void *work, unsigned number, double *seconds, struct error *err), void *work,
                unsigned count, struct choice_trial trial[CHOICE_MAX], struct error *err)
{
    struct error reason = { .status = STATUS_OK };
    int best = -1;
    for (unsigned i = 0; i < count && i < CHOICE_MAX; i++) {
        struct error refused = { .status = STATUS_OK };
        trial[i] = (struct choice_trial){ .seconds = INFINITY };
        if (!attempt(work, i, &trial[i].seconds, &refused)) {
            trial[i] = (struct choice_trial){ .seconds = INFINITY, .status = refused.status };
            if (weight(refused.status) > weight(reason.status))
                reason = refused;
        } else if (best < 0 || trial[i].seconds < 0.98 * trial[best].seconds)
            best = (int)i;
    }
    if (best < 0)
        fail_in(err, reason.where, reason.status, "%s", reason.message);
    return best;
}
