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
 * one that lacks problems; a time that most have and it lacks is a failure. A kind with two clusters is judged as two.
 */

#include "harness/analysis/fleet/fleet_state.h"
#include "harness/analysis/fleet/outlier.h"
#include "harness/base/pool.h"
#include "harness/journal/results.h"

#include <limits.h>

enum fleet_part { PART_COMPUTE, PART_MEMORY, PART_LINK, PART_LAUNCH, PARTS };
const char *fleet_part_name(enum fleet_part part); /* "compute", "memory", "link", "launch" */

/* What a device is compared with: its kind, and itself at an earlier date. */
enum fleet_view { FLEET_KIND, FLEET_EARLIER, FLEET_VIEWS };

/* What may differ between nodes of a group. The last ones are of the node and given with its first device. */
enum fleet_fact {
    FACT_DRIVER,
    FACT_API,
    FACT_CLOCK_LIMIT,
    FACT_POWER_LIMIT,
    FACT_ECC,
    FACT_LINK,
    FACT_MEMORY,
    FACT_DEVICE_LIBRARY,
    FACT_SOCKET, /* of the host's memory; anything but "near" is a finding, whatever the majority */
    FACT_KERNEL,
    FACT_HOST_MEMORY,
    FACT_LIBRARY,
    FACT_GOVERNOR,
    FACT_THREADS,
    FACT_VERSION,
    FACTS
};
const char *fleet_fact_name(enum fleet_fact fact); /* "driver" */

/* A problem on a kind of devices. */
struct fleet_problem {
    const char *name; /* "matmul f32 m=1024,n=1024,k=1024 pinned" */
    unsigned kind;
    enum fleet_part part;
    double flops, bytes; /* of a run */
    unsigned count;      /* devices with a time */
    double median;       /* seconds */
    double spread;       /* between devices, relative; NAN unknown */
    double speedup;      /* median over the CPU of the same node; NAN: none */
};

struct fleet_figure {
    unsigned problem;
    double seconds, half_width;         /* of a run; the relative half width is NAN while unknown */
    double speedup;                     /* NAN: none */
    double share;                       /* of the speed that is typical in its cluster: 0.9 is slower; NAN unknown */
    double earlier, earlier_half_width; /* the same at an earlier date; NAN: none */
};

/* A part of a device in a view. */
struct fleet_score {
    unsigned problems; /* joined; 0: none was measured */
    double log_time;   /* mean logarithm of time over what is typical */
    double error;      /* its standard error by the device's own runs; 0 unknown */
    double widening;   /* of its limit, because it lacks problems; 1: it has all */
    double limit;      /* from here on it is slow; NAN: too few to judge */
    unsigned mode;     /* cluster of its kind, 0 the fastest */
    bool is_slow;
};

struct fleet_device {
    unsigned node, kind;
    const char *id;
    struct fleet_figure *figure;
    unsigned figures, room;
    const char *fact[FACTS]; /* "" unknown */
    const char *untimed;     /* its first cell without a time and without a failure, and why; NULL: none */
    struct fleet_score score[FLEET_VIEWS][PARTS];
};

struct fleet_kind {
    unsigned group;
    const char *name; /* of the device */
    unsigned devices;
    unsigned problems;        /* that most of its devices have; 0: too few devices */
    const char *usual[FACTS]; /* the value of more than half of those that are known; NULL: none */
    struct {
        unsigned problems, modes;
        struct outlier_rule rule[MODES_MAX]; /* of each cluster: logarithms of time over the kind's median */
    } part[PARTS];
};

struct fleet_group {
    const char *name;        /* "Intel Xeon 8480C, 8 x NVIDIA H200" */
    const char *processor;   /* equal texts are shared: compare pointers */
    unsigned nodes, devices; /* devices of a node */
};

struct fleet_node {
    const char *name;
    unsigned group;          /* FLEET_NO_GROUP without a head */
    unsigned first, devices; /* in fleet->device */
    unsigned cells, ended;   /* in its journal */
    const char *missing;     /* why it has no or half a journal, or which device; NULL: nothing is missing */
    const char *failure;     /* the first cell that failed, and how; NULL: none */
    unsigned failures;
    unsigned states; /* bits 1 << FLEET_SLOW and so on: of what was found */
};
#define FLEET_NO_GROUP UINT_MAX

struct fleet_finding {
    enum fleet_state state;
    unsigned node;
    const struct fleet_device *device; /* NULL: of the node */
    enum fleet_view view;
    enum fleet_part part;
    double share;     /* slow: of the typical speed, 0.88 */
    const char *text; /* slow: what else differs, "" if nothing; else what it is */
};

struct fleet {
    struct pool pool; /* all texts and arrays */
    json_t *index;    /* texts to places, by the name of the array */
    struct fleet_node *node;
    struct fleet_device *device;
    struct fleet_kind *kind;
    struct fleet_group *group;
    struct fleet_problem *problem;
    struct fleet_finding *finding; /* worst first */
    unsigned nodes, devices, kinds, groups, problems, findings;
    unsigned node_room, device_room, kind_room, group_room, problem_room, finding_room;
    unsigned count[FLEET_STATES]; /* nodes in each */
    double bytes;                 /* read */
    bool has_earlier;
};

/* All zero at first. */
void fleet_release(struct fleet *fleet);

/* Adds a node and its journal, of which nothing is kept; or one without a readable journal, and why. Of two of the
 * same name only the first is used, and the node is missing. Fails when memory is short. */
bool fleet_add(struct fleet *fleet, const char *name, const struct result *result, struct error *err);
bool fleet_add_missing(struct fleet *fleet, const char *name, const char *why, struct error *err);

/* Whether a node of that name was added. */
bool fleet_has(const struct fleet *fleet, const char *name);

/* Compares and fills what is found. `earlier`: the same fleet at an earlier date, not judged; NULL: none. A node that
 * only the earlier one has is missing. */
bool fleet_judge(struct fleet *fleet, struct fleet *earlier, struct error *err);

/* Whether a kind has enough devices. */
bool fleet_is_judged(const struct fleet_kind *kind);

/* NULL: the device has no time of the problem. */
const struct fleet_figure *fleet_figure_of(const struct fleet_device *device, unsigned problem);

/* The place of a text in one of the arrays ("kind", "node"): `next` if it is new there. For the files of this folder.
 */
unsigned fleet_place(struct fleet *fleet, const char *array, const char *text, unsigned next);

#endif
