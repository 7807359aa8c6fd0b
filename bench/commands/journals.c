#include "bench/commands/journals.h"

#include "bench/cli/output.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

static void print_faults(const struct result *result, FILE *to)
{
    char sentence[FAULTS_MAX][FAULT_ROOM];
    unsigned sentences = result_faults(result, sentence);
    for (unsigned i = 0; i < sentences; i++)
        fprintf(to, "bench: %s: %s\n", result->path, sentence[i]);
}

static const char *journal_path(const char *typed)
{
    return strcmp(typed, "-") == 0 ? "/dev/stdin" : typed;
}

/* main prints the first error; those after it are printed here. */
static void read_journal(struct results *out, const char *path, FILE *to, struct error *err)
{
    struct result *result = &out->run[out->runs];
    struct error own = { .status = STATUS_OK };
    if (result_read(result, path, &own)) {
        print_faults(result, to);
        out->runs++;
        return;
    }
    result_release(result);
    if (err->status == STATUS_OK)
        *err = own;
    else
        fprintf(to, "bench: %s\n", own.message);
}

bool journals_open(struct results *out, const char *const path[], FILE *to, struct error *err)
{
    unsigned count = 0;
    while (path[count])
        count++;
    *out = (struct results){ .run = calloc(count + 1, sizeof *out->run) };
    if (!out->run)
        return fail(err, STATUS_NO_MEMORY, "no memory for %u journals", count);
    for (unsigned i = 0; i < count; i++) {
        const char *same = path_same(path, i, journal_path(path[i]));
        if (same)
            fprintf(to, "bench: %s: the same journal as %s; it is shown once\n", path[i], same);
        else
            read_journal(out, journal_path(path[i]), to, err);
    }
    return err->status == STATUS_OK;
}

void journals_close(struct results *results)
{
    for (unsigned i = 0; i < results->runs; i++)
        result_release(&results->run[i]);
    free(results->run);
    *results = (struct results){ 0 };
}

int journals_entry(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(text_ending(entry->d_name), "jsonl") == 0;
}

bool journals_are_whole(const struct results *results)
{
    bool whole = true;
    for (unsigned i = 0; i < results->runs; i++)
        whole &= result_left_out(&results->run[i]) == 0;
    return whole;
}
