#include "harness/journal/line.h"

#include "harness/journal/journal.h"

#include <string.h>

/* --- what lines share --- */

static const struct field outcome_rows[] = {
    WORD("status", struct error, status, status_names, STATUS_COUNT, STATUS_COUNT),
    FIELD(struct error, where),
    FIELD_AS("reason", struct error, message),
};
static const struct fields error_fields = FIELDS(struct error, outcome_rows, 1);

#define SERIES(type)                 WORD("series", type, series, series_names, SERIES_COUNT, SERIES_COUNT)
#define MEASURES(name, type, member) WORD(name, type, member, measures_names, MEASURES_COPIED + 1, MEASURES_BOTH)
#define GPU(name, type, member)      OBJECT(name, type, member, gpu_state_fields)

const char *const when_names[WHENS] = { "before", "after" };

static const struct field joules_rows[ENERGY_DOMAINS] = {
    FIELD_AS("package", struct joules, of[ENERGY_PACKAGE]),
    FIELD_AS("dram", struct joules, of[ENERGY_DRAM]),
    FIELD_AS("psys", struct joules, of[ENERGY_PSYS]),
    FIELD_AS("gpu", struct joules, of[ENERGY_GPU]),
};
static const struct fields joules_fields = FIELDS(struct joules, joules_rows, 0);

/* --- of a cell --- */

static const struct field cell_rows[] = {
    FIELD(struct cell_record, key),
    FIELD(struct cell_record, block),
    FIELD_AS("device", struct cell_record, device_id),
    FIELD(struct cell_record, workload),
    FIELD(struct cell_record, dtype),
    FIELD(struct cell_record, shape),
    FIELD(struct cell_record, method),
    FIELD(struct cell_record, memory),
    FIELD(struct cell_record, flops),
    FIELD(struct cell_record, bytes),
    FIELD(struct cell_record, kernel_shape),
    FIELD(struct cell_record, held),
    FIELD(struct cell_record, workspace),
    FIELD(struct cell_record, items),
    FIELD(struct cell_record, items_per_run),
    FIELD(struct cell_record, launches),
    WORD("roof", struct cell_record, roof, roof_names, ROOF_KINDS, ROOF_NONE),
    FIELD_AS("link", struct cell_record, is_link),
    FIELD(struct cell_record, lacks_library),
    FIELD_AS("ceiling", struct cell_record, is_peak),
    FIELD_AS("cold", struct cell_record, is_cold),
    FIELD_AS("fast_algorithm", struct cell_record, is_fast),
    MEASURES("measures", struct cell_record, measures),
    FIELD(struct cell_record, baseline),
    FIELD(struct cell_record, baseline_copied),
    FIELD(struct cell_record, repro),
};
const struct fields cell_fields = FIELDS(struct cell_record, cell_rows, 10);

static const struct field memory_cost_rows[] = {
    FIELD(struct memory_cost, device_operands), FIELD(struct memory_cost, host_operands),
    FIELD(struct memory_cost, context_host),    FIELD(struct memory_cost, held_twice),
    FIELD(struct memory_cost, repacked),        FIELD(struct memory_cost, peak_host),
    FIELD(struct memory_cost, context_device),  FIELD(struct memory_cost, held_device),
    FIELD(struct memory_cost, largest_node),
};
static const struct fields memory_cost_fields = FIELDS(struct memory_cost, memory_cost_rows, 0);

static const struct field first_rows[] = {
    SECONDS(struct first, open),
    SECONDS(struct first, alloc),
    SECONDS(struct first, compile),
    SECONDS(struct first, filling),
    SECONDS(struct first, upload),
    SECONDS(struct first, repack),
    SECONDS(struct first, run),
    SECONDS(struct first, download),
    SECONDS(struct first, map),
    FIELD(struct first, detail),
    FIELD(struct first, cache),
    FIELD(struct first, kernel_shape),
    FIELD(struct first, kernel_shapes),
    FIELD(struct first, wait),
    OBJECT("memory_cost", struct first, memory_cost, memory_cost_fields),
    FIELD(struct first, memory_node),
    FIELD(struct first, device_node),
    FIELD(struct first, link_lanes),
    FIELD(struct first, counts_energy),
    SECONDS(struct first, reading),
    FIELD(struct first, flush_bytes),
    FIELD(struct first, cores_planned),
    FIELD(struct first, cores_computing),
    SECONDS(struct first, probes),
};
const struct fields first_fields = FIELDS(struct first, first_rows, 0);

