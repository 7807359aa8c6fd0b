#include "bench/commands/history.h"

#include "bench/cli/exit_status.h"
#include "bench/cli/output.h"
#include "bench/commands/commands.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/journal/run_log.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/formats/text_table.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIELD_MAX = 48, TAIL_MAX = 4096 };

/* 20261122T201400Z-679.jsonl: journals of other names are not ours to list or remove. */
static const char own_name[] = "[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z-*.jsonl";

/* By the names, which begin with the date of the run: a file may be copied or completed later. */
static int newest_first(const void *left, const void *right)
{
    return strverscmp(*(const char *const *)right, *(const char *const *)left);
}

bool history_open(struct history *out, struct error *err)
{
    *out = (struct history){ .run = NULL };
    if (!run_log_folder(out->folder, sizeof out->folder, R_OK, err))
        return false;
    out->folder[strlen(out->folder) - 1] = '\0'; /* its slash */
    DIR *folder = opendir(out->folder);
    if (!folder)
        return fail(err, STATUS_FAILED, "%.120s: %s", out->folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(folder));) {
        struct stat about;
        const char *path = pool_print(&out->pool, "%s/%s", out->folder, entry->d_name);
        if (fnmatch(own_name, entry->d_name, 0) != 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        if (!pool_add(&out->pool, &out->run, &out->runs, &path, sizeof path))
            break;
    }
    closedir(folder);
    if (out->runs > 0)
        qsort(out->run, out->runs, sizeof *out->run, newest_first);
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for the list of runs");
}

void history_close(struct history *history)
{
    pool_release(&history->pool);
    *history = (struct history){ .run = NULL };
}

/* What the first lines of a journal say. */
struct summary_of_run {
    char date[FIELD_MAX], suite[FIELD_MAX], machine[FIELD_MAX];
    json_t *devices;
};

static void copy_member(char to[FIELD_MAX], const json_t *object, const char *name)
{
    text_clean(to, FIELD_MAX, journal_text(object, name));
}

/* The text of a member; of a list of texts, joined by commas. */
static void field_text(char to[FIELD_MAX], const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name), *item;
    size_t i;
    copy_member(to, object, name);
    json_array_foreach (value, i, item)
        if (json_is_string(item))
            text_join(to, FIELD_MAX, ", ", json_string_value(item));
    text_clean(to, FIELD_MAX, to);
}

/* "quick"; "matmul 2048, 4096" where the user chose workloads or sizes. */
static void name_run(char to[FIELD_MAX], const json_t *options)
{
    char sizes[FIELD_MAX];
    field_text(to, options, "workload");
    field_text(sizes, options, "size");
    if (*sizes)
        text_append(to, FIELD_MAX, "%s%s", *to ? " " : "", sizes);
    if (!*to)
        copy_member(to, options, "suite");
}

/* Ends at the first line about a cell. */
static bool take_line(void *context, const json_t *line, struct error *err)
{
    static const char *const kinds[] = { "journal", "device", "sweep", "absent", "note", "resume" };
    enum { HEAD, DEVICE, SWEEP };
    struct summary_of_run *out = context;
    const char *kind = json_string_value(json_object_get(line, "line"));
    const unsigned known = sizeof kinds / sizeof *kinds, found = name_find(kind, kinds, known);
    if (found == HEAD) {
        copy_member(out->date, line, "started");
        name_run(out->suite, json_object_get(line, "options"));
        copy_member(out->machine, json_object_get(line, "host"), "name");
    } else if (found == DEVICE) {
        json_array_append(out->devices, json_object_get(line, "id"));
    } else if (found == SWEEP) {
        char workload[FIELD_MAX];
        copy_member(workload, line, "workload");
        snprintf(out->suite, sizeof out->suite, "sweep %.40s", workload);
    }
    return found < known || fail(err, STATUS_USAGE, "the rest is not needed");
}

/* "complete", "complete, 2 failed", "interrupted", "running", "broken off", or "unreadable" of what is no journal: by
 * the last line. */
static void read_outcome(const char *path, bool is_journal, char to[FIELD_MAX])
{
    char line[TAIL_MAX] = "";
    FILE *file = file_open(path, "r");
    if (file && fseek(file, -(long)sizeof line, SEEK_END) != 0)
        rewind(file);
    while (file && fgets(line, sizeof line, file))
        continue;
    if (file)
        fclose(file);
    json_t *last = json_loads(line, 0, NULL);
    copy_member(to, strcmp(journal_text(last, "line"), "end") == 0 ? last : NULL, "status");
    if (strcmp(to, "complete") == 0 && number_member(last, "failed") > 0)
        text_append(to, FIELD_MAX, ", %.0f failed", number_member(last, "failed"));
    if (!*to)
        snprintf(to, FIELD_MAX, "%s", file_is_locked(path) ? "running" : is_journal ? "broken off" : "unreadable");
    json_decref(last);
}

static json_t *describe(const char *path)
{
    struct summary_of_run summary = { .devices = json_array() };
    struct journal_faults faults;
    struct error ignored = { .status = STATUS_OK };
    char outcome[FIELD_MAX];
    journal_read(path, NULL, take_line, &summary, &faults, &ignored);
    read_outcome(path, *summary.date, outcome);
    return json_pack("{s:s, s:s, s:s, s:o, s:s, s:s}", "started", summary.date, "suite", summary.suite, "machine",
                     summary.machine, "devices", summary.devices, "outcome", outcome, "path", path);
}

