#include "bench/commands/journals.h"

#include "bench/plan/published.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

/* main prints the first error; those after it are printed here. */
static void read_journal(struct results *out, const char *path, struct error *err)
{
    struct result *result = &out->run[out->runs];
    struct error own = { .status = STATUS_OK };
    if (result_read(result, path, &own)) {
        char sentence[FAULTS_MAX][FAULT_ROOM];
        const unsigned sentences = result_faults(result, sentence);
        for (unsigned i = 0; i < sentences; i++)
            fprintf(stderr, "bench: %s: %s\n", result->path, sentence[i]);
        out->runs++;
        return;
    }
    result_release(result);
    if (err->status == STATUS_OK)
        *err = own;
    else
        fprintf(stderr, "bench: %s\n", own.message);
}

bool journals_open(struct results *out, const char *const path[], struct error *err)
{
    unsigned count = 0;
    while (path[count])
        count++;
    *out = (struct results){ .run = calloc(count + 1, sizeof *out->run) };
    if (!out->run)
        return fail(err, STATUS_NO_MEMORY, "no memory for %u journals", count);
    for (unsigned i = 0; i < count; i++) {
        const char *file = strcmp(path[i], "-") == 0 ? "/dev/stdin" : path[i], *same = path_same(path, i, file);
        if (same)
            fprintf(stderr, "bench: %s: the same journal as %s; it is shown once\n", path[i], same);
        else
            read_journal(out, file, err);
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

bool journals_report(const void *results, const struct output *output, struct error *err)
{
    struct layout layout = output_layout(output);
    layout.claims = published;
    return report_runs(output->format, results, &layout, output->out, err);
}
