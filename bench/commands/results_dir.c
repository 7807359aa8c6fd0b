#include "bench/commands/results_dir.h"

#include "bench/plan/published.h"
#include "harness/base/atomic_file.h"
#include "harness/publish/index.h"
#include "harness/report/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char begin_mark[] = "<!-- bench publish writes what follows, up to the end mark -->\n",
                  end_mark[] = "<!-- end of what bench publish writes -->\n", journal_ending[] = ".jsonl";

/* The width is that of bench report where there is no terminal. */
enum { REPORT_WIDTH = 100, NUMBERS_MOST = 9999, README_MOST = 16 << 20 };

static bool join(char to[RESULTS_PATH], const char *folder, const char *name, const char *ending, struct error *err)
{
    const char *slash = *folder && folder[strlen(folder) - 1] == '/' ? "" : "/";
    int length = snprintf(to, RESULTS_PATH, "%s%s%s%s", folder, slash, name, ending);
    return (length > 0 && length < RESULTS_PATH) ||
           fail(err, STATUS_USAGE, "%.120s...: the name of a file is too long", folder);
}

/* A link would lead out of the folder that was named. */
static bool is_folder(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool make_folder(const char *path, struct error *err)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fail(err, STATUS_FAILED, "cannot make the folder %.120s: %s", path, strerror(errno));
    return is_folder(path) ||
           fail(err, STATUS_USAGE, "%.120s is no folder, or a link to one: name another with --name", path);
}

/* What was filed must say as much as the journal did: stand-ins that made two cells one would not. */
static bool keeps_all_cells(const struct atomic_file *file, const struct publication *publication, struct error *err)
{
    struct result copy;
    const struct result *original = &publication->result;
    bool ok = result_read(&copy, file->beside, err);
    if (ok && (copy.contradictions > 0 || copy.record->cells != original->record->cells ||
               copy.record->devices != original->record->devices || copy.record->blocks != original->record->blocks))
        ok = fail(err, STATUS_FAILED, "%.120s: without what identifies, two of its devices or cells have one name",
                  publication->path);
    result_release(&copy);
    return ok;
}

/* Tries the plain name first, then NAME-2, NAME-3 and on. */
static bool keep_under_free_name(struct atomic_file *file, const char *folder, const char *name,
                                 char path[RESULTS_PATH], bool *is_new, struct error *err)
{
    bool taken = true, same = false;
    for (unsigned number = 1; number <= NUMBERS_MOST && taken && !same; number++) {
        char numbered[SLUG_ROOM + 8];
        snprintf(numbered, sizeof numbered, number == 1 ? "%s" : "%s-%u", name, number);
        if (!join(path, folder, numbered, journal_ending, err) || !atomic_file_keep_new(file, path, &taken, &same, err))
            return false;
    }
    *is_new = !taken;
    return !taken || same || fail(err, STATUS_FAILED, "%.120s has %d runs called %s", folder, NUMBERS_MOST, name);
}

bool results_dir_file(const char *to, const char *machine, struct publication *publication, char path[RESULTS_PATH],
                      bool *is_new, struct error *err)
{
    char folder[RESULTS_PATH];
    struct atomic_file file;
    if (!join(folder, to, machine, "", err) || !make_folder(folder, err) || !atomic_file_open_in(&file, folder, err))
        return false;
    bool ok = publication_write(publication, file.out, err) && atomic_file_save(&file, err) &&
              keeps_all_cells(&file, publication, err) &&
              keep_under_free_name(&file, folder, publication->name, path, is_new, err);
    atomic_file_drop(&file);
    return ok;
}

/* The renderings beside a journal: whatever formats for people there are. */
static bool render(const struct result *run, const char *folder, const char *name, unsigned *written, struct error *err)
{
    static const char *const formats[] = { "table", "markdown" };
    static const char *const endings[] = { ".txt", ".md" };
    const struct layout layout = { .width = REPORT_WIDTH, .claims = published };
    struct result copy = *run;
    copy.path = ""; /* the place where it is filed is no part of what it says */
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct report *report = report_find(formats[i]);
        char path[RESULTS_PATH];
        struct atomic_file file;
        if (!report)
            continue;
        if (!join(path, folder, name, endings[i], err) || !atomic_file_open_in(&file, folder, err))
            return false;
        bool ok = report->write(&(struct results){ &copy, 1 }, &layout, file.out, err) &&
                  atomic_file_save(&file, err) && atomic_file_keep_changed(&file, path, written, err);
        atomic_file_drop(&file);
        if (!ok)
            return false;
    }
    return true;
}

/* An index in the making. */
struct update {
    struct index index;
    struct results_dir_tally *tally;
};

static bool update_run(struct update *update, const char *folder, const char *machine, const char *name,
                       struct error *err)
{
    char path[RESULTS_PATH];
    struct result run;
    struct stat status;
    if (!join(path, folder, name, journal_ending, err))
        return false;
    if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return fail(err, STATUS_USAGE, "%.120s is no file: take it away", path);
    bool ok = result_read(&run, path, err);
    if (ok && (!result_is_whole(&run) || !run.faults.complete || run.faults.truncated))
        ok = fail(err, STATUS_USAGE, "%.120s is damaged, see bench report: publish it again, or take it away", path);
    ok = ok && render(&run, folder, name, &update->tally->written, err);
    if (ok && !index_add(&update->index, machine, name, run.record))
        ok = fail(err, STATUS_NO_MEMORY, "no memory for an index of the published runs");
    result_release(&run);
    return ok;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int is_journal(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), ending = strlen(journal_ending);
    return is_visible(entry) && length > ending && strcmp(entry->d_name + length - ending, journal_ending) == 0;
}

