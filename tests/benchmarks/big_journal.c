/* Writes a made-up journal of so many cells, the same bytes on every machine: what reports of large journals are timed
 * on. Usage: big_journal [CELLS [ROUNDS [RUNS]]]
 *
 * Each problem is measured on a processor and on a GPU in three kinds of memory, with the lines, members and lengths
 * that a run writes: peaks, races, first runs, checks, states, slices of two series in turn, stops, outcomes, a
 * note here and there, and now and then a cell that failed. */

#include "tests/support/generator.h"

#include <stdio.h>
#include <stdlib.h>

enum { CELLS_OF_A_PROBLEM = 4, KEY_ROOM = 256 };

struct shape {
    const char *workload, *format;
    double flops, bytes; /* for each step of the size */
};

static const struct shape shapes[] = {
    { "multiply", "n=%u", 1, 12 },
    { "matmul", "m=64,n=64,k=%u", 2 * 64 * 64, 4 * 64 * 2 },
    { "conv", "n=%u,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1", 231e6, 1.6e6 },
};
static const char *const memories[CELLS_OF_A_PROBLEM] = { "pageable", "pageable", "pinned", "mapped" };

/* One cell on its way out. */
struct cell {
    char key[KEY_ROOM], block[KEY_ROOM / 2], shape[KEY_ROOM / 2], baseline[KEY_ROOM];
    const char *workload, *method, *memory, *device, *place;
    double flops, bytes, run, upload; /* seconds of a run and of an upload */
};

static void head(void)
{
    puts("{\"line\":\"journal\",\"schema\":\"bench-journal/3\",\"version\":\"0.1.0\",\"started\":\"2026-01-02T03:04:"
         "05Z\",\"command\":[\"bench\",\"run\"],\"seed\":\"1\",\"options\":{\"device\":[\"all\"],\"precision\":0.02},"
         "\"host\":{\"name\":\"A processor that was made up\",\"vendor\":\"GenuineIntel\",\"cores\":8,\"threads\":16,"
         "\"worker_nodes\":1,\"memory\":68719476736.0,\"clock\":3.1e9},\"libraries\":{\"jansson\":\"2.14\"}}");
    puts("{\"line\":\"device\",\"id\":\"cpu\",\"key\":\"cpu\",\"backend\":\"cpu\",\"source\":\"\",\"index\":0,"
         "\"name\":\"A processor that was made up\",\"class\":\"CPU\",\"units\":8,\"memory\":68719476736.0,"
         "\"shares_host_memory\":true,\"works_in_host_memory\":true,\"computes\":[\"f32\",\"f64\"],\"silicon\":"
         "\"cpu\",\"threads\":8}");
    puts("{\"line\":\"device\",\"id\":\"opencl:0\",\"key\":\"opencl/Maker/Model/0000:01:00.0\",\"backend\":\"opencl\","
         "\"source\":\"/etc/OpenCL/vendors/maker.icd\",\"index\":0,\"name\":\"A GPU that was made up\",\"class\":"
         "\"dGPU\",\"units\":40,\"clock\":1.8e9,\"clock_origin\":\"reported maximum\",\"memory\":8589934592.0,"
         "\"computes\":[\"f32\",\"f64\"],\"silicon\":\"pci 0000:01:00.0\"}");
    puts("{\"line\":\"absent\",\"backend\":\"opencl\",\"source\":\"/etc/OpenCL/vendors/other.icd\",\"status\":"
         "\"unsupported\",\"reason\":\"other: a platform without devices\"}");
}

static long long around(struct generator *g, double seconds)
{
    return llround(1e9 * seconds * (1 + 0.02 * fabs(normal(g))));
}

static void times(struct generator *g, const char *name, double seconds, unsigned runs)
{
    printf("\"%s\":[", name);
    for (unsigned i = 0; i < runs; i++)
        printf("%s%lld", i ? "," : "", around(g, seconds));
    putchar(']');
}

static void slice(struct generator *g, const struct cell *cell, const char *series, unsigned turn, unsigned runs)
{
    bool is_away = cell->upload > 0, is_copied = *series == 'c';
    printf("{\"line\":\"slice\",\"series\":\"%s\",\"discarded\":1,\"cpu_ns\":%lld,\"elapsed_ns\":%lld,", series,
           around(g, 0.07), around(g, 0.08));
    times(g, "wall_ns", cell->run + (is_copied ? 2 * cell->upload : 0), runs);
    putchar(',');
    if (is_away && !is_copied) {
        times(g, "event_ns", 0.93 * cell->run, runs);
        putchar(',');
        times(g, "enqueue_ns", 2e-5, runs);
    } else {
        printf("\"event_ns\":null,\"enqueue_ns\":null");
    }
    if (is_copied) {
        printf(",\"phases\":{");
        times(g, "upload_ns", cell->upload, runs);
        putchar(',');
        times(g, "compute_ns", cell->run, runs);
        putchar(',');
        times(g, "download_ns", cell->upload / 2, runs);
        putchar('}');
    }
    printf(",\"cell\":\"%s\",\"number\":%u,\"at_ns\":%llu}\n", cell->key, turn, 1000000000ULL + 80000000ULL * g->next);
}

