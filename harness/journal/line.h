#ifndef HARNESS_JOURNAL_LINE_H
#define HARNESS_JOURNAL_LINE_H

/* The lines of a journal as structs. line.c has one table for each kind, which writes and reads it;
 * results/journal.schema.json describes the same members in words and with their limits, and a test compares both. */

#include "harness/base/fields.h"
#include "harness/journal/record.h"

enum line_kind {
    LINE_JOURNAL,
    LINE_DEVICE,
    LINE_ABSENT,
    LINE_SWEEP,
    LINE_RACE,
    LINE_SPENT,
    LINE_LOOK,
    LINE_CELL,
    LINE_NOTE,
    LINE_DONE,
    LINE_RESUME,
    LINE_END,
    LINE_BASELINE,
    LINE_CHOSEN,
    LINE_MEASURES,
    LINE_FIRST,
    LINE_VERIFY,
    LINE_STATE,
    LINE_SLICE,
    LINE_METER,
    LINE_STOP,
    LINE_OUTCOME,
    LINE_EARLIER,
    LINE_NAIVE,
    LINE_KINDS
};

/* Before and after timing. */
enum when { WHEN_BEFORE, WHEN_AFTER, WHENS };
extern const char *const when_names[WHENS];

/* A check of results that succeeded. */
struct check_line {
    const char *name;
    double checked, of;                   /* elements */
    double smallest_error, largest_error; /* that it would catch, and that it saw */
    bool differs;                         /* right, with other bits than the right result before it */
    bool weak;                            /* it proves nothing */
};

struct verify_line {
    enum when pass;
    double run;          /* of the run that was checked */
    double checked_runs; /* timed ones whose whole result was checked */
    struct check_line *check;
    unsigned checks;
};

struct state_line {
    enum when when;
    struct host_state host;
    struct gpu_state gpu;
    double probes;
};

struct phases {
    struct samples of[PHASE_COUNT];
};

/* The check of the result of a slice's last run. */
struct slice_check {
    double check;  /* seconds; NAN: it was not checked then */
    double sample; /* elements that it compared; NAN: all */
    double every;  /* so many slices of the series are one check apart; NAN: none is due */
    bool differs;  /* right, with other bits than the right result before it */
};

struct gpu_states {
    struct gpu_state before, after;
};

struct slice_line {
    enum series series;
    double number, visit, at;
    unsigned discarded;
    double runs;
    struct slice_check check;
    struct samples wall, event, event_wall, enqueue;
    double cpu, elapsed;
    double renewing; /* seconds in which all threads of the host wrote inputs */
    double kept;     /* seconds of an upload of the same data again, which nothing wrote before; NAN: none */
    unsigned flushes;
    double flush;
    double probes;
    struct gpu_states gpu;
    struct phases phases;
};

struct stop_line {
    enum series series;
    enum stop reason;
};

struct outcome_line {
    struct error outcome;
    const char *log; /* what its driver printed last */
};

struct end_line {
    const char *status;
    bool cores_changed;
    unsigned failed; /* cells that went wrong */
    double elapsed, probes;
};

struct journal_line {
    enum line_kind kind;
    const char *cell;  /* the key of the cell that it is of */
    const char *block; /* the name of the block that it is of */
    union {
        const json_t *json;               /* journal, device, absent, sweep, resume; of a cell that is read */
        const struct cell_record *stated; /* of a cell that is written: the members that state it */
        struct race_record race;
        double spent[SPENT_COUNT];
        struct look_record look;
        const char *text; /* of a note */
        struct end_line end;
        enum measures measures;
        const char *instead_of;
        struct first first;
        struct verify_line verify;
        struct state_line state;
        struct slice_line slice;
        struct meter meter;
        struct stop_line stop;
        struct outcome_line outcome;
        struct earlier earlier;
        struct naive_run naive;
    };
};

/* How a kind of line is written: its word, the table of the struct at `offset` of struct journal_line, and what it is
 * of. */
struct line_form {
    const char *name;
    const struct fields *fields; /* NULL: it is JSON */
    size_t offset;
    enum { OF_RUN, OF_BLOCK, OF_CELL } of;
};
extern const struct line_form line_forms[LINE_KINDS];

/* What a worker sees and a journal has. */
extern const struct fields first_fields, verify_fields, state_fields, slice_fields, slice_check_fields, meter_fields,
    naive_fields, cell_fields;

/* LINE_KINDS: unknown. */
enum line_kind line_kind_of(const json_t *json);

/* A new object; NULL when memory is short. */
json_t *line_to_json(const struct journal_line *line);

/* Reads a line: members that are absent or of a wrong type are unknown. Its texts and lists are in the pool. A cell is
 * not read yet (record_add does that). */
void line_from_json(struct journal_line *out, enum line_kind kind, const json_t *json, struct pool *pool);

#endif
