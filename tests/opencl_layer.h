#ifndef TESTS_OPENCL_LAYER_H
#define TESTS_OPENCL_LAYER_H

/* A layer that ocl-icd puts between the program and every driver (OPENCL_LAYERS): it refuses the call it is told to
 * refuse, and counts the objects that were made and not released. For tests alone, which find its controls by dlsym. */

#include <CL/cl.h>

struct layer_controls {
    /* The nth call of `entry` from now on (1 is the next) answers `code`; "event status" lets the command itself end
     * so. */
    void (*strike)(const char *entry, unsigned nth, cl_int code);
    unsigned (*calls)(void); /* how often that entry was called since */
    unsigned (*alive)(void); /* objects and mappings */
};

extern const struct layer_controls layer_controls;

#endif
