#include "bench/backends/common/sysfs_monitor.h"

#include "harness/base/clock.h"
#include "harness/machine/gpu_sysfs.h"

#include <stdlib.h>

struct watch {
    struct gpu_sysfs sysfs;
};

static struct watch *watch_open(const struct device *device)
{
    struct watch *watch = calloc(1, sizeof *watch);
    if (watch && gpu_sysfs_open(&watch->sysfs, "", device->silicon))
        return watch;
    free(watch);
    return NULL;
}

static void watch_close(struct watch *watch)
{
    free(watch);
}

static void read_state(struct watch *watch, bool everything, struct gpu_state *out)
{
    gpu_sysfs_read(&watch->sysfs, "", clock_wall(), everything, out);
}

static double read_energy(struct watch *watch)
{
    return gpu_sysfs_joules(&watch->sysfs, "");
}

const struct monitor sysfs_monitor = {
    .open = watch_open,
    .close = watch_close,
    .read = read_state,
    .joules = read_energy,
};
