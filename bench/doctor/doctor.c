#include "bench/doctor/doctor.h"

#include "bench/backends/common/driver_cache.h"
#include "bench/cli/exit_status.h"
#include "bench/doctor/finding.h"
#include "harness/base/child.h"
#include "harness/base/file.h"
#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool may_use(const char *path)
{
    return access(path, R_OK | W_OK) == 0;
}

enum { TO_FIX, FINE, SEEN, KINDS };
static const char *const headings[KINDS] = { "To fix", "OK", "Seen, not tried" };

static unsigned kind_of(const struct finding *finding)
{
    return !finding->is_fine ? TO_FIX : finding->is_seen ? SEEN : FINE;
}

void doctor_print(const struct diagnosis *diagnosis, FILE *out)
{
    struct pool pool = { 0 };
    prose_fit("", diagnosis->headline, 0, out);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        unsigned printed = 0;
        for (unsigned i = 0; i < diagnosis->findings; i++) {
            const struct finding *finding = &diagnosis->finding[i];
            if (kind_of(finding) != kind)
                continue;
            if (printed++ == 0)
                fprintf(out, "\n%s\n", headings[kind]);
            prose_fit("  ", pool_print(&pool, "%s: %s", finding->subject, finding->text), 0, out);
            if (!finding->is_fine)
                fprintf(out, "      %s\n", finding->command);
        }
    }
    pool_release(&pool);
}

void doctor_print_json(const struct diagnosis *diagnosis, FILE *out)
{
    json_t *array[KINDS] = { json_array(), json_array(), json_array() };
    for (unsigned i = 0; i < diagnosis->findings; i++) {
        const struct finding *finding = &diagnosis->finding[i];
        json_t *json = json_pack("{s:s, s:s}", "subject", finding->subject, "text", finding->text);
        if (!finding->is_fine)
            json_object_set_new(json, "command", json_string(finding->command));
        json_array_append_new(array[kind_of(finding)], json);
    }
    output_put_json(json_pack("{s:s, s:b, s:o, s:o, s:o}", "headline", diagnosis->headline, "has_gpu",
                              diagnosis->has_gpu, "to_fix", array[TO_FIX], "ok", array[FINE], "seen", array[SEEN]),
                    out, NULL);
}

static struct diagnosis diagnose(struct pool *pool, const struct listing *listing, const struct probe *probe)
{
    char bundled[PATH_MAX];
    const struct text limits = host_limits("");
    struct diagnosis diagnosis;
    file_of_program(bundled); /* a bundle has its libraries beside the folder of the program: bin/bench and lib */
    for (unsigned i = 0; i < 2 && strrchr(bundled, '/'); i++)
        *strrchr(bundled, '/') = '\0';
    strcat(bundled, "/lib");
    const struct machine_view view = { "", listing, may_use, getenv, probe, bundled, limits.text, pool };
    diagnosis_make(&diagnosis, &view);
    return diagnosis;
}

const char *doctor_why_no_gpu(struct pool *pool, const struct listing *listing)
{
    return listing_has_gpu(listing) ? NULL : diagnose(pool, listing, NULL).headline;
}

void doctor_explain(const struct listing *listing, const struct options *options, struct error *err)
{
    struct pool pool = { 0 };
    const struct diagnosis diagnosis = diagnose(&pool, listing, NULL);
    for (const char *const *word = options->device; *word; word++)
        if (strcmp(*word, "gpu") == 0 && !diagnosis.has_gpu)
            snprintf(err->message, sizeof err->message, "--device gpu: %.490s", diagnosis.headline);
        else if (strncasecmp(*word, "opencl", 6) == 0 && *diagnosis.no_opencl)
            snprintf(err->message, sizeof err->message, "--device %.20s: no device: %.460s", *word,
                     diagnosis.no_opencl);
    pool_release(&pool);
}

void doctor_note_no_gpu(struct context *context)
{
    static const char unset[] = "unset ";
    struct pool pool = { 0 };
    if (context->options->device[0])
        return;
    const struct diagnosis diagnosis = diagnose(&pool, &context->listing, NULL);
    if (!diagnosis.has_gpu) {
        progress_note(&context->progress, "%s", diagnosis.headline);
        run_log_write_json(&context->run_log, LINE_ABSENT,
                           json_pack("{s:s, s:s, s:s, s:s+}", "backend", "gpu", "source", "", "status",
                                     status_names[STATUS_UNSUPPORTED], "reason", diagnosis.headline, "."));
    }
    /* The variables that hide a GPU beside another. */
    for (unsigned i = 0; diagnosis.has_gpu && i < diagnosis.of_adapters; i++)
        if (strncmp(diagnosis.finding[i].command, unset, strlen(unset)) == 0)
            progress_note(&context->progress, "%s: %s", diagnosis.finding[i].subject, diagnosis.finding[i].text);
    pool_release(&pool);
}

/* Uses a device once: a worker builds a kernel of one line, runs it and checks its result. */
static bool use(const struct listing *listing, const struct device *device, struct error *err)
{
    struct client *client = client_start(&listing->setup, false, -1, err);
    if (!client)
        return false;
    const struct request open = { .kind = ASK_OPEN,
                                  .device = device,
                                  .workload = "multiply",
                                  .dtype = "f32",
                                  .shape = "n=4096",
                                  .method = device->works_in_host_memory ? "native" : "portable",
                                  .kernel_shape = "",
                                  .memory = memory_names[MEMORY_PAGEABLE],
                                  .seed = 1 },
                         verify = { .kind = ASK_VERIFY, .pass = WHEN_BEFORE };
    struct reply opened, verified = reply_unknown(ASK_VERIFY);
    const bool works = client_ask(client, &open, 0, &opened, err) && client_ask(client, &verify, 0, &verified, err);
    reply_release(&opened);
    reply_release(&verified);
    client_end(client, NULL);
    return works;
}

static void try_device(struct probe *out, const struct listing *listing, const struct device *device)
{
    struct error why = { .status = STATUS_OK };
    *out = (struct probe){ .is_done = true };
    if (use(listing, device, &out->outcome) || !driver_cache_is_of(device->platform))
        return;
    setenv("POCL_KERNEL_CACHE", "0", 1); /* once more without it */
    out->has_damaged_cache = use(listing, device, &why);
    unsetenv("POCL_KERNEL_CACHE");
    if (!out->has_damaged_cache)
        out->outcome = why; /* which does not suspect the cache */
}

int doctor(const struct options *options, struct error *err)
{
    const struct worker_setup setup = { .timeout = options->timeout };
    struct listing listing;
    struct pool pool = { 0 };
    struct probe *probe = pool_take(&pool, DEVICES_MAX * sizeof *probe);
    listing_read(&listing, &setup);
    for (unsigned i = 0; probe && i < listing.devices; i++)
        try_device(&probe[i], &listing, &listing.device[i]);
    const struct diagnosis diagnosis = diagnose(&pool, &listing, probe);
    if (strcmp(options->format, "json") == 0)
        doctor_print_json(&diagnosis, stdout);
    else
        doctor_print(&diagnosis, stdout);
    listing_free(&listing);
    const bool is_fine = diagnosis_troubles(&diagnosis) == 0;
    pool_release(&pool);
    return is_fine ? EXIT_OK : EXIT_BAD_CELL;
}
