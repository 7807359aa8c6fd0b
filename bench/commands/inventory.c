#include "bench/commands/commands.h"

#include "bench/backends/registry.h"
#include "bench/cli/exit_status.h"
#include "bench/plan/devices.h"
#include "harness/base/text.h"
#include "harness/machine/theory.h"
#include "harness/report/formats/prose.h"

#include <inttypes.h>
#include <string.h>

/* What the list is printed on. */
struct page {
    FILE *out;
    unsigned width; /* columns */
};

static void print_field(const struct page *page, const char *name, const char *text)
{
    char lead[64];
    snprintf(lead, sizeof lead, "    %-10s ", name);
    if (*text)
        prose_fit(lead, text, page->width, page->out);
}

/* "16, 2 threads used, 2.10 GHz (reported maximum)". */
static void print_units(const struct page *page, const struct device *device)
{
    char text[256], threads[40] = "", clock[64] = ", clock unknown", most[80] = "";
    if (device->threads)
        snprintf(threads, sizeof threads, ", %u thread%s used", device->threads, device->threads == 1 ? "" : "s");
    if (device->clock > 0)
        snprintf(clock, sizeof clock, ", %.2f GHz (%s)", device->clock / 1e9, device->clock_origin);
    if (device->max_clock > 0)
        snprintf(most, sizeof most, ", highest known %.2f GHz (%s)", device->max_clock / 1e9, device->max_clock_origin);
    if (device->units)
        snprintf(text, sizeof text, "%u%s%s%s", device->units, threads, clock, most);
    else
        snprintf(text, sizeof text, "unknown%s%s%s", threads, clock, most);
    print_field(page, "units", text);
}

/* What the device could do by its units and its clock, one line for each element type, or one where nothing is known.
 */
static void print_peaks(const struct page *page, const struct device *device)
{
    char before[sizeof((struct theory *)NULL)->why] = "", rate[TEXT_NUMBER], text[512];
    const char *label = "peak";
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct theory peak;
        bool is_known = theory_peak(device, dtype, &peak);
        if (!device->computes[dtype] || (!is_known && strcmp(peak.why, before) == 0))
            continue;
        if (is_known)
            snprintf(text, sizeof text, "%s %s: %s%s%s", dtype_name(dtype), text_flops(rate, peak.flops), peak.formula,
                     peak.is_confirmed ? "" : "; unconfirmed: ", peak.is_confirmed ? "" : peak.why);
        else
            snprintf(text, sizeof text, "unknown: %s", peak.why);
        print_field(page, label, text);
        text_copy(before, sizeof before, is_known ? "" : peak.why);
        label = "";
    }
}

static void print_memory(const struct page *page, const struct device *device)
{
    char memory[TEXT_NUMBER] = "unknown", largest[TEXT_NUMBER], at_once[48] = "", text[128];
    if (device->memory > 0)
        text_bytes(memory, device->memory);
    if (device->largest_buffer > 0)
        snprintf(at_once, sizeof at_once, ", %s at once", text_bytes(largest, device->largest_buffer));
    snprintf(text, sizeof text, "%s%s, %s", memory, at_once,
             device->works_in_host_memory ? "the host's own"
             : device->shares_host_memory ? "shared with the host"
                                          : "separate from the host's");
    print_field(page, "memory", text);
}

/* What methods on it compute with, and what of that is missing. */
static void print_libraries(const struct page *page, const struct device *device)
{
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && *device->library[i].name; i++) {
        const struct device_library *library = &device->library[i];
        char text[sizeof *library];
        snprintf(text, sizeof text, "%s%s%s", *library->trouble ? "none: " : library->version,
                 *library->path ? ", " : "", *library->trouble ? library->trouble : library->path);
        print_field(page, library->name, text);
    }
}

/* What its owner has set, as far as that is told. */
static void print_board(const struct page *page, const struct device *device)
{
    const char *const parts[][2] = { { "ECC", device->ecc }, { "persistence mode", device->persistence } };
    char text[128] = "";
    if (device->power_limit > 0)
        snprintf(text, sizeof text, "%.0f W at most", device->power_limit);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (*parts[i][1])
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s", *text ? ", " : "", parts[i][0],
                     parts[i][1]);
    print_field(page, "board", text);
}

