#include "bench/backends/cuda/cubins.h"

#include "harness/base/text.h"

#include <string.h>

uint64_t cubins_hash(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 0x100000001b3;
    return hash;
}

/* Code for X.y runs on X.z with z >= y on discrete GPUs; GPUs of Tegra run only code for exactly themselves (CUDA C++
 * Programming Guide, binary compatibility). */
static bool runs_on(const struct cubin *cubin, int architecture)
{
    static const int tegra[] = { 72, 87, 101, 110 };
    for (unsigned i = 0; i < sizeof tegra / sizeof *tegra; i++)
        if (architecture == tegra[i] || cubin->architecture == tegra[i])
            return cubin->architecture == architecture;
    return cubin->architecture / 10 == architecture / 10 && cubin->architecture <= architecture;
}

/* A driver takes machine code of older toolkits, and of newer ones of its own major version (CUDA Compatibility, minor
 * version compatibility). */
static bool is_accepted_by(const struct cubin *cubin, int driver)
{
    return cubin->toolkit / 1000 <= driver / 1000;
}

/* The state of a search. */
struct cubin_search {
    const struct cubin *best, *refused;
    bool is_known; /* there is code of this text, for whatever GPU */
};

static void consider(struct cubin_search *search, const struct cubin *cubin, int architecture, int driver)
{
    search->is_known = true;
    if (!runs_on(cubin, architecture))
        return;
    if (!is_accepted_by(cubin, driver))
        search->refused = cubin;
    else if (!search->best || search->best->architecture < cubin->architecture)
        search->best = cubin;
}

static const struct cubin *conclude(const struct cubin_search *search, const struct cubins *in, int architecture,
                                    int driver, struct error *err)
{
    const struct cubin *best = search->best, *refused = search->refused;
    char all[CUBINS_TEXT];
    if (best && cubins_hash(in->data + best->start, best->bytes) != best->hash)
        fail(err, STATUS_FAILED, "this build's machine code for sm_%d is damaged", best->architecture);
    else if (best)
        return best;
    else if (in->count == 0)
        fail(err, STATUS_UNSUPPORTED, "this build has no machine code");
    else if (!search->is_known)
        fail(err, STATUS_UNSUPPORTED, "this build has machine code, but none for this size");
    else if (refused)
        fail(err, STATUS_UNSUPPORTED, "this build's machine code is for CUDA %d, the driver is for CUDA %d.%d",
             refused->toolkit / 1000, driver / 1000, driver % 1000 / 10);
    else
        fail(err, STATUS_UNSUPPORTED, "this build's machine code is for %s, the GPU is sm_%d", cubins_describe(in, all),
             architecture);
    return NULL;
}

const struct cubin *cubins_find(const struct cubins *in, const char *source, const char *options, int architecture,
                                int driver, struct error *err)
{
    const uint64_t text = source ? cubins_hash(source, strlen(source)) : 0;
    struct cubin_search search = { .is_known = false };
    for (unsigned i = 0; i < in->count; i++)
        if (!source || (in->cubin[i].text == text && strcmp(in->cubin[i].options, options) == 0))
            consider(&search, &in->cubin[i], architecture, driver);
    return conclude(&search, in, architecture, driver, err);
}

/* The lowest number above `least` in that member of the entries; 0: none. */
static int next(const struct cubins *in, size_t member, int least)
{
    int found = 0;
    for (unsigned i = 0; i < in->count; i++) {
        const int it = *(const int *)((const char *)&in->cubin[i] + member);
        if (it > least && (found == 0 || it < found))
            found = it;
    }
    return found;
}

const char *cubins_describe(const struct cubins *in, char to[CUBINS_TEXT])
{
    const size_t architecture = offsetof(struct cubin, architecture), toolkit = offsetof(struct cubin, toolkit);
    const char *before = "";
    *to = '\0';
    for (int it = next(in, architecture, 0); it; it = next(in, architecture, it)) {
        text_append(to, CUBINS_TEXT, "%ssm_%d", before, it);
        before = ", ";
    }
    before = ", by NVRTC ";
    for (int it = next(in, toolkit, 0); it; it = next(in, toolkit, it)) {
        text_append(to, CUBINS_TEXT, "%s%d.%d", before, it / 1000, it % 1000 / 10);
        before = " and ";
    }
    return to;
}
