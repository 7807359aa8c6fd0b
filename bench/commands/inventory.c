#include "bench/commands/commands.h"

#include "bench/backends/registry.h"
#include "bench/cli/exit_status.h"
#include "bench/commands/commit.h"
#include "bench/doctor/doctor.h"
#include "bench/plan/devices.h"
#include "bench/schedule/context.h"
#include "config.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"
#include "harness/machine/theory.h"
#include "harness/machine/topology.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

json_t *inventory_libraries(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "jansson", jansson_version_str(), "hwloc", topology_version().text,
                     "openmp", parallel_runtime(), "opencl_loader", OPENCL_FOUND, "compiler", __VERSION__);
}

void inventory_version(FILE *out)
{
    const char *name;
    char text[512] = "";
    json_t *libraries = inventory_libraries(), *version;
    fputs("bench " BENCH_VERSION ", commit " BENCH_COMMIT "\n", out);
    for (const struct backend *const *backend = backends; *backend; backend++)
        if (!(*backend)->only_if_named)
            text_join(text, sizeof text, ", ", (*backend)->name);
    fprintf(out, "backends   %s\n", text);
    text[0] = '\0';
    json_object_foreach (libraries, name, version)
        if (*json_string_value(version))
            text_append(text, sizeof text, "%s%s %s", *text ? ", " : "", name, json_string_value(version));
    fprintf(out, "libraries  %s; 'bench devices' names those of drivers\n", text);
    json_decref(libraries);
}

static bool is_json(const struct options *options)
{
    return strcmp(options->format, "json") == 0;
}

/* Room for the longest text of a device. */
enum { FIELD_ROOM = 1024 };

/* Prints a property of a device, wrapped to the width; nothing for an empty text. */
static void __attribute__((format(printf, 3, 4))) print_field(unsigned width, const char *name, const char *format, ...)
{
    char lead[64], text[FIELD_ROOM];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    snprintf(lead, sizeof lead, "    %-10s ", name);
    if (*text)
        prose_fit(lead, text, width, stdout);
}

/* "16, 2 threads used, 2.10 GHz (reported maximum)". */
static void print_units(unsigned width, const struct device *device)
{
    char text[256] = "unknown";
    if (device->units)
        snprintf(text, sizeof text, "%u", device->units);
    if (device->threads)
        text_append(text, sizeof text, ", %u thread%s used", device->threads, device->threads == 1 ? "" : "s");
    if (device->clock > 0)
        text_append(text, sizeof text, ", %.2f GHz (%s)", device->clock / 1e9, device->clock_origin);
    else
        text_append(text, sizeof text, ", clock unknown");
    if (device->max_clock > 0)
        text_append(text, sizeof text, ", highest known %.2f GHz (%s)", device->max_clock / 1e9,
                    device->max_clock_origin);
    print_field(width, "units", "%s", text);
}

/* The element types of the device whose peak is unknown for this reason: "f16, bf16". */
static struct text types_without_peak(const struct device *device, const char *why)
{
    struct text to = { "" };
    struct theory peak;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (device->computes[dtype] && !theory_peak(device, dtype, &peak) && strcmp(peak.why, why) == 0)
            text_join(to.text, sizeof to.text, ", ", dtype_name(dtype));
    return to;
}

/* The theoretical peak: a line for each element type, or one line with the reason where none is known. */
static void print_peaks(unsigned width, const struct device *device)
{
    char before[sizeof((struct theory *)NULL)->why] = "";
    const char *label = "peak";
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct theory peak;
        bool is_known = theory_peak(device, dtype, &peak);
        if (!device->computes[dtype] || (!is_known && strcmp(peak.why, before) == 0))
            continue;
        if (is_known)
            print_field(width, label, "%s %s: %s%s%s", dtype_name(dtype),
                        text_flops(peak.flops, dtype_operation(dtype_name(dtype))).text, peak.formula,
                        peak.is_confirmed ? "" : "; unconfirmed: ", peak.is_confirmed ? "" : peak.why);
        else
            print_field(width, label, "%s%sunknown: %s", *label ? "" : types_without_peak(device, peak.why).text,
                        *label ? "" : " ", peak.why);
        text_copy(before, sizeof before, is_known ? "" : peak.why);
        label = "";
    }
}

