#include "tests/backend_suite/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Around the vector widths, the groups and what one group owns; and one that threads share. */
static const char *const multiply[] = { "n=1",     "n=2",      "n=7",     "n=15",   "n=16",   "n=17",
                                        "n=63",    "n=65",     "n=1023",  "n=1025", "n=8191", "n=9973",
                                        "n=16385", "n=300007", "n=70001", NULL };

/* The smallest launch there is, cuts into all groups, and cuts whose last part has less. */
static const char *const launch[] = { "n=1,count=1",     "n=2,count=1",      "n=1025,count=2",     "n=4096,count=4",
                                      "n=10241,count=3", "n=70001,count=69", "n=300007,count=101", NULL };
static const char *const overlap[] = { "n=1,chunks=1,queues=1", "n=1025,chunks=2,queues=2", "n=10241,chunks=3,queues=2",
                                       "n=70001,chunks=8,queues=1", NULL };

/* Ones, primes, sizes around those of tiles and panels, tall, wide, and long sums. */
static const char *const matmul[] = {
    "m=1,n=1,k=1",
    "m=1,n=1,k=257",
    "m=1,n=127,k=31",
    "m=131,n=1,k=17",
    "m=67,n=131,k=1",
    "m=5,n=132,k=20",
    "m=2,n=3,k=5",
    "m=7,n=13,k=11",
    "m=17,n=19,k=23",
    "m=31,n=33,k=16",
    "m=63,n=65,k=64",
    "m=64,n=64,k=64",
    "m=65,n=63,k=65",
    "m=127,n=129,k=128",
    "m=128,n=128,k=127",
    "m=129,n=127,k=129",
    "m=1021,n=3,k=19",
    "m=3,n=1021,k=19",
    "m=5,n=7,k=8191",
    "m=257,n=251,k=263",
    "m=3,n=8,k=4",
    "m=3,n=1028,k=20",
    NULL,
};

/* Ones, primes, points, uneven filters, strides, and zeros around the image that are as many as the filter is long or
 * more: places where a filter touches nothing else. */
static const char *const conv[] = {
    "n=1,c=1,h=1,w=1,k=1,r=1,s=1",
    "n=1,c=1,h=5,w=7,k=1,r=3,s=3,pad=1",
    "n=1,c=1,h=2,w=2,k=2,r=5,s=5,pad=2",
    "n=1,c=2,h=3,w=3,k=3,r=2,s=2,pad=3",
    "n=2,c=7,h=4,w=4,k=5,r=4,s=4",
    "n=1,c=13,h=11,w=11,k=31,r=1,s=1",
    "n=3,c=16,h=14,w=14,k=33,r=1,s=1,stride=2",
    "n=2,c=3,h=17,w=13,k=8,r=5,s=5,stride=2,pad=2",
    "n=1,c=3,h=29,w=31,k=16,r=3,s=5,pad=2",
    "n=1,c=2,h=9,w=33,k=7,r=1,s=7,pad=3",
    "n=1,c=2,h=33,w=9,k=7,r=7,s=1,stride=3",
    "n=2,c=5,h=19,w=23,k=17,r=3,s=3,pad=1",
    "n=5,c=4,h=8,w=8,k=64,r=3,s=3,pad=1",
    "n=1,c=64,h=7,w=7,k=65,r=3,s=3,pad=1",
    "n=1,c=32,h=15,w=17,k=31,r=3,s=3,stride=5",
    "n=1,c=3,h=20,w=67,k=9,r=11,s=11,stride=4,pad=2",
    NULL,
};

