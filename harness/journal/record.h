#ifndef HARNESS_JOURNAL_RECORD_H
#define HARNESS_JOURNAL_RECORD_H

/* The results of a run, gathered from journal lines: by the run itself while it measures, and by `report` from a file.
 * Both pass the same lines to the same function, so a report of a journal is the report that the run printed. */

#include "harness/base/error.h"
#include "harness/base/pool.h"
#include "harness/journal/roof.h"
#include "harness/machine/device.h"
#include "harness/machine/energy.h"
#include "harness/machine/gpu_state.h"
#include "harness/machine/host.h"
#include "harness/machine/neighbour.h"
#include "harness/measure/sampler.h"
#include "harness/measure/stats.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

/* The first three are measured in turn with other cells. "sustained" is the resident series again, without a pause,
 * after the visits, while no other device works. */
enum series { SERIES_RESIDENT, SERIES_QUEUED, SERIES_COPIED, SERIES_SUSTAINED, SERIES_COUNT };
enum { SERIES_IN_TURN = SERIES_SUSTAINED };

/* The two uses that a row answers for: data stay on the device, or are copied there and back at every use. Each has a
 * series, and may have a method of its own. */
enum use { USE_RESIDENT, USE_COPIED, USES };
static const enum series use_series[USES] = { SERIES_RESIDENT, SERIES_COPIED };

enum phase { PHASE_UPLOAD, PHASE_REPACK, PHASE_COMPUTE, PHASE_DOWNLOAD, PHASE_COUNT };

extern const char *const series_names[]; /* "resident", "queued", "copied", "sustained" */

#define NO_VISIT UINT_MAX

struct slice {
    unsigned number;
    unsigned visit;            /* of its block, from 0; NO_VISIT: of none, or of a journal of version 3 */
    double median;             /* wall seconds of its samples */
    double kept;               /* of an upload of what the host had not written again; NAN: none */
    double phase[PHASE_COUNT]; /* the same for each phase; NAN where there is none */
    double at;                 /* seconds since the run began */
    unsigned looks;            /* of the record, before it */
    bool knows_held;           /* `held` is known */
    unsigned held;             /* why the device's clock was held down at the end, as bits 1 << gpu_reason */
    double sm_clock;           /* of the device at the end, Hz; NAN unknown */
};

/* One series of one cell. An array of event or enqueue samples has one element for each wall sample, NAN where it is
 * unknown, or is empty. */
struct track {
    struct samples wall, event, phase[PHASE_COUNT];
    struct samples event_wall; /* of the runs that `event` is of; empty where these are the same as of `wall` */
    struct samples enqueue;    /* until the calls that start a run returned, before the wait */
    struct slice *slice;
    unsigned slices;
    double cpu;        /* processor seconds of the host during the slices; NAN unknown */
    double elapsed;    /* wall seconds of the slices, discarded runs included, to compare `cpu` with */
    double spent;      /* wall seconds of the samples alone */
    unsigned unusable; /* runs that were left out: their times are not possible */
    enum stop stop;    /* why it ended */
};

/* What a cell holds in memory, bytes; NAN unknown. */
struct memory_cost {
    double device_operands; /* the device's buffers, whatever memory they are in */
    double host_operands;   /* the host's arrays beside them */
    double context_host;    /* host memory that the driver or a library took when it was opened */
    double held_twice;      /* operands with two copies in the memory that host and device share */
    double repacked;        /* operands that the method keeps in a layout of its own, too */
    double peak_host;       /* the most host memory of the process up to its first result */
    double largest_node;    /* share of the process's memory on the NUMA node with most of it; NAN with one node */
    double context_device;  /* device memory of the process once the device was opened */
    double held_device;     /* the same with all operands and workspaces allocated */
};

/* The first run in a fresh process. Seconds are NAN where a part was not done, and bytes where they are unknown. */
struct first {
    double open, alloc, compile, filling, upload, repack, run, download;
    double map;                   /* to map and unmap a page once the cell was ready; NAN unless memory is mapped */
    const char *detail;           /* "width 16, non-temporal stores" */
    const char *cache;            /* of compiled kernels: "kept" */
    const char *kernel_shape;     /* the prepared one; "": there is no choice */
    struct labels kernel_shapes;  /* of which it was chosen */
    const char *wait;             /* for the device: "none", "driver", "spin", "block", "kernels" (each); "" unknown */
    int memory_node, device_node; /* NUMA nodes that hold the host's operands, and that the device is at; -1 unknown */
    double link_lanes;            /* of the device's PCI Express link; NAN unknown */
    struct memory_cost memory_cost;
    bool counts_energy;     /* an energy counter of the host or the device can be read */
    double reading;         /* seconds to read the clock of the device and what limits it; NAN: nothing can */
    double flush_bytes;     /* that the host reads before each cold run */
    double cores_planned;   /* of the host: those that were to compute */
    double cores_computing; /* and those that did; NAN unknown */
    double probes;          /* to find all this out */
};

