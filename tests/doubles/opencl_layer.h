#ifndef TESTS_DOUBLES_OPENCL_LAYER_H
#define TESTS_DOUBLES_OPENCL_LAYER_H

/* A layer that ocl-icd puts between the program and every driver (OPENCL_LAYERS): it refuses the call it is told to
 * refuse, counts the objects that were made and not released, lets work go wrong in silence, and tells times of its
 * own. For tests alone, which find its controls by dlsym. */

#include <CL/cl.h>

/* OPENCL_LAYER_EVENTS=0.001: by the device's clock every command takes a thousandth of its time. Scripted times, ns:
 * launch number i, from 1 on, starts at i * LAYER_TICK and ends LAYER_BUSY later. */
enum { LAYER_TICK = 1000, LAYER_BUSY = 300 };

struct layer_controls {
    /* The nth call of `entry` from now on (1 is the next) answers `code`. "event status" lets the command itself end
     * so. Others are not refused but go wrong, whatever `code` is: the kernel of "lost kernel" is never run, and a
     * bit of what "spoiled read" reads is flipped; "idle kernel" runs one that does nothing in the kernel's place, and
     * "recalled result" copies what the launch before has left in its third argument there. The environment names one
     * of them too: OPENCL_LAYER_STRIKE, at every call, or from number OPENCL_LAYER_FROM on. */
    void (*strike)(const char *entry, unsigned nth, cl_int code);
    unsigned (*calls)(void); /* how often that entry was called since */
    unsigned (*alive)(void); /* objects and mappings */
    /* From now on every device answers no more than `most` when asked for that limit, a size_t or a cl_ulong. */
    void (*lower)(cl_device_info limit, cl_ulong most);
    /* From now on launches have scripted times, but for number `silent`, which has none. */
    void (*script_clock)(unsigned silent);
};

extern const struct layer_controls layer_controls;

#endif