static const struct field check_rows[] = {
    FIELD(struct check_line, name),           FIELD(struct check_line, checked),
    FIELD(struct check_line, weak),           FIELD(struct check_line, of),
    FIELD(struct check_line, smallest_error), FIELD(struct check_line, largest_error),
    FIELD(struct check_line, differs),
};
static const struct fields check_fields = FIELDS(struct check_line, check_rows, 3);

static const struct field verify_rows[] = {
    WORD("pass", struct verify_line, pass, when_names, WHENS, WHENS),
    LIST("checks", struct verify_line, check, checks, check_fields),
    SECONDS(struct verify_line, run),
    FIELD(struct verify_line, checked_runs),
};
const struct fields verify_fields = FIELDS(struct verify_line, verify_rows, 2);

static const struct field state_rows[] = {
    WORD("when", struct state_line, when, when_names, WHENS, WHEN_AFTER),
    INLINE(struct state_line, host, host_state_fields),
    GPU("gpu", struct state_line, gpu),
    SECONDS(struct state_line, probes),
};
const struct fields state_fields = FIELDS(struct state_line, state_rows, 1);

/* --- slices --- */

static const struct field slice_check_rows[] = {
    SECONDS(struct slice_check, check),
    FIELD_AS("check_sample", struct slice_check, sample),
    FIELD_AS("check_every", struct slice_check, every),
    FIELD_AS("check_differs", struct slice_check, differs),
};
const struct fields slice_check_fields = FIELDS(struct slice_check, slice_check_rows, 0);

static const struct field phases_rows[] = {
    FIELD_OF(FIELD_TIMES, "upload_ns", struct phases, of[PHASE_UPLOAD], ),
    FIELD_OF(FIELD_TIMES, "repack_ns", struct phases, of[PHASE_REPACK], ),
    FIELD_OF(FIELD_TIMES, "compute_ns", struct phases, of[PHASE_COMPUTE], ),
    FIELD_OF(FIELD_TIMES, "download_ns", struct phases, of[PHASE_DOWNLOAD], ),
};
static const struct fields phases_fields = FIELDS(struct phases, phases_rows, 0);

static const struct field gpu_states_rows[] = {
    GPU("before", struct gpu_states, before),
    GPU("after", struct gpu_states, after),
};
static const struct fields gpu_states_fields = FIELDS(struct gpu_states, gpu_states_rows, 0);

static const struct field slice_rows[] = {
    SERIES(struct slice_line),
    FIELD(struct slice_line, number),
    TIMES(struct slice_line, wall),
    FIELD(struct slice_line, visit),
    SECONDS(struct slice_line, at),
    FIELD(struct slice_line, discarded),
    FIELD(struct slice_line, runs),
    INLINE(struct slice_line, check, slice_check_fields),
    TIMES(struct slice_line, event),
    TIMES(struct slice_line, event_wall),
    TIMES(struct slice_line, enqueue),
    SECONDS(struct slice_line, cpu),
    SECONDS(struct slice_line, elapsed),
    SECONDS(struct slice_line, renewing),
    SECONDS(struct slice_line, kept),
    FIELD(struct slice_line, flushes),
    SECONDS(struct slice_line, flush),
    SECONDS(struct slice_line, probes),
    OBJECT("gpu", struct slice_line, gpu, gpu_states_fields),
    OBJECT("phases", struct slice_line, phases, phases_fields),
};
const struct fields slice_fields = FIELDS(struct slice_line, slice_rows, 3);

/* --- the end of a cell, and others --- */

static const struct field held_rows[] = {
    SECONDS_AS("power_cap_ns", struct held, of[REASON_POWER_CAP]),
    SECONDS_AS("heat_ns", struct held, of[REASON_HEAT]),
    SECONDS_AS("sync_boost_ns", struct held, of[REASON_SYNC_BOOST]),
};
static const struct fields held_fields = FIELDS(struct held, held_rows, 0);

