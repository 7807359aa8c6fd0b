#include "bench/journals.h"

#include <stdlib.h>

static void tell_faults(const struct result *result, FILE *to)
{
    char sentence[FAULTS_MAX][FAULT_ROOM];
    unsigned sentences = result_faults(result, sentence);
    for (unsigned i = 0; i < sentences; i++)
        fprintf(to, "bench: %s: %s\n", result->path, sentence[i]);
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
        struct result *result = &out->run[out->runs];
        struct error own = { .status = STATUS_OK };
        if (result_read(result, path[i], &own)) {
            tell_faults(result, to);
            out->runs++;
            continue;
        }
        result_release(result);
        if (err->status == STATUS_OK)
            *err = own;
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

bool journals_are_whole(const struct results *results)
{
    bool whole = true;
    for (unsigned i = 0; i < results->runs; i++)
        whole &= result_is_whole(&results->run[i]);
    return whole;
}
