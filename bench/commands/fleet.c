#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/cli/output.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/report/fleet/fleet_report.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Reading that took longer than this says how long. */
static const double slow_reading = 1;

/* "n1" of "results/n1.jsonl". */
static void node_name(char to[NAME_MAX + 1], const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(to, NAME_MAX + 1, "%s", name);
    if (strcmp(text_ending(to), "jsonl") == 0)
        to[strlen(to) - strlen(".jsonl")] = '\0';
}

/* A journal that cannot be read costs its node only. A pipe could block for ever, and a device never end. */
static bool add_journal(struct fleet *fleet, const char *path, struct error *err)
{
    char name[NAME_MAX + 1];
    struct result result;
    struct stat status = { .st_mode = S_IFREG };
    struct error local = { .status = STATUS_OK };
    node_name(name, path);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return fleet_add_missing(fleet, name, "its journal is not a regular file", err);
    bool is_read = result_read(&result, path, &local);
    if (local.status == STATUS_NO_MEMORY)
        is_read = fail(err, STATUS_NO_MEMORY, "%s", local.message);
    else if (is_read)
        is_read = fleet_add(fleet, name, &result, err);
    else
        is_read = fleet_add_missing(fleet, name, local.message, err);
    result_release(&result);
    fleet->bytes += (double)status.st_size;
    return is_read;
}

/* nodes.txt of a folder: a name a line. Those without a journal in any folder are missing. */
static bool add_absent(struct fleet *fleet, const char *folder, struct error *err)
{
    char path[PATH_MAX], name[NAME_MAX + 2];
    snprintf(path, sizeof path, "%s/nodes.txt", folder);
    FILE *in = fopen(path, "re");
    bool added = true;
    while (in && added && fgets(name, sizeof name, in)) {
        text_clean(name, sizeof name, name);
        if (*name && !fleet_has(fleet, name))
            added = fleet_add_missing(fleet, name, "no journal", err);
    }
    if (in)
        fclose(in);
    return added;
}

static int is_journal(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(text_ending(entry->d_name), "jsonl") == 0;
}

static bool add_folder(struct fleet *fleet, const char *folder, struct error *err)
{
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, is_journal, versionsort);
    bool added = count > 0;
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        added = added && add_journal(fleet, path, err);
        free(entry[i]);
    }
    free(entry);
    if (count < 0)
        return fail(err, STATUS_USAGE, "cannot read the folder %.120s: %s", folder, strerror(errno));
    if (count == 0)
        return fail(err, STATUS_USAGE, "%.120s has no journal: files whose names end in .jsonl", folder);
    return added;
}

static bool add_path(struct fleet *fleet, const char *path, struct error *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return fail(err, STATUS_USAGE, "cannot read %.120s: %s", path, strerror(errno));
    return S_ISDIR(status.st_mode) ? add_folder(fleet, path, err) : add_journal(fleet, path, err);
}

static bool read_all(struct fleet *fleet, const char *const path[], FILE *to, struct error *err)
{
    double start = clock_wall();
    bool is_read = true;
    for (unsigned i = 0; path[i] && is_read; i++)
        is_read = add_path(fleet, path[i], err);
    for (unsigned i = 0; path[i] && is_read; i++)
        is_read = add_absent(fleet, path[i], err);
    double seconds = clock_wall() - start;
    if (is_read && seconds > slow_reading)
        fprintf(to, "bench: read %u journals, %.0f MB in %.1f s (%.0f MB/s)\n", fleet->nodes, fleet->bytes / 1e6,
                seconds, fleet->bytes / 1e6 / seconds);
    return is_read;
}

/* By the name of the --output file, unless --format was given. */
static bool choose_report(const struct fleet_report **out, const struct options *options, struct error *err)
{
    bool by_name = options->output && !options->format_given;
    for (unsigned i = 0; fleet_reports[i]; i++) {
        *out = fleet_reports[i];
        if (strcasecmp(by_name ? text_ending(options->output) : options->format,
                       by_name ? (*out)->extension : (*out)->name) == 0)
            return true;
    }
    return fail(err, STATUS_USAGE,
                "--output %.80s: its name does not choose a format; end it in .txt, .csv, .json or .html, or give "
                "--format",
                options->output);
}

static int fleet_to(const struct output *output, const struct fleet_report *format, const struct options *options,
                    struct error *err)
{
    struct fleet fleet = { .nodes = 0 }, earlier = { .nodes = 0 };
    const char *const against[] = { options->against, NULL };
    int status = EXIT_USAGE;
    if (read_all(&earlier, against, stderr, err) && read_all(&fleet, options->file, stderr, err)) {
        status = EXIT_BAD_CELL;
        if (fleet_judge(&fleet, options->against ? &earlier : NULL, err) &&
            format->write(&fleet, output_width(output, options), output->out, err))
            status = EXIT_OK;
        for (enum fleet_state state = 0; state < FLEET_STATES; state++)
            if (options->fail_states[state] && fleet.count[state] > 0)
                status = EXIT_BAD_CELL;
    }
    fleet_release(&fleet);
    fleet_release(&earlier);
    return status;
}

int fleet(const struct options *options, struct error *err)
{
    struct output output;
    const struct fleet_report *format = NULL;
    if (!choose_report(&format, options, err) || !output_open(&output, options, err))
        return EXIT_USAGE;
    int status = fleet_to(&output, format, options, err);
    return output_close(&output, err->status == STATUS_OK, err) ? status : EXIT_BAD_CELL;
}
