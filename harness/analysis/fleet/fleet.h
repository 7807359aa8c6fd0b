#ifndef HARNESS_ANALYSIS_FLEET_FLEET_H
#define HARNESS_ANALYSIS_FLEET_FLEET_H

/* The nodes of a cluster, each compared with those like it. The group is its own baseline: nobody writes down what a
 * node should reach.
 *
 * A group has the nodes of one processor (family, model, stepping) with the same devices (names and number), so a node
 * with an old driver is in the group of the others. The devices of one name in a group are a kind, and compared with
 * each other, whichever slots they are in. Fewer than OUTLIER_LEAST devices of a kind are too few to judge.
 *
 * Problems that use the same part of a device (its arithmetic, its memory, its link) are joined: the mean of the
 * logarithms of time over median time, weighted by the inverse of the problem's variance between devices. A device is
 * slow when this mean is surely above the kind's (outlier.h), by 2 % at least. The correction is for all devices and
 * parts of the fleet. A device whose own runs were less certain than is usual needs a larger difference, and so does
 * one that lacks problems; a time that most have and it lacks is a failure. */

#include "harness/analysis/fleet/outlier.h"
#include "harness/base/error.h"
#include "harness/base/pool.h"

#include <jansson.h>
#include <limits.h>

/* What may be wrong with a node, in the order of a report. Slow: surely slower than those like it, or than itself at an
 * earlier date. Failed: a cell of its run failed, or a time that most have is not there. Missing: it has no or half a
 * journal, or fewer devices than most like it. Different: its facts are not those of most. */
enum fleet_state { FLEET_SLOW, FLEET_FAILED, FLEET_MISSING, FLEET_DIFFERENT, FLEET_STATES };
extern const char *const fleet_state_names[]; /* "slow"; ends with NULL */

enum fleet_part { PART_COMPUTE, PART_MEMORY, PART_LINK, PART_LAUNCH, PARTS };
extern const char *const fleet_part_names[]; /* "compute", "memory", "link", "launch" */

/* What a device is compared with: its kind, and itself at an earlier date. */
enum fleet_view { FLEET_KIND, FLEET_EARLIER, FLEET_VIEWS };

/* What may differ between devices of a kind, of the device itself and of its host: "driver" and "535.1"; "" unknown.
 * The first are known by what cells say. FACT_SOCKET says where the host's memory is; anything but "near" is a finding,
 * whatever the majority. FACT_OPTIONS: those that choose other problems or methods. */
enum { FACT_CLOCK_LIMIT, FACT_LINK, FACT_SOCKET, FACT_OPTIONS, FACTS = 16 };
struct fleet_fact {
    const char *name, *value;
};

/* A problem on a kind of devices. */
struct fleet_problem {
    const char *name; /* "matmul f32 m=1024,n=1024,k=1024 pinned" */
    unsigned kind;
    enum fleet_part part;
    double flops, bytes; /* of a run */
    unsigned latest;     /* device that was given a time of it last */
    /* What its devices have in common, first against an earlier date and then now. */
    unsigned count; /* devices with a time */
    double center;  /* typical logarithm of the time, or of the time over an earlier one */
    double spread;  /* between devices, relative; NAN unknown */
    double error;   /* usual standard error of a device's own time; 0: most have none */
    double weight;  /* in its part; 0: it is not joined */
};
#define FLEET_NONE UINT_MAX

/* A time of a device. */
struct fleet_figure {
    unsigned problem;
    double seconds, half_width;         /* of a run; the relative half width is NAN while unknown */
    double speedup;                     /* NAN: none */
    double share;                       /* of the speed that is typical: 0.9 is slower; NAN unknown */
    double earlier, earlier_half_width; /* the same at an earlier date; NAN: none */
};

/* A part of a device in a view. */
struct fleet_score {
    unsigned problems; /* that were joined; 0: none was measured */
    double log_time;   /* mean logarithm of time over what is typical; NAN unknown */
    double widening;   /* of its limit, because it lacks problems or its times are uncertain; 1: neither */
    double limit;      /* above it is slow; NAN: too few to judge */
};

struct fleet_device {
    unsigned node, kind;
    const char *id;
    struct fleet_figure *figure; /* ordered by problem once judged */
    unsigned figures;
    struct fleet_fact fact[FACTS];
    const char *untimed; /* its first cell without a time and without a failure, and why; NULL: none */
    struct fleet_score score[FLEET_VIEWS][PARTS];
    bool is_slow; /* in one of them */
};

struct fleet_kind {
    const char *group; /* "Intel Xeon 8480C 6-143-8, 8 x NVIDIA H200" */
    const char *name;  /* of the device */
    unsigned devices;
    const char *usual[FACTS]; /* the value of more than half of those that are known; NULL: none */
    struct {
        unsigned problems;
        struct outlier_rule rule; /* logarithms of time over the kind's median */
    } part[PARTS];
};

struct fleet_node {
    const char *name;
    const char *processor;   /* "Intel Xeon 8480C 6-143-8"; "" without a journal */
    const char *group;       /* the same with the devices; NULL without a journal */
    unsigned first, devices; /* in fleet->device */
    unsigned cells, ended;   /* in its journal */
    char run[24];            /* what tells its run from others, for fleet_place; "" without a cell */
    const char *missing;     /* why it has no or half a journal, or which device; NULL: nothing is missing */
    const char *failure;     /* the first cell that failed, and how; NULL: none */
    unsigned states;         /* bits 1 << FLEET_SLOW and so on: of what was found */
};

struct fleet_finding {
    enum fleet_state state;
    unsigned node;
    const struct fleet_device *device; /* NULL: of the node */
    enum fleet_view view;
    enum fleet_part part;
    double share;     /* slow: of the typical speed, 0.88 */
    unsigned more;    /* slow: other devices of the node that are slow in the same part and view, by less */
    const char *text; /* slow: what else differs, "" if nothing; else what it is */
};

struct fleet {
    struct pool pool; /* all texts and arrays */
    json_t *place;    /* by text, of elements of the arrays below */
    struct fleet_node *node;
    struct fleet_device *device;
    struct fleet_kind *kind;
    struct fleet_problem *problem;
    struct fleet_finding *finding; /* worst first */
    unsigned nodes, devices, kinds, problems, findings;
    unsigned count[FLEET_STATES]; /* nodes in each */
};

struct result;

/* All zero at first. */
void fleet_release(struct fleet *fleet);

/* Adds a node and its journal, of which nothing is kept; or one without a readable journal, and why. Of two of the
 * same name only the first is used, and the node is missing. */
void fleet_add(struct fleet *fleet, const char *name, const struct result *result);
void fleet_add_missing(struct fleet *fleet, const char *name, const char *why);

/* Compares and fills what is found. `earlier`: the same fleet at an earlier date, not judged; NULL: none. A node that
 * only the earlier one has is missing. Fails when memory is or was short. */
bool fleet_judge(struct fleet *fleet, struct fleet *earlier, struct error *err);

/* Whether a kind has enough devices. */
bool fleet_is_judged(const struct fleet_kind *kind);

/* NULL: the device has no time of the problem. Once judged. */
const struct fleet_figure *fleet_figure_of(const struct fleet_device *device, unsigned problem);

/* The place of a text in one of the arrays, as in "node n1". If it is new there it gets the place `next`; FLEET_NONE:
 * it is only looked for. */
unsigned fleet_place(struct fleet *fleet, unsigned next, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
