#include "bench/inventory.h"

#include "bench/listing.h"
#include "bench/registry.h"
#include "harness/text.h"
#include "harness/theory.h"

#include <inttypes.h>
#include <string.h>

static void print_field(FILE *out, const char *name, const char *text)
{
    if (*text)
        fprintf(out, "    %-10s %s\n", name, text);
}

/* "16 units at 2.10 GHz (reported maximum)". */
static void print_units(FILE *out, const struct device *device)
{
    fprintf(out, "    %-10s ", "units");
    if (device->units)
        fprintf(out, "%u", device->units);
    else
        fprintf(out, "unknown");
    if (device->threads)
        fprintf(out, ", %u thread%s used", device->threads, device->threads == 1 ? "" : "s");
    if (device->clock > 0)
        fprintf(out, ", %.2f GHz (%s)", device->clock / 1e9, device->clock_origin);
    else
        fprintf(out, ", clock unknown");
    if (device->max_clock > 0)
        fprintf(out, ", highest known %.2f GHz (%s)", device->max_clock / 1e9, device->max_clock_origin);
    fprintf(out, "\n");
}

/* What the device could do by its units and its clock, one line for each element type, or one where nothing is known.
 */
static void print_peaks(FILE *out, const struct device *device)
{
    char before[sizeof((struct theory *)NULL)->why] = "", rate[TEXT_NUMBER];
    const char *label = "peak";
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct theory peak;
        bool is_known = theory_peak(device, dtype, &peak);
        if (!device->computes[dtype] || (!is_known && strcmp(peak.why, before) == 0))
            continue;
        if (is_known)
            fprintf(out, "    %-10s %s %s: %s%s%s\n", label, dtype_name(dtype), text_flops(rate, peak.flops),
                    peak.formula, peak.is_confirmed ? "" : "; unconfirmed: ", peak.is_confirmed ? "" : peak.why);
        else
            fprintf(out, "    %-10s unknown: %s\n", label, peak.why);
        text_copy(before, sizeof before, is_known ? "" : peak.why);
        label = "";
    }
}

static void print_memory(FILE *out, const struct device *device)
{
    char memory[TEXT_NUMBER], largest[TEXT_NUMBER];
    fprintf(out, "    %-10s %s", "memory", device->memory > 0 ? text_bytes(memory, device->memory) : "unknown");
    if (device->largest_buffer > 0)
        fprintf(out, ", %s at once", text_bytes(largest, device->largest_buffer));
    fprintf(out, ", %s\n",
            device->works_in_host_memory ? "the host's own"
            : device->shares_host_memory ? "shared with the host"
                                         : "separate from the host's");
}

static void print_device(FILE *out, const struct listing *listing, const struct device *device)
{
    const struct device *twin = listing_twin(listing, device);
    char dtypes[64] = "";
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (device->computes[dtype])
            snprintf(dtypes + strlen(dtypes), sizeof dtypes - strlen(dtypes), "%s%s", *dtypes ? ", " : "",
                     dtype_name(dtype));
    fprintf(out, "%-10s  %s  [%s]\n", device->id, device->name, class_name(device->class));
    print_field(out, "platform", device->platform);
    print_field(out, "api", device->api_version);
    print_field(out, "driver", device->driver_version);
    print_field(out, "model", device->architecture);
    print_units(out, device);
    print_peaks(out, device);
    print_memory(out, device);
    print_field(out, "computes", dtypes);
    print_field(out, "isa", device->isa);
    if (twin)
        fprintf(out, "    %-10s the same silicon as %s\n", "", twin->id);
    print_field(out, "note", device->note);
}

static void print_absent(FILE *out, const json_t *absent)
{
    const char *backend = json_string_value(json_object_get(absent, "backend"));
    const char *source = json_string_value(json_object_get(absent, "source"));
    const char *reason = json_string_value(json_object_get(absent, "reason"));
    fprintf(out, "%-10s  none%s%s: %s\n", backend, *source ? " from " : "", source, reason);
}

bool inventory_devices(FILE *out, const struct options *options, struct error *err)
{
    const struct remote_setup setup = { NULL, options->timeout, -1 };
    struct listing listing;
    bool chosen[DEVICES_MAX];
    listing_read(&listing, &setup);
    bool ok = listing_select(&listing, "--device", options->device, chosen, err);
    for (unsigned i = 0; ok && i < listing.devices; i++)
        if (chosen[i])
            print_device(out, &listing, &listing.device[i]);
    bool of_everything = !options->device[0] || strcmp(options->device[0], "all") == 0;
    const json_t *absent;
    size_t i;
    json_array_foreach (listing.absent, i, absent)
        if (ok && of_everything)
            print_absent(out, absent);
    listing_free(&listing);
    return ok;
}

static void print_dim(FILE *out, const struct dim *dim)
{
    fprintf(out, "    %-10s %s: ", dim->name, dim->meaning);
    for (unsigned i = 0; dim->words && dim->words[i]; i++)
        fprintf(out, "%s%s", i ? " or " : "", dim->words[i]);
    if (!dim->words)
        fprintf(out, "%" PRId64 " to %" PRId64, dim->least, dim->most);
    if (dim->fallback >= 0 && dim->words)
        fprintf(out, ", default %s", dim->words[dim->fallback]);
    if (dim->fallback >= 0 && !dim->words)
        fprintf(out, ", default %" PRId64, dim->fallback);
    fprintf(out, "\n");
}

/* Columns that the longest name of a variant takes. */
static int variant_width(const struct workload *workload)
{
    size_t width = 0;
    for (const struct variant *variant = workload->variants; variant && variant->name; variant++)
        width = strlen(variant->name) > width ? strlen(variant->name) : width;
    return (int)width;
}

static void print_variant(FILE *out, const struct variant *variant, int width)
{
    fprintf(out, "    %-*s %s (", width, variant->name, variant->summary);
    bool first = true;
    for (const char *const *name = variant->backends; *name; name++) {
        if (backend_find(*name) && backend_find(*name)->only_if_named)
            continue;
        fprintf(out, "%s%s", first ? "" : ", ", *name);
        first = false;
    }
    fprintf(out, ")\n");
}

bool inventory_workloads(FILE *out, struct error *err)
{
    (void)err;
    for (const struct workload *const *each = workloads; *each; each++) {
        const struct workload *workload = *each;
        fprintf(out, "%s: %s\n  size\n", workload->name, workload->summary);
        for (const struct dim *dim = workload->dims; dim->name; dim++)
            print_dim(out, dim);
        fprintf(out, "    for example --size %s\n", workload->fixtures[0].shape);
        fprintf(out, "  dtype\n    ");
        for (enum dtype dtype = 0, any = 0; dtype < DTYPE_COUNT; dtype++)
            if (workload->dtypes & 1u << dtype)
                fprintf(out, "%s%s", any++ ? ", " : "", dtype_name(dtype));
        fprintf(out, "\n");
        if (workload->variants)
            fprintf(out, "  variant\n");
        for (const struct variant *variant = workload->variants; variant && variant->name; variant++)
            print_variant(out, variant, variant_width(workload));
    }
    return true;
}
