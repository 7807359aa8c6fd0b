#include "harness/reports/trials.h"

#include "harness/reports/prose.h"
#include "harness/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_first_of_device(const struct block_record *block, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (strcmp(block->trial[i].device_id, block->trial[at].device_id) == 0)
            return false;
    return true;
}

/* Known times first, the shorter before the longer; otherwise in the order tried. */
static int by_time(const void *a, const void *b)
{
    const struct trial_record *const *one = a, *const *other = b;
    double x = isnan((*one)->run) ? INFINITY : (*one)->run, y = isnan((*other)->run) ? INFINITY : (*other)->run;
    return x != y ? (x > y) - (x < y) : (*one > *other) - (*one < *other);
}

/* "onednn 12.1 ms", or why there is no time. */
static void describe(const struct trial_record *trial, FILE *out)
{
    char time[TEXT_NUMBER];
    const struct error *outcome = &trial->outcome;
    if (!isnan(trial->run))
        fprintf(out, "%s %s", trial->variant, text_seconds(time, trial->run));
    else if (outcome->status == STATUS_OK)
        fprintf(out, "%s without a time", trial->variant);
    else
        fprintf(out, "%s %s%s%s", trial->variant, status_name(outcome->status), *outcome->message ? ": " : "",
                outcome->message);
}

/* The trials of one device, sorted. Only what is measured is verified, and its time stands in the table. */
static void describe_all(const struct trial_record *sorted[], unsigned count, FILE *out)
{
    for (unsigned i = 0; i < count; i++) {
        bool is_timed = !isnan(sorted[i]->run), is_last = i + 1 == count || isnan(sorted[i + 1]->run);
        fputs(i == 0 ? "" : is_timed ? ", " : "; ", out);
        describe(sorted[i], out);
        fputs(is_timed && is_last ? " (a few runs each, unverified)" : "", out);
    }
}

static bool print_device(const struct block_record *block, const char *device_id, FILE *out)
{
    const struct trial_record **sorted = calloc(block->trials, sizeof *sorted);
    char *text = NULL, lead[64];
    size_t size;
    unsigned count = 0;
    FILE *words = sorted ? open_memstream(&text, &size) : NULL;
    bool ok = words != NULL;
    for (unsigned i = 0; ok && i < block->trials; i++)
        if (strcmp(block->trial[i].device_id, device_id) == 0)
            sorted[count++] = &block->trial[i];
    if (ok) {
        qsort(sorted, count, sizeof *sorted, by_time);
        describe_all(sorted, count, words);
        ok = fclose(words) == 0;
    }
    if (ok) {
        snprintf(lead, sizeof lead, "tried on %.32s: ", device_id);
        prose_print(lead, text, out);
    }
    free(text);
    free(sorted);
    return ok;
}

bool trials_print(const struct block_record *block, FILE *out)
{
    bool ok = true;
    for (unsigned i = 0; i < block->trials && ok; i++)
        if (is_first_of_device(block, i))
            ok = print_device(block, block->trial[i].device_id, out);
    return ok;
}