static void print_memory(unsigned width, const struct device *device)
{
    const bool is_cut = device->largest_buffer > 0;
    print_field(width, "memory", "%s%s%s%s%s, %s", device->memory > 0 ? text_bytes(device->memory).text : "unknown",
                host_memory_limiter(device->memory), is_cut ? ", " : "",
                is_cut ? text_bytes(device->largest_buffer).text : "", is_cut ? " at once" : "",
                device->works_in_host_memory ? "the host's own"
                : device->shares_host_memory ? "shared with the host"
                                             : "separate from the host's");
}

/* The libraries that its methods use, with the reason for each that is missing or is not the newest here. */
static void print_libraries(unsigned width, const struct device *device)
{
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && *device->library[i].name; i++) {
        const struct device_library *library = &device->library[i];
        if (*library->version)
            print_field(width, library->name, "%s%s%s%s%s", library->version, *library->path ? ", " : "", library->path,
                        *library->trouble ? "; " : "", library->trouble);
        else
            print_field(width, library->name, "none: %s", library->trouble);
    }
}

/* The known settings of the board. */
static void print_board(unsigned width, const struct device *device)
{
    char text[128] = "";
    if (device->power_limit > 0)
        snprintf(text, sizeof text, "%.0f W at most", device->power_limit);
    if (*device->ecc)
        text_append(text, sizeof text, "%sECC %s", *text ? ", " : "", device->ecc);
    if (*device->persistence)
        text_append(text, sizeof text, "%spersistence mode %s", *text ? ", " : "", device->persistence);
    print_field(width, "board", "%s", text);
}

static void print_device(unsigned width, const struct listing *listing, const struct device *device)
{
    const struct device *twin = listing_twin(listing, device);
    char dtypes[64] = "";
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (device->computes[dtype])
            text_join(dtypes, sizeof dtypes, ", ", dtype_name(dtype));
    printf("%-10s  %s  [%s]\n", device->id, device->name, class_names[device->class]);
    print_field(width, "platform", "%s", device->platform);
    print_field(width, "api", "%s", device->api_version);
    print_field(width, strcmp(device->backend, "cpu") == 0 ? "compiler" : "driver", "%s", device->driver_version);
    print_field(width, "model", "%s", device->architecture);
    print_units(width, device);
    print_peaks(width, device);
    print_memory(width, device);
    print_board(width, device);
    print_field(width, "computes", "%s", dtypes);
    print_field(width, "isa", "%s", device->isa);
    if (twin)
        print_field(width, "", "the same silicon as %s", twin->id);
    print_libraries(width, device);
    print_field(width, "note", "%s", device->note);
}

static void print_devices(const struct options *options, const struct listing *listing, const bool chosen[])
{
    const unsigned width = terminal_width(options);
    const bool is_whole = !options->device[0] || strcmp(options->device[0], "all") == 0;
    const json_t *absent;
    size_t i;
    for (unsigned d = 0; d < listing->devices; d++)
        if (chosen[d])
            print_device(width, listing, &listing->device[d]);
    json_array_foreach (listing->absent, i, absent)
        if (is_whole)
            prose_fit(text_print("%-10.40s  ", journal_text(absent, "backend")).text, listing_absent_words(absent).text,
                      width, stdout);
    struct pool pool = { 0 };
    const char *why = is_whole ? doctor_why_no_gpu(&pool, listing) : NULL;
    if (why)
        prose_fit("", pool_print(&pool, "%s.", why), width, stdout);
    pool_release(&pool);
}

static json_t *devices_to_json(const struct listing *listing, const bool chosen[])
{
    json_t *devices = json_array();
    for (unsigned i = 0; i < listing->devices; i++)
        if (chosen[i])
            json_array_append_new(devices, device_to_json(&listing->device[i]));
    struct pool pool = { 0 };
    json_t *all = json_pack("{s:o, s:O, s:s?}", "devices", devices, "absent", listing->absent, "no_gpu",
                            doctor_why_no_gpu(&pool, listing));
    pool_release(&pool);
    return all;
}

