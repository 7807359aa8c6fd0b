#include "bench/commands/measured.h"

#include "bench/commands/commands.h"
#include "bench/commands/journals.h"
#include "bench/doctor/doctor.h"
#include "bench/plan/resume.h"
#include "bench/worker/driver_log.h"
#include "config.h"
#include "harness/analysis/figure.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/report/content/answer_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- the journal --- */

/* By the file, since the name of a journal may have placeholders. */
static bool open_new(struct context *context, struct error *err)
{
    const char *path = context->options->dry_run ? "/dev/null" : context->options->journal;
    if (!run_log_open(&context->run_log, path, &context->interrupted, err))
        return false;
    for (unsigned i = 0; i < context->outputs.count && !context->options->dry_run; i++)
        if (path_same(&context->outputs.output[i].path, 1, context->run_log.path)) {
            remove(context->run_log.path); /* which is new, and empty */
            return fail(err, STATUS_USAGE, "--output %.80s: is one of the journals; give another name",
                        context->outputs.output[i].path);
        }
    return true;
}

bool measured_open_journal(struct context *context, struct error *err)
{
    if (!outputs_open(&context->outputs, context->options, err))
        return false;
    if (!context->resume)
        return open_new(context, err);
    json_t *libraries = inventory_libraries();
    bool taken =
        resume_check(context->resume, &context->host, libraries, &context->listing, context->takes_part, err) &&
        resume_take(context->resume, &context->run_log, &context->interrupted, err);
    json_decref(libraries);
    return taken;
}

/* --- the first and the last lines of a journal --- */

/* A command line may hold any bytes; JSON holds text only. */
static json_t *command_to_json(const struct options *options)
{
    char word[4096];
    json_t *command = json_array();
    for (int i = 0; i < options->argc; i++) {
        text_clean(word, sizeof word, options->argv[i]);
        json_array_append_new(command, json_string(word));
    }
    return command;
}

/* Whether the backend has devices and none of them takes part: then the reason why it lacks others is left out. */
static bool is_left_out(const struct context *context, const char *backend)
{
    unsigned devices = 0, taken = 0;
    for (unsigned i = 0; i < context->listing.devices; i++) {
        bool is_of_it = strcmp(context->listing.device[i].backend, backend) == 0;
        devices += is_of_it;
        taken += is_of_it && context->takes_part[i];
    }
    return devices > 0 && taken == 0;
}

static void write_head(struct context *context, const char *date)
{
    const struct text seed = text_print("%" PRIu64, context->options->seed);
    run_log_write_json(&context->run_log, LINE_JOURNAL,
                       json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o}", "schema", JOURNAL_SCHEMA, "version",
                                 BENCH_VERSION, "started", date, "command", command_to_json(context->options), "seed",
                                 seed.text, "options", options_to_json(context->options), "host",
                                 host_to_json(&context->host), "libraries", inventory_libraries()));
    json_t *absent;
    size_t i;
    json_array_foreach (context->listing.absent, i, absent)
        if (!is_left_out(context, journal_text(absent, "backend")))
            run_log_write_json(&context->run_log, LINE_ABSENT, json_incref(absent));
    for (unsigned d = 0; d < context->listing.devices; d++)
        if (context->takes_part[d])
            run_log_write_json(&context->run_log, LINE_DEVICE, device_to_json(&context->listing.device[d]));
    if (!*context->host.places)
        run_log_note(&context->run_log, "", "this system forbids binding threads to cores: times vary more");
    for (unsigned d = 0; d < context->listing.devices; d++) {
        const struct device *device = &context->listing.device[d];
        if (context->takes_part[d] && *device->note && !device->works_in_host_memory)
            run_log_note(&context->run_log, "", "%s: %s", device->id, device->note);
    }
}

/* Whatever disturbs a look at the processor's clock makes it slower, so the highest one counts: that of the listing, or
 * that of now. */
static void measure_clock(struct context *context)
{
    struct host *host = &context->host;
    host->clock = host_measure_clock(0.05);
    for (unsigned i = 0; i < context->listing.devices; i++) {
        struct device *device = &context->listing.device[i];
        if (device->class == CLASS_CPU && strcmp(device->clock_origin, "measured") == 0)
            host->clock = device->clock = fmax(host->clock, device->clock); /* ignores NAN */
    }
}

/* Waits for --wait-quiet until what others compute on our cores is no more than a few hundredths of them, and says what
 * it waited for. --time does not run meanwhile. */
