#include "harness/machine/cpu_limit.h"

#include "harness/machine/host.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether this processor has more than a value of ONEDNN_MAX_CPU_ISA allows ("CPU Dispatcher Control" of oneDNN's
 * guide). Unknown values have no effect. */
static bool lowers_isa(const char *value, unsigned threads)
{
    static const char *const below_avx512[] = { "SSE41", "AVX", "AVX2", "AVX2_VNNI", "AVX2_VNNI_2" };
    enum { BELOW_AVX2 = 2, VALUES = sizeof below_avx512 / sizeof *below_avx512 };
    unsigned place = 0;
    while (place < VALUES && strcasecmp(value, below_avx512[place]) != 0)
        place++;
    return place < BELOW_AVX2 ? strcmp(host_isa(), "baseline") != 0
                              : place < VALUES && strcmp(host_isa(), "avx512") == 0;
}

static bool prefers_narrow(const char *value, unsigned threads)
{
    return strcasecmp(value, "PREFER_YMM") == 0 && strcmp(host_isa(), "avx512") == 0;
}

static bool is_fewer(const char *value, unsigned threads)
{
    char *end;
    long limit = strtol(value, &end, 10);
    return end != value && limit > 0 && (unsigned long)limit < threads;
}

static bool replaces_openmp(const char *value, unsigned threads)
{
    return strstr(value, "omp") != NULL;
}

unsigned cpu_limits(struct cpu_limit out[CPU_LIMITS_MAX], char *(*variable)(const char *name), unsigned threads)
{
    static const struct {
        const char *name;
        bool (*holds_back)(const char *value, unsigned threads);
        const char *effect;
    } known[] = {
        { "ONEDNN_MAX_CPU_ISA", lowers_isa, "keeps oneDNN from wider instruction sets" },
        { "DNNL_MAX_CPU_ISA", lowers_isa, "keeps oneDNN from wider instruction sets" },
        { "ONEDNN_CPU_ISA_HINTS", prefers_narrow, "keeps oneDNN from 512-bit vectors" },
        { "DNNL_CPU_ISA_HINTS", prefers_narrow, "keeps oneDNN from 512-bit vectors" },
        { "OMP_THREAD_LIMIT", is_fewer, "leaves cores unused" },
        { "LD_PRELOAD", replaces_openmp, "replaces the OpenMP runtime: the CPU may be slower" },
    };
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        const char *value = variable(known[i].name);
        if (!value || !known[i].holds_back(value, threads))
            continue;
        out[count].variable = known[i].name;
        snprintf(out[count].effect, sizeof out[count].effect, "%s=%.16s %s", known[i].name, value, known[i].effect);
        count++;
    }
    return count;
}