int inventory_devices(const struct options *options, struct error *err)
{
    static const char *const everything[] = { "all", NULL };
    const struct worker_setup setup = { .timeout = options->timeout };
    struct listing listing;
    bool chosen[DEVICES_MAX];
    listing_read(&listing, &setup);
    bool ok = listing_select(&listing, "--device", options->device[0] ? options->device : everything, chosen, err);
    if (!ok)
        doctor_explain(&listing, options, err);
    if (ok && is_json(options))
        output_put_json(devices_to_json(&listing, chosen), stdout, err);
    else if (ok)
        print_devices(options, &listing, chosen);
    listing_free(&listing);
    return ok ? EXIT_OK : EXIT_NOTHING;
}

static void print_dim(const struct dim *dim)
{
    printf("    %-10s %s: ", dim->name, dim->meaning);
    for (unsigned i = 0; dim->words && dim->words[i]; i++)
        printf("%s%s", i ? " or " : "", dim->words[i]);
    if (!dim->words)
        printf("%" PRId64 " to %" PRId64, dim->least, dim->most);
    if (dim->fallback >= 0 && dim->words)
        printf(", default %s", dim->words[dim->fallback]);
    if (dim->fallback >= 0 && !dim->words)
        printf(", default %" PRId64, dim->fallback);
    printf("\n");
}

static void print_method(const struct method *method)
{
    char names[128] = "";
    for (const char *const *name = method->backends; *name; name++)
        if (!backend_find(*name) || !backend_find(*name)->only_if_named)
            text_join(names, sizeof names, ", ", *name);
    printf("    %-20s %s (%s)\n", method->name, method->summary, names);
}

static void print_workload(const struct workload *workload)
{
    printf("%s: %s\n  size\n", workload->name, workload->summary);
    for (const struct dim *dim = workload->dims; dim->name; dim++)
        print_dim(dim);
    char dtypes[64] = "";
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (workload->dtypes & 1u << dtype)
            text_join(dtypes, sizeof dtypes, ", ", dtype_name(dtype));
    printf("    for example --size %s\n  dtype\n    %s\n", workload->suite_sizes[0].shape, dtypes);
    if (workload->methods)
        printf("  method\n");
    for (const struct method *method = workload->methods; method && method->name; method++)
        print_method(method);
}

static json_t *dim_to_json(const struct dim *dim)
{
    json_t *object =
        json_pack("{s:s, s:s, s:b}", "name", dim->name, "meaning", dim->meaning, "is_required", dim->fallback < 0);
    if (dim->words)
        json_object_set_new(object, "words", texts_to_json(dim->words));
    else
        json_object_update_new(object, json_pack("{s:I, s:I}", "least", dim->least, "most", dim->most));
    if (dim->fallback >= 0)
        json_object_set_new(object, "default",
                            dim->words ? json_string(dim->words[dim->fallback]) : json_integer(dim->fallback));
    return object;
}

static json_t *workload_to_json(const struct workload *workload)
{
    json_t *dims = json_array(), *dtypes = json_array(), *methods = json_array();
    for (const struct dim *dim = workload->dims; dim->name; dim++)
        json_array_append_new(dims, dim_to_json(dim));
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (workload->dtypes & 1u << dtype)
            json_array_append_new(dtypes, json_string(dtype_name(dtype)));
    for (const struct method *method = workload->methods; method && method->name; method++)
        json_array_append_new(methods, json_pack("{s:s, s:s, s:o}", "name", method->name, "summary", method->summary,
                                                 "backends", texts_to_json(method->backends)));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", workload->name, "summary", workload->summary, "example",
                     workload->suite_sizes[0].shape, "dims", dims, "dtypes", dtypes, "methods", methods);
}

int inventory_workloads(const struct options *options, struct error *err)
{
    json_t *array = json_array();
    for (const struct workload *const *each = workloads; *each; each++) {
        if (!options_names(options->workload, (*each)->name))
            continue;
        json_array_append_new(array, workload_to_json(*each));
        if (!is_json(options))
            print_workload(*each);
    }
    if (is_json(options))
        output_put_json(array, stdout, err);
    else
        json_decref(array);
    return EXIT_OK;
}
