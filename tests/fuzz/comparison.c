/* Two sides are compared, whatever the bytes of their journals are. The input is journals; a byte 0 ends each but the
 * last. The first half of them is the old side. */

#include "harness/report/report.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOURNALS_MAX = 6 };

/* Reads the journals that can be read. Returns how many. */
static unsigned read_all(struct result result[JOURNALS_MAX], int file[JOURNALS_MAX], char path[][FUZZ_PATH],
                         const char *data, size_t size)
{
    unsigned count = 0;
    for (const char *at = data, *end = data + size; at && count < JOURNALS_MAX;) {
        const char *zero = memchr(at, '\0', (size_t)(end - at));
        struct error err = { .status = STATUS_OK };
        file[count] = fuzz_file(path[count], at, (size_t)((zero ? zero : end) - at));
        if (result_read(&result[count], path[count], &err)) {
            count++;
        } else {
            result_release(&result[count]);
            close(file[count]);
        }
        at = zero ? zero + 1 : NULL;
    }
    return count;
}

static void write_comparison(const struct comparison *comparison, const struct report *format)
{
    struct fuzz_sink sink;
    struct error err = { .status = STATUS_OK };
    fuzz_sink_open(&sink);
    must(report_comparison(format, comparison, 100, sink.out, &err), "a comparison is written");
    fuzz_sink_close(&sink);
    must_be_clean(sink.text, sink.size, format->name);
    free(sink.text);
}

static void check_counts(const struct comparison *comparison)
{
    unsigned all = 0;
    for (unsigned i = 0; i < CHANGE_COUNT; i++)
        all += comparison->count[i];
    must(all == comparison->cells, "each cell has one verdict");
    must(comparison_matched(comparison) <= comparison->cells, "no more cells match than there are");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct result result[JOURNALS_MAX];
    int file[JOURNALS_MAX];
    char path[JOURNALS_MAX][FUZZ_PATH];
    unsigned count = read_all(result, file, path, (const char *)data, size), old = (count + 1) / 2;
    struct results side[SIDES] = { [OLD] = { result, old }, [NEW] = { result + old, count - old } };
    if (count > 1) {
        struct comparison comparison;
        struct error err = { .status = STATUS_OK };
        must(comparison_make(&comparison, side, 0.05, &err), "journals that could be read are compared");
        check_counts(&comparison);
        for (const struct report *const *format = reports; *format; format++)
            if (report_compares(*format))
                write_comparison(&comparison, *format);
        comparison_release(&comparison);
    }
    for (unsigned i = 0; i < count; i++) {
        result_release(&result[i]);
        close(file[i]);
    }
    return 0;
}
