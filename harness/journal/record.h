#ifndef HARNESS_JOURNAL_RECORD_H
#define HARNESS_JOURNAL_RECORD_H

/* What a run found out, gathered from journal lines: by the run itself while it measures, by `report` from a file. Both
 * feed the same lines to the same function, so a report of a journal is the report that the run printed. */

#include "harness/base/error.h"
#include "harness/journal/roof.h"
#include "harness/machine/device.h"
#include "harness/machine/energy.h"
#include "harness/machine/gpu_state.h"
#include "harness/machine/host.h"
#include "harness/measure/sampler.h"
#include "harness/measure/stats.h"

#include <jansson.h>
#include <stdbool.h>

/* The first three are measured in turn with other devices; "sustained" is the resident series again, of one device by
 * itself, without a pause, after the rounds. */
enum series { SERIES_RESIDENT, SERIES_QUEUED, SERIES_OFFLOAD, SERIES_SUSTAINED, SERIES_COUNT };
enum { SERIES_IN_TURN = SERIES_SUSTAINED };
enum phase { PHASE_UPLOAD, PHASE_REPACK, PHASE_COMPUTE, PHASE_DOWNLOAD, PHASE_COUNT };

const char *series_name(enum series series); /* "resident", "queued", "offload", "sustained" */
bool series_parse(const char *word, enum series *out);

/* Growing array of seconds. Event and enqueue samples stand beside wall samples one by one, NAN where there is none;
 * where there is none at all the array is empty. */
struct samples {
    double *value;
    unsigned count, room;
};

struct slice {
    unsigned number;
    double median;             /* wall seconds of its samples */
    double phase[PHASE_COUNT]; /* the same of each phase; NAN where it has none */
    double at;                 /* seconds since the run began */
    bool tells_held;           /* whether anything held the device's clock down when it ended */
    unsigned held;             /* what did, as bits 1 << gpu_reason */
    double sm_clock;           /* of the device when it ended, Hz; NAN unknown */
};

/* One series of one cell. */
struct track {
    struct samples wall, event, phase[PHASE_COUNT];
    struct samples enqueue; /* until the calls that start a run had returned, before the wait */
    struct slice *slice;
    unsigned slices, room;
    double cpu;     /* host CPU seconds burnt during the slices; NAN unknown, as where time is scripted */
    double elapsed; /* wall seconds that the slices took, discarded runs included: what cpu was burnt in */
    double spent;   /* wall seconds in them, samples only */
    double energy[ENERGY_DOMAINS];  /* joules, by the machine's counters, in the slices that tell */
    double metered[ENERGY_DOMAINS]; /* wall seconds of these slices */
    unsigned unusable;              /* wall times that are none (not positive, not finite) and were left out */
    enum stop stop;                 /* why it ended */
};

/* What a cell holds in memory, bytes; NAN where not known. */
struct memory_cost {
    double device_operands; /* the device's own buffers, in whatever memory that is */
    double host_operands;   /* the host's arrays beside them */
    double context_host;    /* that the driver's context, or a library, took in the host's memory when it was opened */
    double held_twice;      /* operands of which both copies lie in the memory that host and device share */
    double repacked;        /* operands that the method keeps in a layout of its own beside the workload's */
    double peak_host;       /* the most that the process had in the host's memory up to its first result */
    double largest_node;    /* share of the process's memory that lies on the NUMA node which has most of it; NAN where
                             * there is only one node */
    double context_device;  /* that the process held of the device once it was opened */
    double held_device;     /* that it held there with all its operands, and what a method needs beside them */
};

/* Runs without a pause, and what a device took for them by its own counter. */
struct meter {
    double runs, seconds, joules; /* NAN: not measured */
    double error;                 /* share of the joules that the counter's steps leave open */
    struct gpu_state gpu;         /* when the last of them had ended */
};

/* One fresh process in which the cell was timed as people do who only want to see (naive.h). */
struct naive_run {
    double alloc, run, fetch; /* seconds: the clock stood around these three */
    double compile;           /* before it; NAN where there was nothing to do */
    double faults;            /* pages that the system handed out under the clock; NAN unknown */
    struct error outcome;
};

