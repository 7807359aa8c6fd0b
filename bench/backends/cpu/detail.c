#include "bench/backends/cpu/cpu.h"

#include "harness/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* How a method runs, beside its name: ", computed in f32, huge pages, 2 threads". */

/* Share of the resident memory of a buffer that is on huge pages, in [0, 1], by the kernel's count. */
static double huge_share(const struct buffer *buffer)
{
    FILE *smaps = fopen("/proc/self/smaps", "r");
    if (!smaps)
        return 0;
    /* The kernel may have joined a mapping to its neighbours: the share is that of all mappings the buffer lies in. */
    uintptr_t begin = (uintptr_t)buffer->memory, end = begin + buffer->mapped;
    double resident = 0, huge = 0;
    bool is_ours = false;
    char line[512];
    while (fgets(line, sizeof line, smaps)) {
        uintptr_t from, to;
        double kilobytes;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
            is_ours = from < end && to > begin;
        else if (is_ours && sscanf(line, "Rss: %lf kB", &kilobytes) == 1)
            resident += kilobytes;
        else if (is_ours && sscanf(line, "AnonHugePages: %lf kB", &kilobytes) == 1)
            huge += kilobytes;
    }
    fclose(smaps);
    return resident > 0 ? huge / resident : 0;
}

/* "huge pages", "4 KiB pages", or for a mixture the share that is huge, of the operands' buffers. */
static void pages_describe(char *to, size_t room, const struct job *job)
{
    double bytes = 0, huge = 0;
    for (unsigned i = 0; i < OPERANDS_MAX && job->operand[i].buffer; i++) {
        const struct buffer *buffer = job->operand[i].buffer;
        bytes += (double)buffer->mapped;
        huge += (double)buffer->mapped * huge_share(buffer);
    }
    double share = bytes > 0 ? huge / bytes : 0;
    if (share > 0.01 && share < 0.99)
        snprintf(to, room, "%.0f %% on huge pages", 100 * share);
    else if (share >= 0.99)
        snprintf(to, room, "huge pages");
    else
        snprintf(to, room, "%ld KiB pages", sysconf(_SC_PAGESIZE) / 1024);
}

void cpu_detail_append(char detail[DETAIL_MAX], const struct job *job, enum dtype computed, unsigned threads)
{
    char arithmetic[24] = "", pages[40], count[24] = "threads unknown";
    if (computed != job->problem->dtype)
        snprintf(arithmetic, sizeof arithmetic, ", computed in %s", dtype_name(computed));
    pages_describe(pages, sizeof pages, job);
    if (threads > 0)
        snprintf(count, sizeof count, "%u thread%s", threads, threads == 1 ? "" : "s");
    text_append(detail, DETAIL_MAX, "%s, %s, %s", arithmetic, pages, count);
}
