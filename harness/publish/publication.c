#include "harness/publish/publication.h"

#include "harness/analysis/figures.h"
#include "harness/base/text.h"
#include "harness/journal/record_members.h"
#include "harness/journal/schema.h"
#include "harness/report/content/answer_words.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

/* Half the interval as a share of the time. A figure with a wider interval says little. */
static const double noisy_from = 0.10;

static void __attribute__((format(printf, 2, 3))) add_flaw(struct publication *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *sentence = pool_copy(&to->pool, text_cleaned(pool_vprint(&to->pool, format, arguments)).text);
    va_end(arguments);
    pool_add(&to->pool, &to->flaws.label, &to->flaws.count, &sentence, sizeof sentence);
}

/* False for an interrupted run: of that nothing else has to be said. */
static bool check_file(struct publication *publication)
{
    const struct result *result = &publication->result;
    char fault[FAULTS_MAX][FAULT_ROOM];
    unsigned faults = result_faults(result, fault);
    bool is_complete = strcmp(result->record->end, "complete") == 0;
    if (!is_complete) {
        if (result_is_running(result))
            add_flaw(publication, "it is still running; publish it once it has ended");
        else
            add_flaw(publication, "%s; complete it with 'bench %s --resume %s', or measure again",
                     faults > 0 ? fault[0] : "the run was interrupted", result->record->sweep ? "sweep" : "run",
                     command_word(result->path).text);
        return false;
    }
    for (unsigned i = 0; i < faults; i++)
        add_flaw(publication, "%s", fault[i]);
    if (faults > 0)
        add_flaw(publication, "only undamaged journals are published: find the file as bench wrote it, or measure "
                              "again");
    return true;
}

static void check_cell(struct publication *publication, const struct figures *figures)
{
    const struct cell_record *cell = figures->cell;
    const enum status status = cell->outcome.status;
    const char *flaw = !cell->ended          ? "has no outcome"
                       : status != STATUS_OK ? NULL
                       : cell->weak          ? "has a check that proves nothing, so choose another --size"
                       : !figures->verified  ? "was not verified both before and after its timing"
                       : !figures->measured  ? "has no time"
                                             : NULL;
    if (cell->ended && status_is_bad(status))
        add_flaw(publication, "%.300s ended as %s: %.140s; repair that, or leave the cell out, and measure again: %s",
                 cell->key, status_names[status], *cell->outcome.message ? cell->outcome.message : "no reason given",
                 cell->repro);
    else if (flaw)
        add_flaw(publication, "%.200s %s; measure it again: %s", cell->key, flaw, cell->repro);
}

static void check_cells(struct publication *publication)
{
    const struct record *record = publication->result.record;
    unsigned measured = 0, noisy = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        struct figures figures;
        figures_read_cell(&figures, record, record->cell[i]);
        check_cell(publication, &figures);
        const bool is_measured = figures.measured && !figures.cell->is_peak;
        measured += is_measured;
        noisy += is_measured && !(figures.half_width <= noisy_from);
    }
    if (measured > 0 && noisy == measured)
        add_flaw(publication,
                 "all %u measured cells have an interval above +-10 %%, or no interval: quit other programs, or raise "
                 "--budget",
                 measured);
    if (measured == 0)
        add_flaw(publication, "there is no measured cell in it: see what bench devices lists");
}

/* Without what stands in brackets, such as parts of a driver's version, and without a clock. */
static void append_name(struct string_builder *to, const char *name)
{
    const char *words = device_words(to->pool, name);
    string_append(to, " %.*s", (int)strcspn(words, "([@"), words);
}

/* Whether the device is a GPU, and none before it has the same name or is the same chip, listed by another API. */
static bool names_gpu(const struct record *record, unsigned at)
{
    const struct device *device = &record->device[at];
    bool is_known = !class_is_gpu(device->class);
    for (unsigned i = 0; i < at; i++) {
        const struct device *other = &record->device[i];
        is_known |= class_is_gpu(other->class) &&
                    (device_same_silicon(device, other) || strcmp(device->name, other->name) == 0);
    }
    return !is_known;
}

/* "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz" with "Intel(R) UHD Graphics 620" becomes
 * "intel-core-i5-8250u-6-142-10-avx2-4c-8g-intel-uhd-graphics-620". */
void publication_machine(char to[SLUG_ROOM], const struct record *record)
{
    struct pool pool = { 0 };
    struct string_builder all = { .pool = &pool };
    const json_t *host = json_object_get(record->head, "host");
    append_name(&all, journal_text(host, "name"));
    string_append(&all, " %s %s", journal_text(host, "signature"), journal_text(host, "hypervisor"));
    for (unsigned i = 0; i < record->devices; i++)
        if (names_gpu(record, i))
            append_name(&all, record->device[i].name);
    if (!*text_slug(to, SLUG_ROOM, string_text(&all)))
        strcpy(to, "machine");
    pool_release(&pool);
}

bool publication_open(struct publication *out, const char *path, const char *version, const char *scripted_backend,
                      struct error *err)
{
    struct stat status;
    *out = (struct publication){ .path = path };
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) /* it is read twice */
        return fail(err, STATUS_USAGE, "%.120s is no file: name a journal that bench run wrote", path);
    if (!result_read(&out->result, path, err))
        return false;
    const struct record *record = out->result.record;
    const char *wrote = json_string_value(json_object_get(record->head, "version"));
    const bool is_complete = check_file(out);
    if (is_complete && wrote && (!*wrote || strverscmp(wrote, version) > 0))
        add_flaw(out, "bench %.20s wrote it, and this is bench %s: publish it with that one", wrote, version);
    for (unsigned i = 0; i < record->devices && is_complete; i++)
        if (strcmp(record->device[i].backend, scripted_backend) == 0)
            add_flaw(out, "%s is a scripted device: measure a real one", record->device[i].id);
    if (is_complete)
        check_cells(out);
    /* "2026-11-21-standard" for a whole suite, "-sweep-multiply", or "-custom". */
    const char *suite = record->sweep ? journal_text(record->sweep, "workload") : record_suite(record);
    text_slug(out->name, SLUG_ROOM,
              pool_print(&out->pool, "%.10s-%s%.32s", journal_text(record->head, "started"),
                         record->sweep ? "sweep-" : "", *suite ? suite : "custom"));
    publication_machine(out->machine, record);
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory to check %.120s", path);
}

void publication_close(struct publication *publication)
{
    result_release(&publication->result);
    pool_release(&publication->pool);
}

struct writing {
    const struct schema *schema;
    FILE *out;
};

static bool write_line(void *context, const json_t *line, struct error *err)
{
    const struct writing *writing = context;
    json_t *copy = json_deep_copy(line);
    const bool is_public = schema_publish(writing->schema, copy);
    bool ok = !is_public || (json_dumpf(copy, writing->out, JOURNAL_FORMAT) == 0 && fputc('\n', writing->out) != EOF);
    json_decref(copy);
    return ok || fail(err, STATUS_FAILED, "a line of the journal could not be written: %s", strerror(errno));
}

bool publication_write(const struct publication *publication, FILE *out, struct error *err)
{
    struct schema *schema = schema_open();
    struct writing writing = { schema, out };
    bool ok = schema ? journal_read(publication->path, write_line, &writing, NULL, err)
                     : fail(err, STATUS_NO_MEMORY, "no memory to publish %.120s", publication->path);
    schema_close(schema);
    return ok;
}