/* Joules by domain; NAN unknown. */
struct joules {
    double of[ENERGY_DOMAINS];
};

/* Runs without a pause: their energy, and how long the clock of the device was held down meanwhile, by counters. */
struct meter {
    double runs, seconds; /* NAN: not measured */
    struct joules energy;
    double error; /* share of the joules of a GPU, from the steps of its counter */
    struct held held;
    struct gpu_state gpu; /* at the end of the last run, in older journals */
    double probes;        /* seconds of the readings; in older journals of the runs, too */
};

/* One naive timing in a fresh process (naive.h). */
struct naive_run {
    double alloc, run, fetch; /* seconds, the timed parts */
    double compile;           /* before them; NAN where nothing was compiled */
    double faults;            /* page faults while it was timed; NAN unknown */
    unsigned process;         /* from 0 */
    struct error outcome;
};

/* The uses that a cell is measured for, or a race is for. */
enum measures { MEASURES_BOTH, MEASURES_RESIDENT, MEASURES_COPIED };

/* The speed-up of a row's headline in earlier runs on the same machine. */
struct earlier {
    unsigned runs; /* 0: too few */
    double low, median, high;
};

struct cell_record {
    const char *key, *block, *device_id, *workload, *dtype, *shape, *method, *memory, *repro;
    const char *baseline;        /* key of the cell that its computation is compared with; "": none */
    const char *baseline_copied; /* the same for data that move; the baseline, if the journal names no other */
    const char *kernel_shape;    /* of a method with several; "": there is one, or the first */
    enum measures measures;
    double flops, bytes;
    double held;       /* bytes of all operands; NAN unknown */
    double workspace;  /* bytes that the method needs beside them, at most; NAN unknown */
    const char *items; /* of which one asks for as many per second: "samples"; "": none */
    double items_per_run;
    enum roof_kind roof; /* which limit of its device it measures */
    bool is_peak;        /* measured only to compare other cells with it */
    bool is_cold;        /* caches were flushed before each timed run */
    unsigned launches;   /* of kernels in a run, at least; 1 if unknown */
    bool is_link;        /* its result goes to another device */
    bool lacks_library;  /* no library of the GPU's vendor is known for its API */
    bool is_fast;        /* its algorithm needs fewer operations than `flops` */
    struct first first;
    struct track track[SERIES_COUNT];
    unsigned verified;     /* passes that succeeded */
    bool weak;             /* one of their checks proves nothing */
    double smallest_error; /* of one element that a check would catch; NAN unknown */
    struct {
        double timed;   /* runs of all series; NAN unknown */
        double checked; /* of them, those whose whole result was checked; NAN unknown */
        double every;   /* so many slices were one check apart, in the series with fewest; NAN: none between slices */
        double seconds; /* that the checks between slices took */
        bool differ;    /* right results on the same operands had different bits */
    } checks;
    struct error outcome;
    bool ended;        /* it has an outcome line */
    unsigned left_out; /* values of its lines that make no sense, and lines without one that is needed */
    bool is_forgotten; /* it is about to be removed */
    struct earlier earlier;
    const char **note;
    unsigned notes;
    struct host_state before, after;        /* of the machine, around the timing */
    struct gpu_state gpu_before, gpu_after; /* of the device, likewise */
    struct meter meter;
    struct naive_run *naive; /* in fresh processes, one after the other */
    unsigned naives;
};

/* How a race ended for a contender: a method with one of its kernel shapes. Passed over: it was not tried, or left
 * before its speed was known. */
enum race_end { RACE_MEASURED, RACE_TIED, RACE_SLOWER, RACE_PASSED_OVER, RACE_FAILED };

struct contender_record {
    const char *method, *kernel_shape;
    enum race_end end;
    unsigned rounds;      /* that it took part in */
    double ratio;         /* its speed over the leader's; NAN unknown */
    double run;           /* median seconds, with repacking in a race for transfers; NAN unknown */
    double first;         /* seconds of the whole first run; NAN unknown */
    struct error outcome; /* why it was passed over, or failed */
    const char *log;      /* what its driver printed last */
};

