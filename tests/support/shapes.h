#ifndef TESTS_SUPPORT_SHAPES_H
#define TESTS_SUPPORT_SHAPES_H

/* The sizes at which the tests try every method of a workload. The first has a moderate size. At least one has no more
 * than 1000 operations, which a simulator of devices can run. */

#include "bench/workloads/workload.h"

#include <string.h>

enum { TRIED_MAX = 32 };

static const struct tried {
    const char *workload;
    const char *shape[TRIED_MAX]; /* ends with NULL */
    /* The same for kernel texts in other types than f32, which are compiled anew for each shape and type; none: all of
     * the above. */
    const char *few[TRIED_MAX];
} tried[] = {
    /* Around the vector widths, the groups and what one group owns; and one that threads share. */
    { "multiply", .shape = { "n=70001", "n=1", "n=2", "n=7", "n=15", "n=16", "n=17", "n=63", "n=65", "n=1023", "n=1025",
                             "n=8191", "n=9973", "n=16385", "n=300007" } },
    /* Ones, primes, sizes around those of tiles and panels, tall, wide, and long sums. The few: what can go wrong where
     * a text is right in f32 and its operands are narrower: how elements are loaded and stored, one by one, in fours
     * and in vectors, aligned and not; and that sums are kept elsewhere from one step along k to the next. */
    { "matmul",
      .shape = { "m=257,n=251,k=263", "m=1,n=1,k=1",       "m=1,n=1,k=257",    "m=1,n=127,k=31",  "m=131,n=1,k=17",
                 "m=67,n=131,k=1",    "m=5,n=132,k=20",    "m=2,n=3,k=5",      "m=7,n=13,k=11",   "m=17,n=19,k=23",
                 "m=31,n=33,k=16",    "m=63,n=65,k=64",    "m=64,n=64,k=64",   "m=65,n=63,k=65",  "m=127,n=129,k=128",
                 "m=128,n=128,k=127", "m=129,n=127,k=129", "m=1021,n=3,k=19",  "m=3,n=1021,k=19", "m=3,n=8,k=4",
                 "m=3,n=1028,k=20",   "m=5,n=7,k=8191",    "m=65,n=132,k=260", "m=5,n=132,k=261" },
      { "m=1,n=1,k=1", "m=3,n=8,k=4", "m=7,n=13,k=11", "m=5,n=132,k=260", "m=3,n=1028,k=20", "m=129,n=127,k=129",
        "m=65,n=132,k=260" } },
    /* Ones, primes, points, uneven filters, strides, and as many zeros around the image as the filter is long or more:
     * at some places such a filter touches nothing else. */
    { "conv",
      .shape = { "n=5,c=4,h=8,w=8,k=64,r=3,s=3,pad=1", "n=1,c=1,h=1,w=1,k=1,r=1,s=1",
                 "n=1,c=1,h=5,w=7,k=1,r=3,s=3,pad=1", "n=1,c=1,h=2,w=2,k=2,r=5,s=5,pad=2",
                 "n=1,c=2,h=3,w=3,k=3,r=2,s=2,pad=3", "n=2,c=7,h=4,w=4,k=5,r=4,s=4", "n=1,c=13,h=11,w=11,k=31,r=1,s=1",
                 "n=3,c=16,h=14,w=14,k=33,r=1,s=1,stride=2", "n=2,c=3,h=17,w=13,k=8,r=5,s=5,stride=2,pad=2",
                 "n=1,c=3,h=29,w=31,k=16,r=3,s=5,pad=2", "n=1,c=2,h=9,w=33,k=7,r=1,s=7,pad=3",
                 "n=1,c=2,h=33,w=9,k=7,r=7,s=1,stride=3", "n=2,c=5,h=19,w=23,k=17,r=3,s=3,pad=1",
                 "n=1,c=64,h=7,w=7,k=65,r=3,s=3,pad=1", "n=1,c=32,h=15,w=17,k=31,r=3,s=3,stride=5",
                 "n=1,c=3,h=20,w=67,k=9,r=11,s=11,stride=4,pad=2" },
      { "n=1,c=1,h=2,w=2,k=2,r=5,s=5,pad=2", "n=1,c=2,h=3,w=3,k=3,r=2,s=2,pad=3",
        "n=2,c=5,h=19,w=23,k=17,r=3,s=3,pad=1", "n=5,c=4,h=8,w=8,k=64,r=3,s=3,pad=1" } },
    /* Ones, primes, sizes around those of tiles, panels and strips, and more outputs than are summed up at once. */
    { "train",
      .shape = { "batch=67,in=53,hidden=131,out=10", "batch=1,in=1,hidden=1,out=1", "batch=1021,in=3,hidden=19,out=9",
                 "batch=16,in=64,hidden=48,out=16", "batch=3,in=20,hidden=301,out=32",
                 "batch=35,in=20,hidden=36,out=6" },
      { "batch=67,in=53,hidden=131,out=10", "batch=1,in=1,hidden=1,out=1" } },
    /* One element, around lines and what threads share; in one piece, in many, and in many of which the last has less.
     */
    { "transfer",
      .shape = { "bytes=262152,direction=within", "bytes=8,direction=within", "bytes=64,direction=within",
                 "bytes=72,direction=within", "bytes=4300008,direction=within", "bytes=8,direction=peer",
                 "bytes=262152,direction=peer", "bytes=4300008,direction=peer", "bytes=8,direction=through-host",
                 "bytes=262152,direction=through-host", "bytes=4Mi,direction=through-host",
                 "bytes=4300008,direction=through-host", "bytes=6Mi,direction=through-host" } },
    /* The smallest launch, cuts into all groups, and cuts whose last part has less. */
    { "launch", .shape = { "n=70001,count=10", "n=1,count=1", "n=2,count=1", "n=1025,count=2", "n=4096,count=4",
                           "n=10241,count=3", "n=70001,count=69", "n=300007,count=101" } },
    /* One chunk, and chunks of which the last has less, on one queue and on two. */
    { "overlap", .shape = { "n=70001,chunks=8,queues=1", "n=1,chunks=1,queues=1", "n=1025,chunks=2,queues=2",
                            "n=10241,chunks=3,queues=2" } },
    /* Of every kind: one element, one line, around blocks and tiles, large enough for streaming stores and long blocks.
     */
    { "peak", .shape = { "kind=triad,bytes=262152",
                         "kind=fma,bytes=1,turns=1",
                         "kind=fma,bytes=1664,turns=2",
                         "kind=fma,bytes=8400,turns=7",
                         "kind=fma,bytes=40Ki,turns=255",
                         "kind=fma,bytes=300000,turns=3001",
                         "kind=fma,bytes=8400,turns=7,passes=2",
                         "kind=read,bytes=8",
                         "kind=read,bytes=4096",
                         "kind=read,bytes=4104",
                         "kind=read,bytes=9000",
                         "kind=read,bytes=262152",
                         "kind=read,bytes=4300008",
                         "kind=read,bytes=9000,passes=3",
                         "kind=write,bytes=8",
                         "kind=write,bytes=64",
                         "kind=write,bytes=9000",
                         "kind=write,bytes=262152",
                         "kind=write,bytes=4300008",
                         "kind=write,bytes=9000,passes=3",
                         "kind=copy,bytes=16",
                         "kind=copy,bytes=128",
                         "kind=copy,bytes=9008",
                         "kind=copy,bytes=262160",
                         "kind=copy,bytes=4300016",
                         "kind=copy,bytes=9008,passes=3",
                         "kind=triad,bytes=24",
                         "kind=triad,bytes=192",
                         "kind=triad,bytes=9000",
                         "kind=triad,bytes=4300008",
                         "kind=triad,bytes=9000,passes=3" } },
};

/* A workload without a row is tried at its small problem. */
static inline const struct tried *tried_row(const struct workload *workload)
{
    static struct tried small;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (strcmp(tried[i].workload, workload->name) == 0)
            return &tried[i];
    small = (struct tried){ .workload = workload->name, .shape = { workload->small } };
    return &small;
}

static inline const char *const *tried_shapes(const struct workload *workload)
{
    return tried_row(workload)->shape;
}

#endif