/* Every kind: one element, one line, around blocks and tiles, large enough for streaming stores and for long blocks. */
static const char *const peak[] = {
    "kind=fma,bytes=1,turns=1",
    "kind=fma,bytes=1664,turns=2",
    "kind=fma,bytes=8400,turns=7",
    "kind=fma,bytes=40Ki,turns=255",
    "kind=fma,bytes=300000,turns=3001",
    "kind=fma,bytes=8400,turns=7,passes=2,threads=one",
    "kind=read,bytes=8",
    "kind=read,bytes=4096",
    "kind=read,bytes=4104",
    "kind=read,bytes=9000",
    "kind=read,bytes=262152",
    "kind=read,bytes=4300008",
    "kind=read,bytes=9000,passes=3,threads=one",
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
    "kind=copy,bytes=9008,passes=3,threads=one",
    "kind=triad,bytes=24",
    "kind=triad,bytes=192",
    "kind=triad,bytes=9000",
    "kind=triad,bytes=262152",
    "kind=triad,bytes=4300008",
    "kind=triad,bytes=9000,passes=3",
    NULL,
};

/* One element, around lines and what threads share; in one piece, in many, and in many with a last one that has less.
 */
static const char *const transfer[] = {
    "bytes=8,direction=within",         "bytes=64,direction=within",
    "bytes=72,direction=within",        "bytes=262152,direction=within",
    "bytes=4300008,direction=within",   "bytes=8,direction=peer",
    "bytes=262152,direction=peer",      "bytes=4300008,direction=peer",
    "bytes=8,direction=through-host",   "bytes=262152,direction=through-host",
    "bytes=4Mi,direction=through-host", "bytes=4300008,direction=through-host",
    "bytes=6Mi,direction=through-host", NULL,
};

/* What is left to go wrong where a text is right in f32 and its operands are narrower: how elements are brought and
 * stored, one by one, in fours and in vectors, aligned and not; and that sums are kept elsewhere from one step along k
 * to the next. */
static const char *const matmul_narrow[] = {
    "m=1,n=1,k=1", "m=3,n=8,k=4", "m=7,n=13,k=11", "m=5,n=132,k=260", "m=3,n=1028,k=20", "m=129,n=127,k=129", NULL
};
static const char *const conv_narrow[] = { "n=1,c=2,h=3,w=3,k=3,r=2,s=2,pad=3", "n=2,c=5,h=19,w=23,k=17,r=3,s=3,pad=1",
                                           "n=5,c=4,h=8,w=8,k=64,r=3,s=3,pad=1", NULL };

/* Each workload's shapes, those of narrow operands, and one of moderate size. */
static const struct {
    const char *workload;
    const char *const *shapes, *const *narrow, *one;
} table[] = {
    { "multiply", multiply, multiply, "n=70001" },
    { "launch", launch, launch, "n=70001,count=10" },
    { "overlap", overlap, overlap, "n=70001,chunks=8,queues=1" },
    { "matmul", matmul, matmul_narrow, "m=257,n=251,k=263" },
    { "conv", conv, conv_narrow, "n=5,c=4,h=8,w=8,k=64,r=3,s=3,pad=1" },
    { "peak", peak, peak, "kind=triad,bytes=262152" },
    { "transfer", transfer, transfer, "bytes=262152,direction=within" },
};

/* A new workload without a row here is tried at its one small shape. */
const char *shape_at(const struct workload *workload, unsigned i)
{
    for (unsigned row = 0; row < sizeof table / sizeof *table; row++)
        if (strcmp(table[row].workload, workload->name) == 0)
            return table[row].shapes[i];
    return i == 0 ? workload->small : NULL;
}

const char *shape_of_narrow_at(const struct workload *workload, unsigned i)
{
    for (unsigned row = 0; row < sizeof table / sizeof *table; row++)
        if (strcmp(table[row].workload, workload->name) == 0)
            return table[row].narrow[i];
    return i == 0 ? workload->small : NULL;
}

const char *shape_one(const struct workload *workload)
{
    for (unsigned row = 0; row < sizeof table / sizeof *table; row++)
        if (strcmp(table[row].workload, workload->name) == 0)
            return table[row].one;
    return workload->small;
}

bool shape_is_meant(const struct problem *problem)
{
    const char *largest = getenv("SUITE_LARGEST");
    const struct workload *workload = problem->workload;
    /* What only moves has as many as would have been done to it. */
    return !largest || fmax(workload->flops(problem), workload->bytes(problem) / 12) <= strtod(largest, NULL);
}