/* The race that chose the contender of a row. */
struct race_record {
    const char *device_id, *memory, *dtype;
    enum measures purpose; /* MEASURES_RESIDENT or MEASURES_COPIED */
    const char *origin;    /* "tuned": in this run; "remembered": among those that an earlier one left */
    int settled;           /* 1: the measured one is surely as fast as the fastest; 0: it is not; -1: not known */
    unsigned rounds;       /* that decided */
    struct contender_record *contender; /* in the order of the table of methods and kernel shapes */
    unsigned contenders;
};
extern const struct fields race_fields; /* its members in JSON (fields.h), as the journal has them */

/* What the time of a block goes to: opening devices and compiling, filling operands, choosing methods, verifying,
 * slices that count, and reading the machine's state and ending. */
enum spent {
    SPENT_OPENING,
    SPENT_FILLING,
    SPENT_CHOOSING,
    SPENT_VERIFYING,
    SPENT_MEASURING,
    SPENT_CLOSING,
    SPENT_COUNT
};

extern const char *const spent_names[]; /* "opening", "filling", ... */

/* The cells of one problem, in the order planned, and the races that chose their methods. In a journal that was cut off
 * it may have no cell yet. */
struct block_record {
    const char *name;
    struct cell_record **cell;
    unsigned cells;
    struct race_record *race;
    unsigned races;
    bool is_done;              /* all of it was measured */
    double spent[SPENT_COUNT]; /* seconds; 0 unknown */
};

/* A check of a core for other load (harness/machine/neighbour.h). */
struct look_record {
    unsigned processor;
    double rate;
};

/* Texts in a record are clean (text_clean) and of bounded length, even from a damaged or hostile journal. */
struct record {
    struct pool pool; /* all memory but that of JSON */
    json_t *head;     /* the journal line */
    struct device *device;
    unsigned devices;
    json_t *absent;       /* array of absent lines */
    json_t *sweep;        /* the sweep line; NULL for a run */
    const char **resumed; /* when it was resumed */
    unsigned resumes;
    struct cell_record **cell;
    unsigned cells;
    struct cell_record **peak; /* those of them that measure a peak */
    unsigned peaks;
    struct block_record *block;
    unsigned blocks;
    json_t *index, *block_index; /* indices into cell and block, by key and by name */
    struct look_record *look;    /* in order of time */
    unsigned looks;
    struct look_record usual_look[NEIGHBOURS_MAX]; /* of each processor, when it is alone; none with too few looks */
    unsigned usual_looks, settled_looks;
    const char **note; /* of the run as a whole */
    unsigned notes;
    char end[16];       /* "complete", "interrupted", "" without an end line */
    bool cores_changed; /* those that the run was allowed, or its quota, were others at the end */
    double elapsed;     /* seconds; NAN unknown */
    double probing;     /* seconds of these that reading counters of the machine took */
};

struct record *record_new(void);
void record_free(struct record *record);

/* Adds one journal line. A cell that was chosen instead of another removes that one: lines of it fail from then on.
 * After a line `resume`, a cell of an unfinished block may be stated again. Fails on a line that contradicts earlier
 * ones (a slice of an unknown cell, decreasing slice numbers, a second head), and when memory is short; the record
 * stays usable. Unknown kinds and members are ignored; absent members and those of a wrong type are unknown. */
bool record_add(struct record *record, const json_t *line, struct error *err);

struct cell_record *record_cell(const struct record *record, const char *key);

/* The block of that name; NULL if there is none. */
struct block_record *record_find_block(const struct record *record, const char *name);

/* The race that a cell's method took part in: of its device, for what the cell measures first, in its kind of memory if
 * there was one, else in another (a race is not repeated for each kind). NULL: there was none. */
const struct race_record *record_race(const struct block_record *block, const struct cell_record *cell);

extern const char *const race_end_names[];
extern const char *const measures_names[]; /* "both", "resident", "copied" */
const struct device *record_device(const struct record *record, const char *id);

/* The suite that was run as a whole; "" where options chose other problems or a part of it. */
const char *record_suite(const struct record *record);

/* The device that a cell copies its result to: the next one of its source, after the last the first. NULL for a cell
 * that copies to no device, and for an unknown one. */
const struct device *record_destination(const struct record *record, const struct cell_record *cell);

#endif
