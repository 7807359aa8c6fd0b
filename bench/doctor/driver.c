#include "bench/doctor/driver.h"

#include "bench/doctor/install.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/machine/adapter.h"
#include "harness/machine/files.h"

#include <stdio.h>
#include <string.h>

static struct driver *driver_add(struct drivers *out, const struct machine_view *view, const char *source)
{
    for (unsigned i = 0; i < out->count; i++)
        if (strcmp(out->driver[i].source, source) == 0)
            return &out->driver[i];
    if (out->count < DRIVERS_MAX)
        out->count++;
    struct driver *driver = &out->driver[out->count - 1];
    *driver = (struct driver){ .source = source };
    if (strcmp(text_ending(source), "icd") == 0)
        text_copy(driver->library, sizeof driver->library, host_line(view->root, source).text);
    else
        text_clean(driver->library, sizeof driver->library, source);
    return driver;
}

void drivers_read(struct drivers *out, const struct machine_view *view)
{
    const struct listing *listing = view->listing;
    const json_t *absent;
    size_t i;
    *out = (struct drivers){ .count = 0 };
    for (unsigned d = 0; d < listing->devices; d++)
        if (strcmp(listing->device[d].backend, "opencl") == 0 && *listing->device[d].source)
            driver_add(out, view, listing->device[d].source);
    json_array_foreach (listing->absent, i, absent) {
        const char *source = journal_text(absent, "source"), *reason = journal_text(absent, "reason");
        if (strcmp(journal_text(absent, "backend"), "opencl") != 0)
            continue;
        if (!*source) {
            out->absence = reason;
            out->is_faulty = status_is_bad(status_parse(journal_text(absent, "status")));
            continue;
        }
        struct driver *driver = driver_add(out, view, source);
        driver->reason = reason;
        driver->is_faulty = strcmp(journal_text(absent, "status"), "unsupported") != 0;
    }
}

bool driver_is_rusticl(const struct driver *driver)
{
    return strcasestr(driver->library, "rusticl") || strcasestr(driver->source, "rusticl");
}

/* By parts of the library's name. */
static bool serves(const struct driver *driver, unsigned vendor)
{
    char part[32];
    int used;
    const char *parts = install_vendor_fact(adapter_vendor_name(vendor), "opencl");
    for (; sscanf(parts, "%31s%n", part, &used) == 1; parts += used)
        if (strcasestr(driver->library, part))
            return true;
    return driver_is_rusticl(driver) && vendor != VENDOR_NVIDIA; /* its driver for NVIDIA needs nouveau */
}

const struct driver *drivers_find(const struct drivers *drivers, unsigned vendor)
{
    const struct driver *found = NULL;
    for (unsigned i = 0; i < drivers->count; i++)
        if (serves(&drivers->driver[i], vendor) && (!found || driver_is_rusticl(found)))
            found = &drivers->driver[i];
    return found;
}
