#ifndef TESTS_DOUBLES_OPENCL_LAYER_H
#define TESTS_DOUBLES_OPENCL_LAYER_H

/* A layer that ocl-icd puts between the program and every driver (OPENCL_LAYERS). It refuses planned calls, counts
 * objects that are not released, corrupts results silently, and returns scripted times. For tests only, which find its
 * controls by dlsym. */

#include <CL/cl.h>

/* OPENCL_LAYER_EVENTS=0.001: by the device's clock every command takes a thousandth of its time. Scripted times, ns:
 * launch number i, from 1 on, starts at i * LAYER_TICK and ends LAYER_BUSY later. */
enum { LAYER_TICK = 1000, LAYER_BUSY = 300 };

/* The flags of the latest buffer and of the latest mapping. */
struct layer_asked {
    cl_mem_flags buffer;
    cl_map_flags map;
};

struct layer_controls {
    /* The nth call of `entry` from now on (1 is the next; 0: each) returns `code`; "event status": the command itself
     * ends so; "limits": the device does not answer for its limits.
     * Other names corrupt results, whatever `code` is. "lost kernel": the kernel does not run. "spoiled read": a bit is
     * flipped in so many bytes of the data read (OPENCL_LAYER_BYTES, one without it). "spoiled input": a byte of what
     * the host wrote into mapped memory changes as it is handed over. "idle kernel": an empty kernel runs instead.
     * "recalled result": the kernel's third argument gets what the previous launch left there. The environment names
     * one of them too: OPENCL_LAYER_STRIKE, at every call, or from number OPENCL_LAYER_FROM on. */
    void (*strike)(const char *entry, unsigned nth, cl_int code);
    unsigned (*calls)(void); /* calls of that entry since then */
    unsigned (*alive)(void); /* objects and mappings */
    /* From now on every device answers at most `most` for that limit, a size_t or a cl_ulong, and refuses launches of
     * larger groups if it is that of groups. */
    void (*lower)(cl_device_info limit, cl_ulong most);
    /* From now on launches have scripted times; launch number `silent` has none. */
    void (*script_clock)(unsigned silent);
    unsigned (*stamped)(void); /* launches so far on queues with time stamps */
    /* From now on every device answers so; `value` must stay. */
    void (*tell)(cl_device_info what, const void *value, size_t bytes);
    struct layer_asked (*asked)(void);
};

extern const struct layer_controls layer_controls;

#endif