struct cell_record {
    char *key, *block, *device_id, *workload, *dtype, *shape, *method, *memory, *baseline, *repro;
    double flops, bytes;
    double held;         /* bytes of all operands; NAN in journals that do not tell */
    enum roof_kind roof; /* what its device can do at most is what it measures */
    bool is_ceiling;     /* ... so that others can be held against it: nobody asked for it */
    bool roof_serial;    /* ... of one thread */
    bool is_cold;        /* caches were flushed before each timed run */
    double flushed;      /* bytes that the host went through for that; NAN unknown */
    unsigned launches;   /* that a run consists of at least; 1 where the journal does not tell */
    bool is_link;        /* its result goes to another device */
    bool is_fast;        /* its algorithm does with fewer operations than `flops` counts */
    struct {
        double open, alloc, compile, upload, repack, run, download; /* seconds; NAN where not taken */
        double map; /* to map and give back a page in mapped memory, once the cell stood ready; NAN in other kinds */
    } first;
    char *detail; /* "width 16, non-temporal stores" */
    char *wait;   /* how the host waits for the device, by the backend: "none", "driver", "spin", "block"; "" unknown */
    struct memory_cost memory_cost;
    struct track track[SERIES_COUNT];
    unsigned verified;     /* passes that succeeded */
    bool weak;             /* a check of them proves nothing */
    double smallest_error; /* the smallest error of one element that a check would have caught; NAN unknown */
    struct error outcome;
    bool ended; /* an outcome line was seen */
    char **note;
    unsigned notes;
    struct host_state before, after;        /* of the machine, around the timing */
    struct gpu_state gpu_before, gpu_after; /* of the device, likewise */
    struct meter meter;
    struct naive_run *naive; /* in fresh processes, one after the other */
    unsigned naives, naive_room;
};

/* What calibration found of a method: a few runs, and no verification. */
struct trial_record {
    char *device_id, *method, *memory, *detail;
    double first, compile; /* seconds of the first run as a whole, and of its compilation; NAN where not taken */
    double run;            /* seconds of a run after that; NAN where there was none */
    double repack;         /* seconds that repacking adds to it; NAN where the method repacks nothing */
    struct error outcome;  /* too-slow also says that it was passed over */
};

/* The cells of one problem, in the order planned, and the methods that were tried for it. Of a journal that was cut off
 * there may be no cell yet. */
struct block_record {
    char *name;
    struct cell_record **cell;
    unsigned cells, room;
    struct trial_record *trial;
    unsigned trials, trial_room;
    bool is_done; /* all that was to be measured was */
};

/* Texts in a record are clean (text_clean) and of bounded length, whoever wrote the journal. */
struct record {
    json_t *head; /* the journal line */
    struct device *device;
    unsigned devices;
    json_t *absent;  /* array of absent lines */
    json_t *sweep;   /* the line that says what was swept; NULL: this was no sweep */
    json_t *resumed; /* array of resume lines: when the run went on after it had been broken off */
    struct cell_record **cell;
    unsigned cells, room;
    struct cell_record **roof; /* those of them that measure a ceiling */
    unsigned roofs, roof_room;
    struct block_record *block;
    unsigned blocks, block_room;
    json_t *index, *block_index; /* places in cell and in block, by key and by name */
    char **note;                 /* of the run as a whole */
    unsigned notes;
    char end[16];   /* "complete", "interrupted", "" while running or broken off */
    double elapsed; /* seconds; NAN where that is not known */
    double probing; /* seconds of that which went into looking at the machine, by the lines that tell */
};

struct record *record_new(void);
void record_free(struct record *record);

/* Takes one journal line. Fails only on lines that contradict what came before (a slice of an unknown cell, turns that
 * run backwards, a second head), naming what is wrong; unknown kinds and members are ignored, absent ones and those of
 * a wrong type are unknown. The record stays usable. */
bool record_add(struct record *record, const json_t *line, struct error *err);

struct cell_record *record_cell(const struct record *record, const char *key);
const struct device *record_device(const struct record *record, const char *id);

/* Where a cell's result goes, if it leaves the device: the next one of its source, the last one's next being the first.
 * NULL: it does not, or that one is not known. */
const struct device *record_destination(const struct record *record, const struct cell_record *cell);

#endif
