#include "bench/doctor/doctor.h"

#include "bench/cli/exit_status.h"
#include "bench/cli/output.h"
#include "bench/doctor/finding.h"
#include "harness/base/child.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"
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

static void print_finding(const struct finding *finding, FILE *out)
{
    char sentence[sizeof finding->subject + sizeof finding->text + 8];
    snprintf(sentence, sizeof sentence, "%s: %s", finding->subject, finding->text);
    prose_fit("  ", sentence, 0, out);
    if (!finding->is_fine)
        fprintf(out, "      %s\n", finding->command);
}

void doctor_print(const struct diagnosis *diagnosis, FILE *out)
{
    prose_fit("", diagnosis->headline, 0, out);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        unsigned printed = 0;
        for (unsigned i = 0; i < diagnosis->findings; i++) {
            if (kind_of(&diagnosis->finding[i]) != kind)
                continue;
            if (printed++ == 0)
                fprintf(out, "\n%s\n", headings[kind]);
            print_finding(&diagnosis->finding[i], out);
        }
    }
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
    output_json(json_pack("{s:s, s:b, s:o, s:o, s:o}", "headline", diagnosis->headline, "has_gpu", diagnosis->has_gpu,
                          "to_fix", array[TO_FIX], "ok", array[FINE], "seen", array[SEEN]),
                out);
}

/* A bundle has its libraries beside the folder of the program: bin/bench and lib. */
static void find_bundled(char to[PATH_MAX])
{
    file_of_program(to);
    for (unsigned i = 0; i < 2 && strrchr(to, '/'); i++)
        *strrchr(to, '/') = '\0';
    strcat(to, "/lib");
}

static void diagnose(struct diagnosis *out, const struct listing *listing, const struct probe *probe)
{
    char bundled[PATH_MAX], limits[HOST_LIMITS_WORDS];
    find_bundled(bundled);
    host_limits(limits, "");
    const struct machine_view view = { "", listing, may_use, getenv, probe, bundled, limits };
    diagnosis_make(out, &view);
}

bool doctor_why_no_gpu(const struct listing *listing, char *to, size_t room)
{
    struct diagnosis diagnosis;
    *to = '\0';
    if (listing_has_gpu(listing))
        return false;
    diagnose(&diagnosis, listing, NULL);
    text_copy(to, room, diagnosis.headline);
    return true;
}

void doctor_explain(const struct listing *listing, const struct options *options, struct error *err)
{
    struct diagnosis diagnosis;
    diagnose(&diagnosis, listing, NULL);
    for (const char *const *word = options->device; *word; word++)
        if (strcmp(*word, "gpu") == 0 && !diagnosis.has_gpu)
            text_print(err->message, sizeof err->message, "--device gpu: %s", diagnosis.headline);
        else if (strncasecmp(*word, "opencl", 6) == 0 && *diagnosis.no_opencl)
            text_print(err->message, sizeof err->message, "--device %.20s: no device: %s", *word, diagnosis.no_opencl);
}

/* The variables that hide a GPU beside another. */
static void note_hidden(struct context *context)
{
    static const char unset[] = "unset ";
    struct diagnosis diagnosis;
    diagnose(&diagnosis, &context->listing, NULL);
    for (const struct finding *at = diagnosis.finding; at < diagnosis.finding + diagnosis.of_adapters; at++)
        if (strncmp(at->command, unset, strlen(unset)) == 0)
            progress_note(&context->progress, "%s: %s", at->subject, at->text);
}

void doctor_note_no_gpu(struct context *context)
{
    char why[DOCTOR_HEADLINE];
    if (context->options->device[0])
        return;
    if (!doctor_why_no_gpu(&context->listing, why, sizeof why)) {
        note_hidden(context);
        return;
    }
    progress_note(&context->progress, "%s", why);
    run_log_write_json(&context->run_log, LINE_ABSENT,
                       json_pack("{s:s, s:s, s:s, s:s+}", "backend", "gpu", "source", "", "status",
                                 status_names[STATUS_UNSUPPORTED], "reason", why, "."));
}

int doctor(const struct options *options, struct error *err)
{
    const struct worker_setup setup = { .timeout = options->timeout };
    struct listing listing;
    struct diagnosis diagnosis;
    struct probe *probe = calloc(DEVICES_MAX, sizeof *probe);
    listing_read(&listing, &setup);
    for (unsigned i = 0; probe && i < listing.devices; i++)
        probe_run(&probe[i], &listing, &listing.device[i]);
    diagnose(&diagnosis, &listing, probe);
    free(probe);
    if (strcmp(options->format, "json") == 0)
        doctor_print_json(&diagnosis, stdout);
    else
        doctor_print(&diagnosis, stdout);
    listing_free(&listing);
    return diagnosis_troubles(&diagnosis) == 0 ? EXIT_OK : EXIT_BAD_CELL;
}
