#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/commands/journals.h"
#include "harness/base/file.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/report/report.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The ".gz" of "n1.jsonl.gz"; NULL: not the name of a compressed journal. */
static const char *compressed_ending(const char *name)
{
    static const char *const endings[] = { ".gz", ".xz", ".zst", ".bz2" };
    const char *journal = strstr(name, ".jsonl."), *ending = journal ? journal + strlen(".jsonl") : NULL;
    for (unsigned i = 0; i < sizeof endings / sizeof *endings && ending; i++)
        if (strcmp(ending, endings[i]) == 0)
            return ending;
    return NULL;
}

static int fleet_entry(const struct dirent *entry)
{
    return journals_entry(entry) || (entry->d_name[0] != '.' && compressed_ending(entry->d_name));
}

/* A journal, what was read of it, and why it cannot be read. */
struct file {
    const char *path;
    struct result result;
    struct error err;
};

/* A pipe could block for ever, and a device never end. */
static void read_files(void *context, int64_t begin, int64_t end)
{
    for (struct file *file = (struct file *)context + begin; file < (struct file *)context + end; file++) {
        struct stat status;
        if (stat(file->path, &status) == 0 && !S_ISREG(status.st_mode))
            fail(&file->err, STATUS_USAGE, "its journal is not a regular file");
        else if (compressed_ending(file->path))
            fail(&file->err, STATUS_USAGE, "its journal is compressed and was left out: unpack it");
        else
            result_read(&file->result, file->path, &file->err);
    }
}

/* A journal that cannot be read costs its node only. */
static bool add_file(struct fleet *fleet, struct file *file, struct error *err)
{
    char name[NAME_MAX + 1];
    const char *slash = strrchr(file->path, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : file->path); /* "n1" of "results/n1.jsonl" */
    const char *ending = compressed_ending(name);
    if (ending)
        name[ending - name] = '\0';
    if (strcmp(text_ending(name), "jsonl") == 0)
        name[strlen(name) - strlen(".jsonl")] = '\0';
    if (ending && fleet_place(fleet, FLEET_NONE, "node %s", name) != FLEET_NONE)
        return true; /* it is unpacked beside this */
    if (file->err.status == STATUS_OK)
        fleet_add(fleet, name, &file->result);
    else
        fleet_add_missing(fleet, name, file->err.message);
    result_release(&file->result);
    return file->err.status != STATUS_NO_MEMORY || fail(err, STATUS_NO_MEMORY, "%s", file->err.message);
}

/* Reading takes nearly all of the time, so all cores read; not more at once, as a journal in memory has megabytes. */
static bool add_files(struct fleet *fleet, const struct labels *paths, struct error *err)
{
    enum { AT_ONCE = 16 };
    bool added = true;
    for (unsigned first = 0; first < paths->count && added; first += AT_ONCE) {
        struct file file[AT_ONCE] = { { .path = NULL } };
        const unsigned left = paths->count - first, count = left < AT_ONCE ? left : AT_ONCE;
        for (unsigned i = 0; i < count; i++)
            file[i].path = paths->label[first + i];
        parallel_slices(read_files, file, 0, count, 1, 0);
        for (unsigned i = 0; i < count; i++)
            added &= add_file(fleet, &file[i], err);
    }
    return added;
}

/* nodes.txt of a folder: a name a line, and comments from a # on. Those without a journal in any folder are missing. */
static bool add_absent(struct fleet *fleet, const char *folder, struct error *err)
{
    char path[PATH_MAX], name[NAME_MAX + 2];
    snprintf(path, sizeof path, "%s/nodes.txt", folder);
    FILE *in = file_open(path, "r");
    if (!in && (errno == ENOENT || errno == ENOTDIR)) /* no list; or a journal by itself */
        return true;
    while (in && fgets(name, sizeof name, in)) {
        name[strcspn(name, "#")] = '\0';
        text_clean(name, sizeof name, name);
        if (*name && fleet_place(fleet, FLEET_NONE, "node %s", name) == FLEET_NONE)
            fleet_add_missing(fleet, name, "no journal");
    }
    const bool is_read = in && !ferror(in);
    if (!is_read)
        fail(err, STATUS_USAGE, "cannot read %.120s: %s", path, strerror(errno));
    if (in)
        fclose(in);
    return is_read;
}

/* A folder or a journal. */
static bool add_path(struct fleet *fleet, const char *path, struct error *err)
{
    struct dirent **entry = NULL;
    struct labels paths = { NULL, 0 };
    int count = scandir(path, &entry, fleet_entry, versionsort);
    if (count < 0 && errno == ENOTDIR)
        return add_files(fleet, &(struct labels){ &path, 1 }, err);
    if (count < 0)
        return fail(err, STATUS_USAGE, "cannot read %.120s: %s", path, strerror(errno));
    for (int i = 0; i < count; free(entry[i++])) {
        const char *file = pool_print(&fleet->pool, "%s/%s", path, entry[i]->d_name);
        pool_add(&fleet->pool, &paths.label, &paths.count, &file, sizeof file);
    }
    free(entry);
    if (count == 0)
        return fail(err, STATUS_USAGE, "%.120s has no journal: files whose names end in .jsonl", path);
    return !fleet->pool.is_short ? add_files(fleet, &paths, err)
                                 : fail(err, STATUS_NO_MEMORY, "no memory for the names of %d journals", count);
}

static bool read_all(struct fleet *fleet, const char *const path[], struct error *err)
{
    bool is_read = true;
    for (unsigned i = 0; path[i] && is_read; i++)
        is_read = add_path(fleet, path[i], err);
    for (unsigned i = 0; path[i] && is_read; i++)
        is_read = add_absent(fleet, path[i], err);
    return is_read;
}

static bool write_one(const void *fleet, const struct output *output, struct error *err)
{
    return report_fleet(output->format, fleet, output_width(output), output->out, err);
}

static bool is_earlier(const struct options *options, struct error *err)
{
    const char *same = options->against ? path_same(options->file, LIST_MAX, options->against) : NULL;
    return !same || fail(err, STATUS_USAGE, "--against %.120s is %.120s itself; name the folder of an earlier day",
                         options->against, same);
}

int fleet(const struct options *options, struct error *err)
{
    struct outputs outputs;
    struct fleet fleet = { .nodes = 0 }, earlier = { .nodes = 0 };
    const char *const against[] = { options->against, NULL };
    int status = EXIT_USAGE;
    if (outputs_open(&outputs, options, err) && is_earlier(options, err) && read_all(&earlier, against, err) &&
        read_all(&fleet, options->file, err)) {
        const bool is_judged = fleet_judge(&fleet, options->against ? &earlier : NULL, err);
        status = is_judged && outputs_write(&outputs, write_one, &fleet, err) ? EXIT_OK : EXIT_BAD_CELL;
        for (enum fleet_state state = 0; state < FLEET_STATES; state++)
            if (options->fail_states[state] && fleet.count[state] > 0)
                status = EXIT_BAD_CELL;
    }
    fleet_release(&fleet);
    fleet_release(&earlier);
    outputs_close(&outputs);
    return status;
}