static void state(struct generator *g, const struct cell *cell, const char *when)
{
    printf("{\"clock\":%.17g,\"steal\":%.17g,\"busy\":%.17g,\"idle\":%.17g,\"own\":%.17g,\"pressure\":0.74,"
           "\"temperature\":61.5,\"overheated\":0,\"load\":1.11,\"throttled\":0.0,\"swap_used\":0.0,\"swapped\":0.0,"
           "\"governor\":\"performance\",\"on_battery\":false,\"when\":\"%s\",\"probes_ns\":%lld,"
           "\"line\":\"state\",\"cell\":\"%s\"}\n",
           3.1e9 * (1 + 0.01 * uniform(g)), uniform(g), 1000 + uniform(g), 8000 + uniform(g), 500 + uniform(g), when,
           around(g, 0.005), cell->key);
}

static void verify(const struct cell *cell, const char *pass)
{
    printf("{\"checks\":[{\"name\":\"guard\",\"checked\":1000,\"of\":1000,\"smallest_error\":3.814697265625e-6,"
           "\"largest_error\":0.0,\"weak\":false},{\"name\":\"random\",\"checked\":65536,\"of\":100000,"
           "\"smallest_error\":1.2345678901234567e-5,\"largest_error\":1.1e-6,\"weak\":false}],\"run_ns\":5183853,"
           "\"pass\":\"%s\",\"line\":\"verify\",\"cell\":\"%s\"}\n",
           pass, cell->key);
}

static void outcome(const struct cell *cell, const char *status, const char *reason)
{
    printf("{\"line\":\"outcome\",\"cell\":\"%s\",\"status\":\"%s\",\"where\":\"\",\"reason\":\"%s\",\"log\":\"\"}\n",
           cell->key, status, reason);
}

static void begin(struct generator *g, const struct cell *cell)
{
    printf(
        "{\"line\":\"cell\",\"key\":\"%s\",\"block\":\"%s\",\"device\":\"%s\",\"workload\":\"%s\",\"dtype\":\"f32\","
        "\"shape\":\"%s\",\"method\":\"%s\",\"memory\":\"%s\",\"flops\":%.1f,\"bytes\":%.1f,\"held\":%.1f,"
        "\"fast_algorithm\":false,\"cold\":false,\"baseline\":\"%s\",\"repro\":\"bench run --device %s --workload %s "
        "--dtype f32 --size %s --memory %s --method %s --budget 0.5s\",\"launches\":1}\n",
        cell->key, cell->block, cell->device, cell->workload, cell->shape, cell->method, cell->memory, cell->flops,
        cell->bytes, cell->bytes, cell->baseline, cell->device, cell->workload, cell->shape, cell->memory,
        cell->method);
    printf("{\"open_ns\":%lld,\"alloc_ns\":%lld,\"compile_ns\":%lld,\"upload_ns\":%lld,\"repack_ns\":null,\"run_ns\":"
           "%lld,\"download_ns\":%lld,\"map_ns\":null,\"detail\":\"width 16, non-temporal stores\",\"wait\":\"driver\","
           "\"memory_cost\":{\"device_operands\":%.0f,\"host_operands\":0,\"context_host\":76304384,\"held_twice\":0,"
           "\"repacked\":0,\"peak_host\":96247808,\"largest_node\":null},\"memory_node\":null,\"probes_ns\":83076,"
           "\"cache\":\"kept\",\"environment\":{\"OMP_NUM_THREADS\":\"8\",\"OMP_PLACES\":\"cores\"},\"line\":\"first\","
           "\"cell\":\"%s\"}\n",
           around(g, 0.04), around(g, 7e-4), around(g, 0.044), around(g, cell->upload), around(g, cell->run),
           around(g, cell->upload), cell->bytes, cell->key);
    verify(cell, "before");
    state(g, cell, "before");
}

static void end(struct generator *g, const struct cell *cell, unsigned number)
{
    static const char *const series[] = { "resident", "copied" };
    for (unsigned i = 0; i < (cell->upload > 0 ? 2 : 1); i++)
        printf("{\"line\":\"stop\",\"cell\":\"%s\",\"series\":\"%s\",\"reason\":\"precise\"}\n", cell->key, series[i]);
    state(g, cell, "after");
    verify(cell, "after");
    if (number % 50 == 7)
        printf("{\"line\":\"note\",\"cell\":\"%s\",\"text\":\"the worker died once and was started again\"}\n",
               cell->key);
    outcome(cell, "ok", "");
}

static void race(struct generator *g, const struct cell *cell)
{
    static const char *const methods[] = { "portable", "clblast" };
    printf("{\"line\":\"race\",\"block\":\"%s\",\"device\":\"opencl:0\",\"memory\":\"pinned\",\"dtype\":\"f32\","
           "\"for\":\"resident\",\"rounds\":12,\"origin\":\"tuned\",\"contenders\":[",
           cell->block);
    for (unsigned i = 0; i < 2; i++)
        printf("%s{\"method\":\"%s\",\"kernel_shape\":\"\",\"status\":\"ok\",\"rounds\":12,\"ratio\":1,\"end\":\"%s\","
               "\"wall_ns\":%lld,\"first_ns\":%lld,\"where\":\"\",\"reason\":\"\"}",
               i > 0 ? "," : "", methods[i], i > 0 ? "tied" : "measured", around(g, cell->run), around(g, 0.03));
    printf("]}\n");
}

