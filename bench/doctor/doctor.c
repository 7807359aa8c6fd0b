#include "bench/doctor/doctor.h"

#include "bench/cli/exit_status.h"
#include "bench/doctor/diagnosis.h"

#include <stdlib.h>
#include <unistd.h>

static bool may_use(const char *path)
{
    return access(path, R_OK | W_OK) == 0;
}

static const char *variable(const char *name)
{
    return getenv(name);
}

int doctor(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv, (void)err;
    const struct worker_setup setup = { .timeout = options->timeout, .wake_fd = -1 };
    struct listing listing;
    struct diagnosis diagnosis;
    const struct machine_view machine_view = { "", &listing, may_use, variable };
    listing_read(&listing, &setup);
    diagnosis_make(&diagnosis, &machine_view);
    diagnosis_print(&diagnosis, stdout);
    listing_free(&listing);
    return diagnosis_troubles(&diagnosis) == 0 ? EXIT_OK : EXIT_BAD_CELL;
}
