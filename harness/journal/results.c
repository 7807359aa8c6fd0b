#include "harness/journal/results.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/journal/plausible.h"

#include <stdio.h>
#include <string.h>

const char *results_letter(unsigned run)
{
    static const char letters[] = "A\0B\0C\0D\0E\0F\0G\0H\0I\0J\0K\0L\0M\0N\0O\0P\0Q\0R\0S\0T\0U\0V\0W\0X\0Y\0Z";
    return &letters[2 * (run % 26)];
}

const char *results_letter_if_several(const struct results *results, unsigned run)
{
    return results->runs > 1 ? results_letter(run) : "";
}

/* The line is the reader's own. Returns a member that it lacks. */
static const char *clean_line(struct result *result, json_t *line)
{
    const unsigned before = result->wrong.values;
    struct cell_record *cell = record_cell(result->record, journal_text(line, "cell"));
    const char *lacks = schema_clean(result->schema, line, &result->wrong);
    if (before == 0 && result->wrong.values > 0)
        result->first_wrong = result->faults.line;
    if (cell)
        cell->left_out += result->wrong.values - before + (lacks != NULL);
    return lacks;
}

/* Whether a report can show a cell. Only transfers and the loops that measure peaks compute nothing. */
static bool is_shown(const struct record *record, const json_t *line, struct error *err)
{
    size_t length;
    const struct text key = text_cleaned(journal_text(line, "key")),
                      device = text_cleaned(journal_text(line, "device"));
    if (!record_device(record, device.text))
        return fail(err, STATUS_FAILED, "the cell '%.100s' is of a device without a line: '%.24s'", key.text,
                    device.text);
    return json_number_value(json_object_get(line, "flops")) > 0 || json_is_string(json_object_get(line, "roof")) ||
           text_value(journal_text(line, "shape"), "direction", &length) ||
           fail(err, STATUS_FAILED, "the cell '%.100s' is no transfer, and has 0 FLOP", key.text);
}

static bool take_line(void *context, const json_t *line, struct error *err)
{
    struct result *result = context;
    struct error why = { .status = STATUS_OK };
    const char *lacks = clean_line(result, (json_t *)line);
    const bool is_cell = strcmp(journal_text(line, "line"), "cell") == 0;
    const bool is_used =
        lacks ? fail(&why, STATUS_FAILED, "it has no \"%s\"", lacks)
              : (!is_cell || is_shown(result->record, line, &why)) && record_add(result->record, line, &why);
    if (!is_used && result->unusable++ == 0) {
        result->first = why;
        result->first_line = result->faults.line;
    }
    return true;
}

bool result_read(struct result *out, const char *path, struct error *err)
{
    *out = (struct result){ .path = path, .record = record_new(), .schema = schema_open() };
    bool is_read = out->record && out->schema ? journal_read(path, take_line, out, &out->faults, err)
                                              : fail(err, STATUS_NO_MEMORY, "no memory for a record");
    schema_close(out->schema);
    if (is_read)
        plausible_record(out->record);
    return is_read;
}

void result_release(struct result *result)
{
    record_free(result->record);
    result->record = NULL;
}

bool result_is_running(const struct result *result)
{
    return !result->faults.complete && result->path && file_is_locked(result->path);
}

bool result_is_of_same_run(const struct result *one, const struct result *other)
{
    return json_equal(one->record->head, other->record->head);
}

unsigned long result_left_out(const struct result *result)
{
    return result->faults.bad_lines + result->unusable + result->wrong.values + (result->faults.second_head > 0);
}

static bool is_date(const char *text)
{
    unsigned year, month, day;
    return sscanf(text, "%4u-%2u-%2u", &year, &month, &day) == 3 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

unsigned result_faults(const struct result *result, char out[FAULTS_MAX][FAULT_ROOM])
{
    const struct journal_faults *faults = &result->faults;
    unsigned count = 0;
    const char *started = journal_text(result->record->head, "started");
    const struct text today = clock_date();
    if (faults->bad_lines > 0)
        snprintf(out[count++], FAULT_ROOM, "%lu line%s could not be read and %s left out, the first is line %lu",
                 faults->bad_lines, faults->bad_lines == 1 ? "" : "s", faults->bad_lines == 1 ? "was" : "were",
                 faults->first_bad);
    if (result->unusable > 0)
        snprintf(out[count++], FAULT_ROOM, "%lu line%s could not be used and %s left out, the first is line %lu: %s",
                 result->unusable, result->unusable == 1 ? "" : "s", result->unusable == 1 ? "was" : "were",
                 result->first_line, result->first.message);
    if (result->wrong.values > 0)
        snprintf(out[count++], FAULT_ROOM, "%u value%s no sense and %s left out, the first is %s in line %lu",
                 result->wrong.values, result->wrong.values == 1 ? " makes" : "s make",
                 result->wrong.values == 1 ? "was" : "were", result->wrong.first, result->first_wrong);
    if (faults->second_head > 0)
        snprintf(out[count++], FAULT_ROOM,
                 "line %lu begins a second journal: this is the first; give them as two files", faults->second_head);
    if (*started && !is_date(started))
        snprintf(out[count++], FAULT_ROOM, "it is dated '%.10s', which is no date: use the file as bench wrote it",
                 text_cleaned(started).text);
    else if (strncmp(started, today.text, strlen("2026-11-28")) > 0)
        snprintf(out[count++], FAULT_ROOM,
                 "it is dated %.10s, after today: a clock is wrong, on its machine or on this one",
                 text_cleaned(started).text);
    if (faults->truncated)
        snprintf(out[count++], FAULT_ROOM, "the last line is cut off and was left out");
    if (!faults->complete)
        snprintf(out[count++], FAULT_ROOM, "the %s %s", result->record->sweep ? "sweep" : "run",
                 result_is_running(result) ? "is still running; this is what it has measured so far"
                                           : "did not reach its end; this is what it had measured");
    return count;
}
