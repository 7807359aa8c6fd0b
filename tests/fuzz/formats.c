/* A journal is reported in every format, in full and on one screen, whatever its bytes are. */

#include "bench/plan/published.h"
#include "harness/report/report.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_report(const struct report *format, const struct results *results, const struct layout *layout)
{
    struct fuzz_sink sink;
    struct error err = { .status = STATUS_OK };
    fuzz_sink_open(&sink);
    must(report_runs(format, results, layout, sink.out, &err), "a report of a journal that could be read is written");
    fuzz_sink_close(&sink);
    must(sink.size > 0, "a report is not empty");
    must_be_clean(sink.text, sink.size, format->name);
    if (strcmp(format->name, "json") == 0) {
        json_t *read = json_loadb(sink.text, sink.size, 0, NULL);
        must(json_is_object(read), "a report in JSON is an object");
        json_decref(read);
    }
    free(sink.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned widths[] = { 100, 60, 0, 200 };
    char path[FUZZ_PATH];
    struct result result;
    struct error err = { .status = STATUS_OK };
    int file = fuzz_file(path, data, size);
    if (result_read(&result, path, &err)) {
        struct layout layout = { .width = widths[size % 4], .claims = published, .all_columns = size % 8 < 4 };
        result.path = "journal.jsonl";
        for (const struct report *const *format = reports; *format; format++)
            write_report(*format, &(struct results){ &result, 1 }, &layout);
        layout.is_brief = true;
        write_report(&report_table, &(struct results){ &result, 1 }, &layout);
    }
    result_release(&result);
    close(file);
    return 0;
}
