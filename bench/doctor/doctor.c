#include "bench/doctor/doctor.h"

#include "bench/cli/exit_status.h"
#include "bench/doctor/diagnosis.h"
#include "harness/report/formats/prose.h"

#include <stdlib.h>
#include <unistd.h>

static bool may_use(const char *path)
{
    return access(path, R_OK | W_OK) == 0;
}

static const char *environment(const char *name)
{
    return getenv(name);
}

static void print_trouble(const struct finding *finding, FILE *out)
{
    char sentence[sizeof finding->subject + sizeof finding->text + 8];
    snprintf(sentence, sizeof sentence, "%s: %s", finding->subject, finding->text);
    prose_fit("  ", sentence, 0, out);
    fprintf(out, "      %s\n", finding->command);
}

void doctor_print(const struct diagnosis *diagnosis, FILE *out)
{
    unsigned troubles = diagnosis_troubles(diagnosis);
    if (troubles > 0)
        fprintf(out, "Problems\n");
    for (unsigned i = 0; i < diagnosis->findings; i++)
        if (!diagnosis->finding[i].is_fine)
            print_trouble(&diagnosis->finding[i], out);
    fprintf(out, "%s%s\n", troubles > 0 ? "\n" : "", troubles < diagnosis->findings ? "OK" : "");
    for (unsigned i = 0; i < diagnosis->findings; i++)
        if (diagnosis->finding[i].is_fine)
            fprintf(out, "  %s: %s\n", diagnosis->finding[i].subject, diagnosis->finding[i].text);
}

int doctor(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv, (void)err;
    const struct worker_setup setup = { .timeout = options->timeout, .wake_fd = -1 };
    struct listing listing;
    struct diagnosis diagnosis;
    const struct machine_view view = { "", &listing, may_use, environment };
    listing_read(&listing, &setup);
    diagnosis_make(&diagnosis, &view);
    doctor_print(&diagnosis, stdout);
    listing_free(&listing);
    return diagnosis_troubles(&diagnosis) == 0 ? EXIT_OK : EXIT_BAD_CELL;
}