static void wait_quiet(struct context *context)
{
    const double most = 0.05 * context->host.allowed_cores, start = clock_wall(), limit = context->options->wait_quiet;
    double highest = 0, busy = 0, since = start, before = host_busy("");
    while (!interrupt_wait(&context->interrupt, 1)) {
        const double now = clock_wall(), after = host_busy("");
        busy = (after - before) / (now - since);
        before = after;
        since = now;
        if (busy > most && highest == 0)
            progress_note(&context->progress, "waiting at most %s for quiet cores: other programs use %.1f of %u",
                          text_seconds(limit).text, busy, context->host.allowed_cores);
        if (busy > most)
            highest = fmax(highest, busy);
        if (!(busy > most) || now - start >= limit)
            break;
        progress_line(&context->progress,
                      text_print("waiting for quiet cores for %.0f s: other programs use %.1f of %u", now - start, busy,
                                 context->host.allowed_cores)
                          .text);
    }
    context->started += clock_wall() - start;
    if (highest > 0)
        context_note(context, "waited %s for quiet cores: other programs %s %.1f of %u",
                     text_seconds(clock_wall() - start).text, busy > most ? "still used" : "used up to",
                     busy > most ? busy : highest, context->host.allowed_cores);
}

void measured_start(struct context *context, double seconds)
{
    const char *asked = context->options->device[0];
    json_t *absent;
    size_t i;
    const struct text date = clock_date();
    measure_clock(context);
    progress_start(&context->progress, context->options->quiet, seconds, context->options->time);
    if (context->resume) {
        run_log_write_json(&context->run_log, LINE_RESUME,
                           json_pack("{s:s, s:o}", "started", date.text, "command", command_to_json(context->options)));
        progress_note(&context->progress, "resuming %s: %u problem%s to go", context->run_log.path, context->blocks,
                      context->blocks == 1 ? "" : "s");
    } else {
        write_head(context, date.text);
        progress_note(&context->progress, "journal: %s", context->run_log.path);
        doctor_note_no_gpu(context);
    }
    /* Why sources have no device: what failed, where devices were not chosen; everything, where all were asked for. */
    json_array_foreach (context->listing.absent, i, absent)
        if (asked ? strcmp(asked, "all") == 0 : status_is_bad(status_parse(journal_text(absent, "status"))))
            progress_note(&context->progress, "%s: %s", journal_text(absent, "backend"),
                          listing_absent_words(absent).text);
    if (!isnan(context->options->wait_quiet)) {
        wait_quiet(context);
        progress_start(&context->progress, context->options->quiet, seconds, context->options->time);
    }
}

void measured_end(struct context *context, bool is_whole)
{
    const bool is_complete = is_whole && !context->interrupted, is_full = context->run_log.fault.status != STATUS_OK;
    char after[64] = "";
    if (context->blocks > 0)
        snprintf(after, sizeof after, " after %u of %u problems", context->finished, context->blocks);
    if (context->begun > context->finished)
        text_append(after, sizeof after, " (%u %s figures)", context->begun, context->begun == 1 ? "has" : "have");
    struct error err = { .status = STATUS_OK };
    progress_wipe(&context->progress);
    /* What was tuned only saves time: where it cannot be written the run has not failed. */
    if (!tuning_cache_write(&context->tuning_cache, &err))
        progress_note(&context->progress, "what was tuned is not remembered: %s", err.message);
    for (unsigned i = 0; i < context->listing.devices; i++)
        driver_log_tidy(context->run_log.path, context->listing.device[i].id);
    const double took = clock_wall() - context->started;
    if (took > 1.2 * context->options->time + 1)
        context_note(context, "the run took %s, more than --time: methods are prepared, chosen and verified in full",
                     text_seconds(took).text);
    if (is_full)
        run_log_note(&context->run_log, "", "the run ended early: %s", context->run_log.fault.message);
    const struct record *record = context->run_log.record;
    unsigned failed = 0;
    for (unsigned i = 0; i < record->cells; i++)
        failed += status_is_bad(record->cell[i]->outcome.status);
    /* Whether the allowed cores or the quota are not those of the beginning. */
    struct host now;
    const struct host *before = &context->host;
    const bool cores_changed = !host_read(&now, "", context->options->threads, NULL) ||
                               now.allowed_threads != before->allowed_threads || now.quota != before->quota ||
                               strcmp(now.places, before->places) != 0;
    run_log_write(&context->run_log,
                  &(struct journal_line){ .kind = LINE_END,
                                          .end = { .status = is_complete ? "complete" : "interrupted",
                                                   .cores_changed = cores_changed,
                                                   .failed = failed,
                                                   .elapsed = clock_wall() - context->run_log.started,
                                                   .probes = record->probing } });
    run_log_close(&context->run_log);
    if (!is_complete && access(context->run_log.path, F_OK) == 0)
        progress_note(&context->progress, "%s%s: '%s %s --resume %s' completes it%s",
                      is_full                ? "ended"
                      : context->interrupted ? "interrupted"
                                             : "not complete",
                      after, command_word(context->options->argv[0]).text,
                      context->options->verb == VERB_SWEEP ? "sweep" : "run", command_word(context->run_log.path).text,
                      is_full ? " once the journal can be written" : "");
}

