#include "bench/commands/history.h"

#include "bench/cli/exit_status.h"
#include "bench/commands/commands.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/journal/run_log.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/text_table.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAIL_MAX = 4096 };

/* 20261122T201400Z-679.jsonl: journals of other names are not ours to list or remove. */
static int is_own(const struct dirent *entry)
{
    static const char name[] = "[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z-*.jsonl";
    return fnmatch(name, entry->d_name, 0) == 0;
}

/* By the names, which begin with the date of the run: a file may be copied or completed later. */
static int newest_first(const struct dirent **left, const struct dirent **right)
{
    return strverscmp((*right)->d_name, (*left)->d_name);
}

/* Appends the texts of a member that is a list of them. */
static void append_texts(struct string_builder *to, const json_t *object, const char *name)
{
    const char *separator = to->length > 0 ? " " : "";
    const json_t *text;
    size_t i;
    json_array_foreach (json_object_get(object, name), i, text)
        if (json_is_string(text)) {
            string_append(to, "%s%s", separator, json_string_value(text));
            separator = ", ";
        }
}

/* "quick"; "matmul 2048, 4096" where the user chose workloads or sizes. */
static const char *name_run(struct pool *pool, const json_t *options)
{
    struct string_builder name = { .pool = pool };
    append_texts(&name, options, "workload");
    append_texts(&name, options, "size");
    return name.length > 0 ? string_text(&name) : journal_text(options, "suite");
}

/* Ends at the first line about a cell. */
static bool take_line(void *context, const json_t *line, struct error *err)
{
    static const char *const kinds[] = { "journal", "device", "sweep", "absent", "note", "resume" };
    enum { HEAD, DEVICE, SWEEP };
    json_t *run = context;
    struct pool pool = { 0 };
    const unsigned known = sizeof kinds / sizeof *kinds, found = name_find(journal_text(line, "line"), kinds, known);
    if (found == HEAD)
        json_object_update_new(run, json_pack("{s:s, s:s, s:s}", "started", journal_text(line, "started"), "suite",
                                              name_run(&pool, json_object_get(line, "options")), "machine",
                                              journal_text(json_object_get(line, "host"), "name")));
    else if (found == DEVICE)
        json_array_append(json_object_get(run, "devices"), json_object_get(line, "id"));
    else if (found == SWEEP)
        json_object_set_new(run, "suite", json_sprintf("sweep %s", journal_text(line, "workload")));
    pool_release(&pool);
    return found < known || fail(err, STATUS_USAGE, "the rest is not needed");
}

/* "complete", "complete, 2 failed", "interrupted", "running" or "broken off": by the last line. */
static json_t *read_outcome(const char *path)
{
    char tail[TAIL_MAX] = "";
    FILE *file = file_open(path, "r");
    if (file && fseek(file, -(long)sizeof tail, SEEK_END) != 0)
        rewind(file);
    while (file && fgets(tail, sizeof tail, file))
        continue;
    if (file)
        fclose(file);
    json_t *line = json_loads(tail, 0, NULL);
    const double failed = number_member(line, "failed");
    const char *outcome = strcmp(journal_text(line, "line"), "end") == 0 ? journal_text(line, "status")
                          : file_is_locked(path)                         ? "running"
                                                                         : "broken off";
    json_t *text = strcmp(outcome, "complete") == 0 && failed > 0 ? json_sprintf("%s, %.0f failed", outcome, failed)
                                                                  : json_string(outcome);
    json_decref(line);
    return text;
}

bool history_open(struct history *out, struct error *err)
{
    struct dirent **entry = NULL;
    *out = (struct history){ .runs = json_array() };
    if (!run_log_folder(out->folder, sizeof out->folder, R_OK, err))
        return false;
    out->folder[strlen(out->folder) - 1] = '\0'; /* its slash */
    const int count = scandir(out->folder, &entry, is_own, newest_first);
    for (int i = 0; i < count; free(entry[i++])) {
        struct journal_faults faults;
        struct error ignored = { .status = STATUS_OK };
        json_t *run = json_pack("{s:[], s:s++}", "devices", "path", out->folder, "/", entry[i]->d_name);
        const char *path = journal_text(run, "path");
        journal_read(path, take_line, run, &faults, &ignored);
        json_object_set_new(run, "outcome", read_outcome(path));
        if (json_object_get(run, "started"))
            json_array_append(out->runs, run);
        json_decref(run);
    }
    free(entry);
    return count >= 0 || fail(err, STATUS_FAILED, "%.120s: %s", out->folder, strerror(errno));
}

