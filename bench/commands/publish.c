/* `bench publish`: checks journals, and files what others may see of them as TO/MACHINE/DATE-SUITE.jsonl. Beside each
 * journal are its reports, and TO/index.md has the index; both are made from the journals alone. */

#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/commands/journals.h"
#include "bench/plan/published.h"
#include "harness/base/atomic_file.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/publish/index.h"
#include "harness/publish/publication.h"
#include "harness/report/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The width of a report is that of `bench report` without a terminal. */
enum { REPORT_WIDTH = 100, NAME_ROOM = 256 };

/* FOLDER/NAME.EXTENSION */
static const char *join(struct pool *pool, const char *folder, const char *name, const char *extension)
{
    return pool_print(pool, "%s/%s.%s", folder, name, extension);
}

/* A symbolic link does not count: it would lead out of the folder that the user named. */
static bool is_folder(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Writes the journal into the folder of the machine, which is created if it is new. If another run has the journal's
 * name, a number is added: NAME-2, NAME-3. Nothing is overwritten. Returns the path, NULL on failure; *is_new is false
 * if the same journal was there already. */
static const char *add_journal(struct pool *pool, const char *folder, const struct publication *publication,
                               bool *is_new, struct error *err)
{
    struct atomic_file file;
    const char *path = join(pool, folder, publication->name, "jsonl");
    bool taken = true, same = false;
    if (!folder_make(folder))
        return fail_null(err, STATUS_FAILED, "cannot make the folder %.120s: %s", folder, strerror(errno));
    if (!is_folder(folder))
        return fail_null(err, STATUS_USAGE, "%.120s is not a folder, or is a link to one; give another --name", folder);
    if (!atomic_file_open_in(&file, folder, err))
        return NULL;
    bool ok = publication_write(publication, file.out, err) && atomic_file_save(&file, err) &&
              atomic_file_keep_new(&file, path, &taken, &same, err);
    for (unsigned number = 2; ok && taken && !same; number++) {
        path = join(pool, folder, pool_print(pool, "%s-%u", publication->name, number), "jsonl");
        ok = atomic_file_keep_new(&file, path, &taken, &same, err);
    }
    atomic_file_drop(&file);
    *is_new = !taken;
    return ok ? path : NULL;
}

/* Moves a written file to its place, or removes it if not `ok`. */
static bool finish(struct atomic_file *file, bool ok, const char *path, struct error *err)
{
    ok = ok && atomic_file_save(file, err) && atomic_file_keep_as(file, path, err);
    atomic_file_drop(file);
    return ok;
}

/* Writes the text and the Markdown report, with its pictures, beside a journal. */
static bool write_reports(struct pool *pool, const struct result *run, const char *folder, const char *name,
                          struct error *err)
{
    static const struct report *const formats[] = { &report_table, &report_markdown };
    const char *stem = pool_print(pool, "%s/%s", folder, name);
    const struct layout layout = { .width = REPORT_WIDTH, .claims = published, .pictures = stem };
    struct result copy = *run;
    bool ok = true;
    copy.path = ""; /* a report does not depend on where its journal is */
    for (unsigned i = 0; ok && i < sizeof formats / sizeof *formats; i++) {
        struct atomic_file file;
        ok = atomic_file_open_in(&file, folder, err);
        if (ok)
            ok = finish(&file, report_runs(formats[i], &(struct results){ &copy, 1 }, &layout, file.out, err),
                        join(pool, folder, name, formats[i]->extension), err);
    }
    return ok;
}

/* The name of a file without its extension. */
static const char *put_stem(char to[NAME_ROOM], const char *file)
{
    const char *dot = strrchr(file, '.');
    snprintf(to, NAME_ROOM, "%.*s", dot ? (int)(dot - file) : (int)strlen(file), file);
    return to;
}

/* As versionsort, but without the extension: DAY, DAY-2, DAY-10. */
static int compare_journals(const struct dirent **a, const struct dirent **b)
{
    char one[NAME_ROOM], other[NAME_ROOM];
    return strverscmp(put_stem(one, (*a)->d_name), put_stem(other, (*b)->d_name));
}

static bool update_run(struct index *index, const char *folder, const char *machine, const char *file,
                       struct error *err)
{
    char name[NAME_ROOM];
    struct result run;
    struct stat status;
    struct pool *pool = &index->pool;
    const char *path = join(pool, folder, put_stem(name, file), "jsonl");
    if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return fail(err, STATUS_USAGE, "%.120s is not a regular file; remove it", path);
    bool ok = result_read(&run, path, err);
    if (ok && (result_left_out(&run) > 0 || !run.faults.complete || run.faults.truncated))
        ok =
            fail(err, STATUS_USAGE, "%.120s is damaged, as 'bench report' shows; publish it again, or remove it", path);
    if (ok && json_array_size(json_object_get(run.record->head, "command")) > 0)
        ok = fail(err, STATUS_USAGE, "%.120s was not filed by publish; move it elsewhere, and publish it from there",
                  path);
    ok = ok && write_reports(pool, &run, folder, name, err);
    if (ok)
        index_add(index, machine, name, run.record);
    result_release(&run);
    return ok;
}

/* The runs of a machine, from the first to the latest. */
static bool update_machine(struct index *index, const char *to, const char *machine, struct error *err)
{
    struct dirent **entry = NULL;
    const char *folder = pool_print(&index->pool, "%s/%s", to, machine);
    int count = *machine != '.' && is_folder(folder) ? scandir(folder, &entry, journals_entry, compare_journals) : 0;
    bool ok = count >= 0 || fail(err, STATUS_FAILED, "cannot read the folder %.120s: %s", folder, strerror(errno));
    for (int i = 0; i < count; free(entry[i++]))
        ok = ok && update_run(index, folder, machine, entry[i]->d_name, err);
    free(entry);
    return ok;
}

/* Writes the reports of every journal, and the index TO/index.md. Fails at the first journal that cannot be read. */
static bool update_reports(struct index *index, const char *to, struct error *err)
{
    struct dirent **entry = NULL;
    int count = scandir(to, &entry, NULL, versionsort);
    bool ok = count >= 0 || fail(err, STATUS_USAGE, "--to: cannot read the folder %.120s: %s", to, strerror(errno));
    for (int i = 0; i < count; free(entry[i++]))
        ok = ok && update_machine(index, to, entry[i]->d_name, err);
    free(entry);
    struct atomic_file file;
    ok = ok && atomic_file_open_in(&file, to, err);
    if (ok) {
        index_write(index, file.out);
        ok = finish(&file, true, join(&index->pool, to, "index", "md"), err);
    }
    return ok && (!index->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for the index of published runs"));
}

static bool publish_one(const struct options *options, const struct publication *publication, struct error *err)
{
    struct pool pool = { 0 };
    bool is_new = true;
    const char *folder =
        pool_print(&pool, "%s/%s", options->folder, options->name ? options->name : publication->machine);
    const char *path = options->dry_run ? join(&pool, folder, publication->name, "jsonl")
                                        : add_journal(&pool, folder, publication, &is_new, err);
    if (path)
        printf("%s %s %s\n  without the command, the time of day, names of files, variables, reasons, notes and "
               "messages of drivers\n",
               publication->path,
               options->dry_run ? "would be filed as"
               : is_new         ? "is filed as"
                                : "is filed already, as",
               path);
    pool_release(&pool);
    return path != NULL;
}

/* Files no journal unless all are fit to be published. */
static int publish_all(const struct options *options, struct publication publication[], unsigned count,
                       struct error *err)
{
    bool fit = true;
    for (unsigned i = 0; i < count; i++) {
        if (!publication_open(&publication[i], options->file[i], BENCH_VERSION, "fake", err))
            return EXIT_USAGE;
        const struct labels *flaws = &publication[i].flaws;
        for (unsigned k = 0; k < flaws->count; k++)
            fprintf(stderr, "bench: %s: %s\n", options->file[i], flaws->label[k]);
        fit &= flaws->count == 0;
    }
    if (!fit) {
        fail(err, STATUS_FAILED, "nothing was published");
        return EXIT_BAD_CELL;
    }
    for (unsigned i = 0; i < count; i++)
        if (!publish_one(options, &publication[i], err))
            return EXIT_BAD_CELL;
    return EXIT_OK;
}

int publish(const struct options *options, struct error *err)
{
    struct publication publication[LIST_MAX] = { { .path = NULL } };
    struct stat status;
    unsigned count = 0;
    char slug[SLUG_ROOM];
    while (options->file[count])
        count++;
    /* The name becomes a folder in --to, so it must not lead elsewhere. */
    if (options->name && (!*options->name || strcmp(text_slug(slug, sizeof slug, options->name), options->name) != 0)) {
        fail(err, STATUS_USAGE, "--name: up to %d small letters, digits, '-' and '.', as in i5-8250u-uhd-620",
             SLUG_ROOM - 1);
        return EXIT_USAGE;
    }
    if (stat(options->folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
        fail(err, STATUS_USAGE, "--to: %.120s is not a folder; create it first", options->folder);
        return EXIT_USAGE;
    }
    int result = publish_all(options, publication, count, err);
    for (unsigned i = 0; i < count; i++)
        publication_close(&publication[i]);
    struct index index = { .runs = 0 };
    if (count == 0 && options->dry_run)
        printf("the reports and the index in %s would be written anew\n", options->folder);
    if (result != EXIT_OK || options->dry_run)
        return result;
    const bool is_written = update_reports(&index, options->folder, err);
    if (is_written && count == 0)
        printf("index of %u run%s\n", index.runs, index.runs == 1 ? "" : "s");
    index_release(&index);
    return is_written ? EXIT_OK : EXIT_BAD_CELL;
}