/* --- the report --- */

bool measured_report(struct context *context, struct error *err)
{
    const struct error *fault = &context->run_log.fault;
    struct result run = { .path = context->run_log.path, .record = context->run_log.record };
    struct error why = { .status = STATUS_OK };
    if (!outputs_write(&context->outputs, journals_report, &(struct results){ &run, 1 }, &why))
        return fail_in(err, why.where, why.status, "%s; what was measured is in %.80s", why.message,
                       context->run_log.path);
    if (fault->status == STATUS_OK && access(context->run_log.path, F_OK) != 0)
        return fail(err, STATUS_FAILED, "the journal %.200s was removed while it was written: this report is all",
                    context->run_log.path);
    return fault->status == STATUS_OK || fail_in(err, fault->where, fault->status, "%s", fault->message);
}

int measured_forecast(struct timetable *timetable, struct timetable *peaks, struct error *err)
{
    FILE *out = stdout;
    const double most = timetable->context->options->time;
    double seconds = peaks->seconds;
    if (!timetable_cut(timetable, err))
        return EXIT_BAD_CELL;
    for (unsigned i = 0; i < timetable->entries; i++) {
        const struct entry *entry = &timetable->entry[i];
        const char *refused = "";
        char label[CELL_TEXT], devices[CELL_TEXT] = "";
        seconds += entry->is_left_out ? 0 : entry->needs.seconds;
        for (unsigned k = 0; k < entry->cells; k++) {
            const struct cell *cell = &entry->cell[k];
            if (cell->refused.status != STATUS_OK)
                refused = cell->refused.message;
            else if (!text_has_part(devices, ' ', cell->device->id))
                text_join(devices, sizeof devices, " ", cell->device->id);
        }
        fprintf(out, "%-8s  %s  (%s)\n",
                entry->is_left_out || !*devices ? "left out" : text_seconds(entry->needs.seconds).text,
                cell_label(entry->cell, label),
                entry->is_left_out ? "--time does not allow for it"
                : *devices         ? devices
                                   : refused);
    }
    if (peaks->seconds > 0)
        fprintf(out, "%-8s  the peaks\n", text_seconds(peaks->seconds).text);
    fprintf(out, "%-8s  in all", text_seconds(seconds).text);
    if (seconds > most)
        fprintf(out, "; fewer visits make it %s (--time)", text_seconds(most).text);
    fputc('\n', out);
    return EXIT_OK;
}

static int status_of(const struct record *record)
{
    unsigned measured = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        if (status_is_bad(record->cell[i]->outcome.status))
            return EXIT_BAD_CELL;
        measured += !record->cell[i]->is_peak && record->cell[i]->ended && record->cell[i]->outcome.status == STATUS_OK;
    }
    return measured > 0 ? EXIT_OK : EXIT_NOTHING;
}

int measured_status(const struct context *context, bool complete)
{
    if (context->interrupted && context->run_log.fault.status == STATUS_OK)
        return context_signal_status(context);
    return complete ? status_of(context->run_log.record) : EXIT_BAD_CELL;
}

int measured_begin(const struct options *options, measure_command *measure, struct error *err)
{
    struct resume resume;
    struct outputs outputs = { .count = 0 };
    if (!options->resume)
        return measure(NULL, options, err);
    int status = EXIT_USAGE;
    if (resume_open(&resume, options, err) && strcmp(resume.result.record->end, "complete") != 0) {
        status = measure(&resume, &resume.options, err);
    } else if (err->status == STATUS_OK && outputs_open(&outputs, &resume.options, err)) {
        struct progress progress;
        progress_start(&progress, options->quiet, 0, NAN);
        progress_note(&progress, "%s: nothing left to do, this run is complete", resume.result.path);
        const bool is_written = outputs_write(&outputs, journals_report, &(struct results){ &resume.result, 1 }, err);
        status = is_written ? status_of(resume.result.record) : EXIT_BAD_CELL;
    }
    outputs_close(&outputs);
    resume_close(&resume);
    return status;
}