static const struct field meter_rows[] = {
    FIELD(struct meter, runs),
    SECONDS_AS("elapsed_ns", struct meter, seconds),
    OBJECT("energy_j", struct meter, energy, joules_fields),
    FIELD(struct meter, error),
    OBJECT("held", struct meter, held, held_fields),
    GPU("gpu", struct meter, gpu),
    SECONDS(struct meter, probes),
};
const struct fields meter_fields = FIELDS(struct meter, meter_rows, 0);

static const struct field stop_rows[] = {
    SERIES(struct stop_line),
    WORD("reason", struct stop_line, reason, stop_names, STOP_COUNT, STOP_COUNT),
};
static const struct fields stop_fields = FIELDS(struct stop_line, stop_rows, 2);

static const struct field outcome_line_rows[] = {
    INLINE(struct outcome_line, outcome, error_fields),
    FIELD(struct outcome_line, log),
};
static const struct fields outcome_fields = FIELDS(struct outcome_line, outcome_line_rows, 0);

static const struct field earlier_rows[] = {
    FIELD(struct earlier, runs),
    FIELD(struct earlier, low),
    FIELD(struct earlier, median),
    FIELD(struct earlier, high),
};
static const struct fields earlier_fields = FIELDS(struct earlier, earlier_rows, 4);

static const struct field naive_rows[] = {
    FIELD(struct naive_run, process), INLINE(struct naive_run, outcome, error_fields),
    SECONDS(struct naive_run, alloc), SECONDS(struct naive_run, run),
    SECONDS(struct naive_run, fetch), SECONDS(struct naive_run, compile),
    FIELD(struct naive_run, faults),
};
const struct fields naive_fields = FIELDS(struct naive_run, naive_rows, 1);

static const struct field contender_rows[] = {
    FIELD(struct contender_record, method),
    WORD("end", struct contender_record, end, race_end_names, RACE_FAILED + 1, RACE_PASSED_OVER),
    INLINE(struct contender_record, outcome, error_fields),
    FIELD(struct contender_record, kernel_shape),
    FIELD(struct contender_record, rounds),
    FIELD(struct contender_record, ratio),
    SECONDS_AS("wall_ns", struct contender_record, run),
    SECONDS(struct contender_record, first),
    FIELD(struct contender_record, log),
};
static const struct fields contender_fields = FIELDS(struct contender_record, contender_rows, 2);

static const struct field race_rows[] = {
    FIELD_AS("device", struct race_record, device_id),
    MEASURES("for", struct race_record, purpose),
    FIELD(struct race_record, rounds),
    LIST("contenders", struct race_record, contender, contenders, contender_fields),
    FIELD(struct race_record, memory),
    FIELD(struct race_record, dtype),
    FIELD(struct race_record, origin),
    TRUTH(struct race_record, settled),
};
const struct fields race_fields = FIELDS(struct race_record, race_rows, 4);

#define SPENT(name, number) SECONDS_AS(name "_ns", struct journal_line, spent[number])

/* The members of lines that have no struct of their own are those of struct journal_line. */
static const struct field spent_rows[SPENT_COUNT] = {
    SPENT("opening", SPENT_OPENING),     SPENT("filling", SPENT_FILLING),     SPENT("choosing", SPENT_CHOOSING),
    SPENT("verifying", SPENT_VERIFYING), SPENT("measuring", SPENT_MEASURING), SPENT("closing", SPENT_CLOSING),
};
static const struct fields spent_fields = FIELDS(struct journal_line, spent_rows, 0);

static const struct field look_rows[] = { FIELD(struct look_record, processor), FIELD(struct look_record, rate) };
static const struct fields look_fields = FIELDS(struct look_record, look_rows, 2);

static const struct field end_rows[] = {
    FIELD(struct end_line, status),    FIELD(struct end_line, cores_changed), FIELD(struct end_line, failed),
    SECONDS(struct end_line, elapsed), SECONDS(struct end_line, probes),
};
static const struct fields end_fields = FIELDS(struct end_line, end_rows, 1);

static const struct field note_rows[] = { FIELD(struct journal_line, text) };
static const struct fields note_fields = FIELDS(struct journal_line, note_rows, 1);

static const struct field baseline_rows[] = { MEASURES("measures", struct journal_line, measures) };
static const struct fields baseline_fields = FIELDS(struct journal_line, baseline_rows, 0);

