#include "bench/doctor/doctor.h"

#include "bench/cli/exit_status.h"
#include "bench/cli/output.h"
#include "bench/doctor/finding.h"
#include "harness/base/child.h"
#include "harness/base/text.h"
#include "harness/report/formats/prose.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool may_use(const char *path)
{
    return access(path, R_OK | W_OK) == 0;
}

static void print_trouble(const struct finding *finding, FILE *out)
{
    char sentence[sizeof finding->subject + sizeof finding->text + 8];
    snprintf(sentence, sizeof sentence, "%s: %s", finding->subject, finding->text);
    prose_fit("  ", sentence, 0, out);
    fprintf(out, "      %s\n", finding->command);
}

static void print_fine(const struct diagnosis *diagnosis, bool is_seen, FILE *out)
{
    const char *heading = is_seen ? "\nSeen, not tried\n" : "\nOK\n";
    for (unsigned i = 0; i < diagnosis->findings; i++) {
        const struct finding *finding = &diagnosis->finding[i];
        if (!finding->is_fine || finding->is_seen != is_seen)
            continue;
        fprintf(out, "%s  %s: %s\n", heading, finding->subject, finding->text);
        heading = "";
    }
}

void doctor_print(const struct diagnosis *diagnosis, FILE *out)
{
    unsigned troubles = diagnosis_troubles(diagnosis);
    prose_fit("", diagnosis->headline, 0, out);
    if (troubles > 0)
        fprintf(out, "\nTo fix\n");
    for (unsigned i = 0; i < diagnosis->findings; i++)
        if (!diagnosis->finding[i].is_fine)
            print_trouble(&diagnosis->finding[i], out);
    print_fine(diagnosis, false, out);
    print_fine(diagnosis, true, out);
}

void doctor_print_json(const struct diagnosis *diagnosis, FILE *out)
{
    json_t *fine = json_array(), *seen = json_array(), *to_fix = json_array();
    for (unsigned i = 0; i < diagnosis->findings; i++) {
        const struct finding *finding = &diagnosis->finding[i];
        json_t *json = json_pack("{s:s, s:s}", "subject", finding->subject, "text", finding->text);
        if (!finding->is_fine)
            json_object_set_new(json, "command", json_string(finding->command));
        json_array_append_new(!finding->is_fine ? to_fix : finding->is_seen ? seen : fine, json);
    }
    output_json(json_pack("{s:s, s:b, s:o, s:o, s:o}", "headline", diagnosis->headline, "has_gpu", diagnosis->has_gpu,
                          "to_fix", to_fix, "ok", fine, "seen", seen),
                out);
}

/* A bundle has its libraries beside the folder of the program: bin/bench and lib. */
static void find_bundled(char to[PATH_MAX])
{
    char *end = child_program(to, PATH_MAX, NULL) ? strrchr(to, '/') : to;
    *end = '\0';
    end = strrchr(to, '/');
    strcpy(end ? end : to, "/lib");
}

static void diagnose(struct diagnosis *out, const struct listing *listing, const struct probes *probes)
{
    char bundled[PATH_MAX];
    find_bundled(bundled);
    const struct machine_view view = { "", listing, may_use, getenv, probes, bundled };
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
    char why[DOCTOR_HEADLINE];
    for (const char *const *word = options->device; *word; word++)
        if (strcmp(*word, "gpu") == 0 && doctor_why_no_gpu(listing, why, sizeof why))
            text_print(err->message, sizeof err->message, "--device gpu: %s", why);
}

void doctor_note_no_gpu(struct context *context)
{
    char why[DOCTOR_HEADLINE];
    if (context->options->device[0] || !doctor_why_no_gpu(&context->listing, why, sizeof why))
        return;
    progress_note(&context->progress, "%s", why);
    run_log_write(&context->run_log,
                  json_pack("{s:s, s:s, s:s, s:s, s:s+}", "line", "absent", "backend", "gpu", "source", "", "status",
                            status_names[STATUS_UNSUPPORTED], "reason", why, "."));
}

int doctor(const struct options *options, struct error *err)
{
    const struct worker_setup setup = { .timeout = options->timeout, .wake_fd = -1 };
    struct listing listing;
    struct diagnosis diagnosis;
    struct probes *probes = calloc(1, sizeof *probes);
    listing_read(&listing, &setup);
    if (probes)
        probes_run(probes, &listing);
    diagnose(&diagnosis, &listing, probes);
    free(probes);
    if (strcmp(options->format, "json") == 0)
        doctor_print_json(&diagnosis, stdout);
    else
        doctor_print(&diagnosis, stdout);
    listing_free(&listing);
    return diagnosis_troubles(&diagnosis) == 0 ? EXIT_OK : EXIT_BAD_CELL;
}
