#include "bench/backends/cpu/cpu.h"

#include "harness/base/pages.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <inttypes.h>
#include <stdio.h>

/* How a method runs, beside its name: ", computed in f32, huge pages, 2 threads". */

static bool is_of_operands(const struct job *job, uintptr_t from, uintptr_t to)
{
    for (unsigned i = 0; i < OPERANDS_MAX && job->operand[i].buffer; i++) {
        const struct buffer *buffer = job->operand[i].buffer;
        const uintptr_t begin = (uintptr_t)buffer->memory;
        if (from < begin + buffer->mapped && to > begin)
            return true;
    }
    return false;
}

/* Share of the operands' resident memory that is on huge pages, in [0, 1], by the kernel's count. It may have joined a
 * mapping to its neighbours: the share is that of all mappings that operands lie in. */
static double huge_share(const struct job *job)
{
    FILE *smaps = host_open("", "/proc/self/smaps");
    double resident = 0, huge = 0, kilobytes;
    bool is_ours = false;
    char line[512];
    while (smaps && fgets(line, sizeof line, smaps)) {
        uintptr_t from, to;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
            is_ours = is_of_operands(job, from, to);
        else if (is_ours && sscanf(line, "Rss: %lf kB", &kilobytes) == 1)
            resident += kilobytes;
        else if (is_ours && sscanf(line, "AnonHugePages: %lf kB", &kilobytes) == 1)
            huge += kilobytes;
    }
    if (smaps)
        fclose(smaps);
    return resident > 0 ? huge / resident : 0;
}

void cpu_detail_append(char detail[DETAIL_MAX], const struct job *job, enum dtype computed, unsigned threads)
{
    char arithmetic[24] = "", pages[40] = "huge pages", count[24] = "threads unknown";
    const double share = huge_share(job);
    if (computed != job->problem->dtype)
        snprintf(arithmetic, sizeof arithmetic, ", computed in %s", dtype_name(computed));
    if (share < 0.01)
        snprintf(pages, sizeof pages, "%zu KiB pages", pages_size() / 1024);
    else if (share < 0.99)
        snprintf(pages, sizeof pages, "%.0f %% on huge pages", 100 * share);
    if (threads > 0)
        snprintf(count, sizeof count, "%u thread%s", threads, threads == 1 ? "" : "s");
    text_append(detail, DETAIL_MAX, "%s, %s, %s", arithmetic, pages, count);
}