static const struct field measures_rows[] = { MEASURES("for", struct journal_line, measures) };
static const struct fields measures_fields = FIELDS(struct journal_line, measures_rows, 1);

static const struct field chosen_rows[] = { FIELD(struct journal_line, instead_of) };
static const struct fields chosen_fields = FIELDS(struct journal_line, chosen_rows, 1);

static const struct fields no_fields = { .count = 0 };

/* --- the kinds --- */

const struct line_form line_forms[LINE_KINDS] = {
    [LINE_JOURNAL] = { .name = "journal" },
    [LINE_DEVICE] = { .name = "device" },
    [LINE_ABSENT] = { .name = "absent" },
    [LINE_SWEEP] = { .name = "sweep" },
    [LINE_RESUME] = { .name = "resume" },
    [LINE_CELL] = { "cell", &cell_fields, 0, OF_RUN },
    [LINE_NOTE] = { "note", &note_fields, 0, OF_RUN },
    [LINE_LOOK] = { "look", &look_fields, offsetof(struct journal_line, look), OF_RUN },
    [LINE_END] = { "end", &end_fields, offsetof(struct journal_line, end), OF_RUN },
    [LINE_RACE] = { "race", &race_fields, offsetof(struct journal_line, race), OF_BLOCK },
    [LINE_SPENT] = { "spent", &spent_fields, 0, OF_BLOCK },
    [LINE_DONE] = { "done", &no_fields, 0, OF_BLOCK },
    [LINE_BASELINE] = { "baseline", &baseline_fields, 0, OF_CELL },
    [LINE_CHOSEN] = { "chosen", &chosen_fields, 0, OF_CELL },
    [LINE_MEASURES] = { "measures", &measures_fields, 0, OF_CELL },
    [LINE_FIRST] = { "first", &first_fields, offsetof(struct journal_line, first), OF_CELL },
    [LINE_VERIFY] = { "verify", &verify_fields, offsetof(struct journal_line, verify), OF_CELL },
    [LINE_STATE] = { "state", &state_fields, offsetof(struct journal_line, state), OF_CELL },
    [LINE_SLICE] = { "slice", &slice_fields, offsetof(struct journal_line, slice), OF_CELL },
    [LINE_METER] = { "meter", &meter_fields, offsetof(struct journal_line, meter), OF_CELL },
    [LINE_STOP] = { "stop", &stop_fields, offsetof(struct journal_line, stop), OF_CELL },
    [LINE_OUTCOME] = { "outcome", &outcome_fields, offsetof(struct journal_line, outcome), OF_CELL },
    [LINE_EARLIER] = { "earlier", &earlier_fields, offsetof(struct journal_line, earlier), OF_CELL },
    [LINE_NAIVE] = { "naive", &naive_fields, offsetof(struct journal_line, naive), OF_CELL },
};

enum line_kind line_kind_of(const json_t *json)
{
    const char *name = journal_text(json, "line");
    enum line_kind kind = 0;
    while (kind < LINE_KINDS && strcmp(line_forms[kind].name, name) != 0)
        kind++;
    return kind;
}

json_t *line_to_json(const struct journal_line *line)
{
    const struct line_form *form = &line_forms[line->kind];
    const void *from = line->kind == LINE_CELL ? (const void *)line->stated : (const char *)line + form->offset;
    json_t *json = json_pack("{s:s, s:s*, s:s*}", "line", form->name, "cell", line->cell, "block", line->block);
    json_t *members = form->fields ? fields_to_json(from, form->fields) : json_incref((json_t *)line->json);
    if (json_object_update(json, members) != 0) { /* NULL: memory is short */
        json_decref(json);
        json = NULL;
    }
    json_decref(members);
    return json;
}

void line_from_json(struct journal_line *out, enum line_kind kind, const json_t *json, struct pool *pool)
{
    const struct line_form *form = &line_forms[kind];
    *out =
        (struct journal_line){ .kind = kind, .cell = journal_text(json, "cell"), .block = journal_text(json, "block") };
    if (!form->fields || kind == LINE_CELL) {
        out->json = json;
        return;
    }
    fields_forget((char *)out + form->offset, form->fields);
    fields_from_json((char *)out + form->offset, form->fields, json, pool);
}