/* By name without its ending, numbers in it by their value: a day's second run comes after its first, and before its
 * tenth. */
static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    char one[sizeof(*a)->d_name], other[sizeof one], *ending;
    strcpy(one, (*a)->d_name);
    strcpy(other, (*b)->d_name);
    if ((ending = strstr(one, journal_ending)))
        *ending = '\0';
    if ((ending = strstr(other, journal_ending)))
        *ending = '\0';
    return strverscmp(one, other);
}

static void free_entries(struct dirent **entry, int count)
{
    for (int i = 0; i < count; i++)
        free(entry[i]);
    if (count >= 0)
        free(entry);
}

static bool update_machine(struct update *update, const char *to, const char *machine, struct error *err)
{
    char folder[RESULTS_PATH];
    struct dirent **entry = NULL;
    bool ok = join(folder, to, machine, "", err);
    if (!ok || !is_folder(folder))
        return ok;
    int count = scandir(folder, &entry, is_journal, compare_entries);
    ok = count >= 0 || fail(err, STATUS_FAILED, "cannot read the folder %.120s: %s", folder, strerror(errno));
    update->tally->machines += count > 0;
    update->tally->runs += count > 0 ? (unsigned)count : 0;
    for (int i = 0; i < count && ok; i++) {
        char name[sizeof entry[i]->d_name];
        strcpy(name, entry[i]->d_name);
        name[strlen(name) - strlen(journal_ending)] = '\0';
        ok = update_run(update, folder, machine, name, err);
    }
    free_entries(entry, count);
    return ok;
}

/* All of a file as a text, to be freed; an empty one where there is none. NULL: it cannot be read. */
static char *read_text(const char *path, struct error *err)
{
    struct stat status;
    char *text = NULL;
    size_t size = 0;
    if (lstat(path, &status) != 0)
        return strdup("");
    FILE *in = S_ISREG(status.st_mode) && status.st_size <= README_MOST ? fopen(path, "re") : NULL;
    FILE *out = in ? open_memstream(&text, &size) : NULL;
    char block[4096];
    for (size_t got; out && (got = fread(block, 1, sizeof block, in)) > 0;)
        fwrite(block, 1, got, out);
    bool ok = out && !ferror(in);
    if (out)
        ok = fclose(out) == 0 && ok;
    if (in)
        fclose(in);
    if (ok)
        return text;
    fail(err, STATUS_USAGE, "%.120s cannot be read: it must be a file", path);
    free(text);
    return NULL;
}

/* What stands before and after the index; a new page has only a heading. */
static bool write_page(const char *old, const struct index *index, const char *path, FILE *out, struct error *err)
{
    const char *begin = strstr(old, begin_mark), *end = begin ? strstr(begin, end_mark) : NULL;
    if (!end && *old)
        return fail(err, STATUS_USAGE,
                    "%.100s has no place for the index: put a line %.63s and a line %.40s where it belongs", path,
                    begin_mark, end_mark);
    if (end)
        fprintf(out, "%.*s", (int)(begin - old), old);
    else
        fputs("# Published results\n\n", out);
    fprintf(out, "%s\n", begin_mark);
    if (!index_write(index, out))
        return fail(err, STATUS_NO_MEMORY, "no memory for an index of the published runs");
    fprintf(out, "\n%s%s", end_mark, end ? end + strlen(end_mark) : "");
    return true;
}

static bool write_index(const char *to, const struct update *update, struct error *err)
{
    char path[RESULTS_PATH];
    struct atomic_file file;
    char *old = join(path, to, "README", ".md", err) ? read_text(path, err) : NULL;
    bool ok = old && atomic_file_open_in(&file, to, err);
    if (ok) {
        ok = write_page(old, &update->index, path, file.out, err) && atomic_file_save(&file, err) &&
             atomic_file_keep_changed(&file, path, &update->tally->written, err);
        atomic_file_drop(&file);
    }
    free(old);
    return ok;
}

bool results_dir_render(const char *to, struct results_dir_tally *out, struct error *err)
{
    struct dirent **entry = NULL;
    struct update update = { .tally = out };
    *out = (struct results_dir_tally){ 0 };
    int count = scandir(to, &entry, is_visible, compare_entries);
    bool ok = count >= 0 || fail(err, STATUS_USAGE, "--to: cannot read the folder %.120s: %s", to, strerror(errno));
    for (int i = 0; i < count && ok; i++)
        ok = update_machine(&update, to, entry[i]->d_name, err);
    ok = ok && write_index(to, &update, err);
    free_entries(entry, count);
    index_release(&update.index);
    return ok;
}

/* The duplicate in one machine's folder. */
static bool find_duplicate(const char *folder, const char *path, char duplicate[RESULTS_PATH])
{
    struct dirent **entry = NULL;
    struct error ignored = { .status = STATUS_OK };
    bool found = false;
    int count = is_folder(folder) ? scandir(folder, &entry, is_journal, compare_entries) : 0;
    for (int i = 0; i < count && !found; i++)
        found = join(duplicate, folder, entry[i]->d_name, "", &ignored) && strcmp(duplicate, path) != 0 &&
                files_are_same(path, duplicate);
    free_entries(entry, count);
    return found;
}

bool results_dir_duplicate(const char *to, const char *path, char duplicate[RESULTS_PATH])
{
    struct dirent **entry = NULL;
    struct error ignored = { .status = STATUS_OK };
    bool found = false;
    int count = scandir(to, &entry, is_visible, compare_entries);
    for (int i = 0; i < count && !found; i++) {
        char folder[RESULTS_PATH];
        found = join(folder, to, entry[i]->d_name, "", &ignored) && find_duplicate(folder, path, duplicate);
    }
    free_entries(entry, count);
    return found;
}