static void print_device(const struct page *page, const struct listing *listing, const struct device *device)
{
    const struct device *twin = listing_twin(listing, device);
    char dtypes[64] = "", text[192];
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (device->computes[dtype])
            snprintf(dtypes + strlen(dtypes), sizeof dtypes - strlen(dtypes), "%s%s", *dtypes ? ", " : "",
                     dtype_name(dtype));
    fprintf(page->out, "%-10s  %s  [%s]\n", device->id, device->name, class_name(device->class));
    print_field(page, "platform", device->platform);
    print_field(page, "api", device->api_version);
    print_field(page, strcmp(device->backend, "cpu") == 0 ? "compiler" : "driver", device->driver_version);
    print_field(page, "model", device->architecture);
    print_units(page, device);
    print_peaks(page, device);
    print_memory(page, device);
    print_board(page, device);
    print_field(page, "computes", dtypes);
    print_field(page, "isa", device->isa);
    snprintf(text, sizeof text, "the same silicon as %s", twin ? twin->id : "");
    print_field(page, "", twin ? text : "");
    print_libraries(page, device);
    print_field(page, "note", device->note);
}

static void print_absent(const struct page *page, const json_t *absent)
{
    const char *backend = json_string_value(json_object_get(absent, "backend"));
    const char *source = json_string_value(json_object_get(absent, "source"));
    const char *reason = json_string_value(json_object_get(absent, "reason"));
    char lead[64], text[1024];
    snprintf(lead, sizeof lead, "%-10.40s  ", backend);
    snprintf(text, sizeof text, "none%s%s: %s", *source ? " from " : "", source, reason);
    prose_fit(lead, text, page->width, page->out);
}

int inventory_devices(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv;
    const struct worker_setup setup = { .timeout = options->timeout, .wake_fd = -1 };
    const struct page page = { stdout, terminal_width(options) };
    struct listing listing;
    bool chosen[DEVICES_MAX];
    listing_read(&listing, &setup);
    bool ok = listing_select(&listing, "--device", options->device, chosen, err);
    for (unsigned i = 0; ok && i < listing.devices; i++)
        if (chosen[i])
            print_device(&page, &listing, &listing.device[i]);
    bool of_everything = !options->device[0] || strcmp(options->device[0], "all") == 0;
    const json_t *absent;
    size_t i;
    json_array_foreach (listing.absent, i, absent)
        if (ok && of_everything)
            print_absent(&page, absent);
    listing_free(&listing);
    return ok ? EXIT_OK : EXIT_NO_DEVICE;
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

/* Columns that the longest name of a method takes. */
static int method_width(const struct workload *workload)
{
    size_t width = 0;
    for (const struct method *method = workload->methods; method && method->name; method++)
        width = strlen(method->name) > width ? strlen(method->name) : width;
    return (int)width;
}

static void print_method(FILE *out, const struct method *method, int width)
{
    fprintf(out, "    %-*s %s (", width, method->name, method->summary);
    bool first = true;
    for (const char *const *name = method->backends; *name; name++) {
        if (backend_find(*name) && backend_find(*name)->only_if_named)
            continue;
        fprintf(out, "%s%s", first ? "" : ", ", *name);
        first = false;
    }
    fprintf(out, ")\n");
}

int inventory_workloads(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)options, (void)argc, (void)argv, (void)err;
    FILE *out = stdout;
    for (const struct workload *const *each = workloads; *each; each++) {
        const struct workload *workload = *each;
        fprintf(out, "%s: %s\n  size\n", workload->name, workload->summary);
        for (const struct dim *dim = workload->dims; dim->name; dim++)
            print_dim(out, dim);
        fprintf(out, "    for example --size %s\n", workload->suite_sizes[0].shape);
        fprintf(out, "  dtype\n    ");
        for (enum dtype dtype = 0, any = 0; dtype < DTYPE_COUNT; dtype++)
            if (workload->dtypes & 1u << dtype)
                fprintf(out, "%s%s", any++ ? ", " : "", dtype_name(dtype));
        fprintf(out, "\n");
        if (workload->methods)
            fprintf(out, "  method\n");
        for (const struct method *method = workload->methods; method && method->name; method++)
            print_method(out, method, method_width(workload));
    }
    return EXIT_OK;
}