/* Without files that are no journals. */
static bool open_readable(struct history *history, struct error *err)
{
    const bool is_open = history_open(history, err);
    unsigned kept = 0;
    for (unsigned i = 0; i < history->runs; i++) {
        json_t *run = describe(history->run[i]);
        history->run[kept] = history->run[i];
        kept += strcmp(journal_text(run, "outcome"), "unreadable") != 0;
        json_decref(run);
    }
    history->runs = kept;
    return is_open;
}

/* Whether a word is "last" (0) or "last~2" (2). Fails at one like "last~x". */
static bool read_last(const char *word, bool *is_last, unsigned long *back, struct error *err)
{
    const bool has_number = strncmp(word, "last~", 5) == 0;
    const char *number = has_number ? word + 5 : "0";
    *is_last = has_number || strcmp(word, "last") == 0;
    *back = strtoul(number, NULL, 10);
    return (*number && !number[strspn(number, "0123456789")]) ||
           fail(err, STATUS_USAGE, "%.40s: write last for the newest run, last~1 for the one before it, and so on",
                word);
}

bool history_resolve(struct history *history, const char *list[], struct error *err)
{
    unsigned long back;
    bool is_last;
    for (; *list; list++) {
        if (access(*list, F_OK) == 0)
            continue;
        if (!read_last(*list, &is_last, &back, err))
            return false;
        if (!is_last)
            continue;
        if (!history->run && !open_readable(history, err))
            return false;
        if (history->runs == 0)
            return fail(err, STATUS_USAGE, "%s: there is no run in %.100s; start with 'bench run'", *list,
                        history->folder);
        if (back >= history->runs)
            return fail(err, STATUS_USAGE, "%.20s: %.100s has %u run%s; 'bench list' shows them", *list,
                        history->folder, history->runs, history->runs == 1 ? "" : "s");
        *list = history->run[back];
    }
    return true;
}

static const char *column_text(struct pool *pool, const json_t *run, const char *name)
{
    char text[FIELD_MAX];
    if (strcmp(name, "path") == 0)
        return journal_text(run, name);
    field_text(text, run, name);
    if (strcmp(name, "started") == 0 && strlen(text) > 16) { /* "2026-11-22 20:14 UTC" */
        text[10] = ' ';
        strcpy(text + 16, " UTC");
    }
    return pool_copy(pool, text);
}

static void print_table(const json_t *runs, struct pool *pool, FILE *out)
{
    static const struct column columns[] = {
        { "started", "", ALIGN_LEFT, GROUP_NAME, "" }, { "suite", "", ALIGN_LEFT, GROUP_NAME, "" },
        { "machine", "", ALIGN_LEFT, GROUP_NAME, "" }, { "devices", "", ALIGN_LEFT, GROUP_NAME, "" },
        { "outcome", "", ALIGN_LEFT, GROUP_NAME, "" }, { "path", "", ALIGN_LEFT, GROUP_NAME, "" },
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct table *table = table_open(pool, columns, COLUMNS, (unsigned)json_array_size(runs));
    for (unsigned i = 0; table && i < table->rows; i++)
        for (unsigned k = 0; k < COLUMNS; k++)
            table->row[i].field[k] = column_text(pool, json_array_get(runs, i), columns[k].title);
    if (table)
        text_table_print(table, &(struct text_style){ .width = 0 }, out);
}

int list(const struct options *options, struct error *err)
{
    struct history history;
    FILE *out = stdout;
    json_t *runs = json_array();
    const bool ok = history_open(&history, err);
    for (unsigned i = 0; ok && i < history.runs; i++)
        json_array_append_new(runs, describe(history.run[i]));
    if (ok && strcmp(options->format, "json") == 0)
        output_json(json_incref(runs), out);
    else if (ok && history.runs > 0)
        print_table(runs, &history.pool, out);
    else if (ok)
        fprintf(out, "no run in %s yet; start with '%s run'\n", history.folder, QUOTED(options->argv[0]));
    json_decref(runs);
    history_close(&history);
    return ok ? EXIT_OK : EXIT_USAGE;
}

/* Removes a journal with what drivers printed. */
static bool remove_run(const char *path, struct error *err)
{
    folder_remove(PRINTED(PATH_MAX, "%s.log", path));
    return unlink(path) == 0 || fail(err, STATUS_FAILED, "%.120s: %s", path, strerror(errno));
}

int clean(const struct options *options, struct error *err)
{
    struct history history;
    unsigned removed = 0;
    FILE *out = stdout;
    if (!open_readable(&history, err)) {
        history_close(&history);
        return EXIT_USAGE;
    }
    bool ok = true;
    for (unsigned i = options->keep; ok && i < history.runs; i++) {
        const char *path = history.run[i];
        if (file_is_locked(path))
            continue;
        if (options->dry_run)
            fprintf(out, "%s\n", path);
        else
            ok = remove_run(path, err);
        removed += ok;
    }
    fprintf(out, "%u run%s %sremoved, %u kept in %s\n", removed, removed == 1 ? "" : "s",
            options->dry_run ? "would be " : "", history.runs - removed, history.folder);
    history_close(&history);
    return ok ? EXIT_OK : EXIT_BAD_CELL;
}
