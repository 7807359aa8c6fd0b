#include "harness/journal/results.h"

#include <stdio.h>

const char *results_letter(unsigned run)
{
    static const char letters[] = "A\0B\0C\0D\0E\0F\0G\0H\0I\0J\0K\0L\0M\0N\0O\0P\0Q\0R\0S\0T\0U\0V\0W\0X\0Y\0Z";
    return &letters[2 * (run % 26)];
}

const char *results_letter_if_several(const struct results *results, unsigned run)
{
    return results->runs > 1 ? results_letter(run) : "";
}

static bool take_line(void *context, const json_t *line, struct error *err)
{
    struct result *result = context;
    struct error local = { .status = STATUS_OK };
    if (!record_add(result->record, line, &local) && result->contradictions++ == 0) {
        result->first = local;
        result->first_line = result->faults.line;
    }
    return true;
}

bool result_read(struct result *out, const char *path, struct error *err)
{
    return result_read_kinds(out, path, NULL, err);
}

bool result_read_kinds(struct result *out, const char *path, const char *const kinds[], struct error *err)
{
    *out = (struct result){ .path = path, .record = record_new() };
    if (!out->record)
        return fail(err, STATUS_NO_MEMORY, "no memory for a record");
    return journal_read(path, kinds, take_line, out, &out->faults, err);
}

void result_release(struct result *result)
{
    record_free(result->record);
    result->record = NULL;
}

bool result_is_whole(const struct result *result)
{
    return result->faults.bad_lines == 0 && result->contradictions == 0 && result->faults.second_head == 0;
}

unsigned result_faults(const struct result *result, char out[FAULTS_MAX][FAULT_ROOM])
{
    const struct journal_faults *faults = &result->faults;
    unsigned count = 0;
    if (faults->bad_lines > 0)
        snprintf(out[count++], FAULT_ROOM, "%lu line%s could not be read and %s left out, the first is line %lu",
                 faults->bad_lines, faults->bad_lines == 1 ? "" : "s", faults->bad_lines == 1 ? "was" : "were",
                 faults->first_bad);
    if (result->contradictions > 0)
        snprintf(out[count++], FAULT_ROOM,
                 "%lu line%s contradicted earlier ones and %s left out, the first is line %lu: %s",
                 result->contradictions, result->contradictions == 1 ? "" : "s",
                 result->contradictions == 1 ? "was" : "were", result->first_line, result->first.message);
    if (faults->second_head > 0)
        snprintf(out[count++], FAULT_ROOM,
                 "line %lu begins a second journal: this is the first; give them as two files", faults->second_head);
    if (faults->truncated)
        snprintf(out[count++], FAULT_ROOM, "the last line is cut off and was left out");
    if (!faults->complete)
        snprintf(out[count++], FAULT_ROOM, "the %s did not reach its end; this is what it had measured",
                 result->record->sweep ? "sweep" : "run");
    return count;
}