unsigned history_runs(const struct history *history)
{
    return (unsigned)json_array_size(history->runs);
}

const char *history_path(const struct history *history, unsigned run)
{
    return journal_text(json_array_get(history->runs, run), "path");
}

void history_close(struct history *history)
{
    json_decref(history->runs);
    *history = (struct history){ .runs = NULL };
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
        if (!history->runs && !history_open(history, err))
            return false;
        const unsigned runs = history_runs(history);
        if (runs == 0)
            return fail(err, STATUS_USAGE, "%s: there is no run in %.100s; start with 'bench run'", *list,
                        history->folder);
        if (back >= runs)
            return fail(err, STATUS_USAGE, "%.20s: %.100s has %u run%s; 'bench list' shows them", *list,
                        history->folder, runs, runs == 1 ? "" : "s");
        *list = history_path(history, (unsigned)back);
    }
    return true;
}

static const char *column_text(struct pool *pool, const json_t *run, const char *name)
{
    const char *text = journal_text(run, name);
    struct string_builder devices = { .pool = pool };
    append_texts(&devices, run, name);
    if (strcmp(name, "path") == 0)
        return text;
    if (strcmp(name, "started") == 0 && strlen(text) > 16) /* "2026-11-22 20:14 UTC" */
        text = pool_print(pool, "%.10s %.5s UTC", text, text + 11);
    return pool_copy(pool, text_cleaned(devices.length > 0 ? string_text(&devices) : text).text);
}

static void print_table(const json_t *runs, FILE *out)
{
    static const struct column columns[] = {
        { "started", "", ALIGN_LEFT, GROUP_NAME, "" }, { "suite", "", ALIGN_LEFT, GROUP_NAME, "" },
        { "machine", "", ALIGN_LEFT, GROUP_NAME, "" }, { "devices", "", ALIGN_LEFT, GROUP_NAME, "" },
        { "outcome", "", ALIGN_LEFT, GROUP_NAME, "" }, { "path", "", ALIGN_LEFT, GROUP_NAME, "" },
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct pool pool = { 0 };
    struct table *table = table_open(&pool, columns, COLUMNS, (unsigned)json_array_size(runs));
    for (unsigned i = 0; table && i < table->rows; i++)
        for (unsigned k = 0; k < COLUMNS; k++)
            table->row[i].field[k] = column_text(&pool, json_array_get(runs, i), columns[k].title);
    if (table)
        text_table_print(table, &(struct text_style){ .width = 0 }, &pool, out);
    pool_release(&pool);
}

int list(const struct options *options, struct error *err)
{
    struct history history;
    const bool ok = history_open(&history, err);
    if (ok && strcmp(options->format, "json") == 0)
        output_put_json(json_incref(history.runs), stdout, err);
    else if (ok && history_runs(&history) > 0)
        print_table(history.runs, stdout);
    else if (ok)
        fprintf(stdout, "no run in %s yet; start with '%s run'\n", history.folder, command_word(options->argv[0]).text);
    history_close(&history);
    return ok ? EXIT_OK : EXIT_USAGE;
}

int clean(const struct options *options, struct error *err)
{
    struct history history;
    unsigned removed = 0;
    const bool is_open = history_open(&history, err);
    const unsigned runs = history_runs(&history);
    bool ok = is_open;
    for (unsigned i = options->keep; ok && i < runs; i++) {
        const char *path = history_path(&history, i);
        if (file_is_locked(path))
            continue;
        if (options->dry_run) {
            printf("%s\n", path);
        } else {
            folder_remove(text_print("%s.log", path).text); /* what drivers printed */
            ok = unlink(path) == 0 || fail(err, STATUS_FAILED, "%.120s: %s", path, strerror(errno));
        }
        removed += ok;
    }
    if (is_open)
        printf("%u run%s %sremoved, %u kept in %s\n", removed, removed == 1 ? "" : "s",
               options->dry_run ? "would be " : "", runs - removed, history.folder);
    history_close(&history);
    return !is_open ? EXIT_USAGE : ok ? EXIT_OK : EXIT_BAD_CELL;
}