static void cell_make(struct cell *out, const struct shape *shape, unsigned size, unsigned place)
{
    static const char *const devices[] = { "cpu", "opencl/Maker/Model/0000:01:00.0" };
    bool is_away = place > 0;
    double work = fmax(shape->flops * size / 1e12, shape->bytes * size / 1e11) + 1e-5;
    snprintf(out->shape, sizeof out->shape, shape->format, size);
    snprintf(out->block, sizeof out->block, "%s/f32/%.90s", shape->workload, out->shape);
    snprintf(out->baseline, sizeof out->baseline, "%s/native/pageable@cpu", out->block);
    out->workload = shape->workload;
    out->method = is_away ? "portable" : "native";
    out->memory = memories[place];
    out->device = is_away ? "opencl:0" : "cpu";
    snprintf(out->key, sizeof out->key, "%s/%s/%s@%s", out->block, out->method, out->memory, devices[is_away]);
    out->flops = shape->flops * size;
    out->bytes = shape->bytes * size;
    out->run = is_away ? work / 3 : work;
    out->upload = is_away ? out->bytes / 1e10 + 1e-5 : 0;
}

static void problem(unsigned number, unsigned cells, unsigned rounds, unsigned runs)
{
    static struct cell cell[CELLS_OF_A_PROBLEM];
    struct generator g = { .seed = 1, .run = number };
    const struct shape *shape = &shapes[number % (sizeof shapes / sizeof *shapes)];
    for (unsigned i = 0; i < cells; i++)
        cell_make(&cell[i], shape, 8 + number, i);
    race(&g, &cell[0]);
    for (unsigned i = 0; i < cells; i++)
        begin(&g, &cell[i]);
    bool has_failed = number % 100 == 99;
    if (has_failed)
        outcome(&cell[cells - 1], "failed", "clFinish: out of resources (-5)");
    unsigned live = cells - has_failed, turn = 0;
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 1; i < live || i == 1; i++) {
            slice(&g, &cell[0], "resident", turn++, runs);
            if (i >= live)
                continue;
            slice(&g, &cell[i], "resident", turn++, runs);
            slice(&g, &cell[i], "copied", turn++, runs);
        }
    for (unsigned i = 0; i < live; i++)
        end(&g, &cell[i], number * CELLS_OF_A_PROBLEM + i);
}

/* What the others are held against: multiply-adds, and memory of each size. */
static void peaks(unsigned rounds, unsigned runs)
{
    static const char *const kinds[] = { "flops", "bandwidth", "bandwidth", "bandwidth", "bandwidth" };
    static struct cell cell;
    struct generator g = { .seed = 2 };
    for (unsigned i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        unsigned kind = i / 2;
        cell_make(&cell, &shapes[0], 1000 << 4 * kind, i % 2);
        snprintf(cell.key, sizeof cell.key, "peak/f32/kind=%u/portable/%s", kind, cell.device);
        printf(
            "{\"line\":\"cell\",\"key\":\"%s\",\"block\":\"peak/f32/kind=%u\",\"device\":\"%s\",\"workload\":\"peak\","
            "\"dtype\":\"f32\",\"shape\":\"kind=%u\",\"method\":\"portable\",\"memory\":\"%s\",\"flops\":%.1f,"
            "\"bytes\":%.1f,\"held\":%.1f,\"baseline\":\"\",\"launches\":1,\"ceiling\":true,\"roof\":\"%s\"}\n",
            cell.key, kind, cell.device, kind, cell.memory, cell.flops, cell.bytes, cell.bytes, kinds[kind]);
        for (unsigned round = 0; round < rounds; round++)
            slice(&g, &cell, "resident", round, runs);
        outcome(&cell, "ok", "");
    }
}

static unsigned argument(int argc, char *argv[], int at, unsigned fallback)
{
    return argc > at ? (unsigned)strtoul(argv[at], NULL, 10) : fallback;
}

int main(int argc, char *argv[])
{
    unsigned cells = argument(argc, argv, 1, 10000), rounds = argument(argc, argv, 2, 8),
             runs = argument(argc, argv, 3, 6);
    head();
    peaks(rounds, runs);
    for (unsigned first = 0; first < cells; first += CELLS_OF_A_PROBLEM)
        problem(first / CELLS_OF_A_PROBLEM, cells - first < CELLS_OF_A_PROBLEM ? cells - first : CELLS_OF_A_PROBLEM,
                rounds, runs);
    puts("{\"line\":\"end\",\"status\":\"complete\",\"elapsed_ns\":3600000000000,\"probes_ns\":299751049}");
    return fflush(stdout) == 0 ? 0 : 1;
}
