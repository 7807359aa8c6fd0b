/* Makes the PTX that the program contains: `make_ptx OUTPUT NVRTC` compiles every form of a kernel text at build time
 * and writes a table in C. A form is a text with the compiler's options for a problem size, a device size and a kernel
 * shape. There are many sizes and few forms. */

#include "bench/backends/cuda/ptx.h"
#include "bench/backends/cuda/nvrtc.h"
#include "bench/backends/registry.h"
#include "harness/base/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most workloads have the same forms at every size: those of the suites, and of the check of guard bands, whose size is
 * odd. These sizes have others. */
static const struct {
    const char *workload, *shape;
} more[] = {
    { "peak", "kind=read,bytes=1Mi" },               /* few rows */
    { "matmul", "m=256,n=256,k=8192" },              /* few blocks of C */
    { "matmul", "m=8192,n=1,k=8192" },               /* few columns */
    { "matmul", "m=1,n=8192,k=8192" },               /* few rows of C */
    { "conv", "n=32,c=64,h=56,w=56,k=256,r=1,s=1" }, /* compiled for each size; these are of ResNet-50 */
    { "conv", "n=32,c=128,h=28,w=28,k=128,r=3,s=3,pad=1" },
    { "conv", "n=32,c=256,h=14,w=14,k=256,r=3,s=3,pad=1" },
    { "conv", "n=32,c=512,h=7,w=7,k=512,r=3,s=3,pad=1" },
    { "conv", "n=32,c=3,h=224,w=224,k=64,r=7,s=7,stride=2,pad=3" },
};

/* What is written, and the keys of the forms in it. */
enum { FORMS_MAX = 1024 };
struct table {
    FILE *out;
    struct nvrtc nvrtc;
    uint64_t key[FORMS_MAX];
    unsigned count;
};

static bool print_error(const char *what, const char *why)
{
    fprintf(stderr, "make_ptx: %s: %s\n", what, why);
    return false;
}

static bool compiler_open(struct nvrtc *out, const char *path)
{
    struct error err = { .status = STATUS_OK };
    char real[PATH_MAX]; /* a name without a folder would be searched for elsewhere */
    if (!realpath(path, real))
        return print_error(path, "is not there");
    library_load_beside(real, "libnvrtc-builtins.so.*");
    void *library = dlopen(real, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return library ? nvrtc_bind(out, library, &err) || print_error(path, err.message) : print_error(path, dlerror());
}

static void write_string(FILE *out, const char *text)
{
    fputs("    \"", out);
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n\"\n    \"", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    fputs("\" },\n", out);
}

/* Not compressed: no library that the program needs can decompress. An archiver makes 0.4 MB of 12 MB. */
static bool add_form(struct table *to, const char *source, const char *options)
{
    struct error err = { .status = STATUS_OK };
    const uint64_t key = ptx_key(source, options);
    size_t bytes;
    for (unsigned i = 0; i < to->count; i++)
        if (to->key[i] == key)
            return true;
    if (to->count == FORMS_MAX)
        return print_error(options, "more forms of kernels than FORMS_MAX");
    char *ptx = nvrtc_compile(&to->nvrtc, source, options, NVRTC_PTX, PTX_ARCHITECTURE, &bytes, &err);
    if (!ptx)
        return print_error(options, err.message);
    to->key[to->count++] = key;
    fprintf(to->out, "    { 0x%016llx,\n", (unsigned long long)key);
    write_string(to->out, ptx);
    free(ptx);
    return true;
}

/* For each type, method and kernel shape. GPUs differ in which shape comes first, not in which there are. */
static bool add_size(struct table *to, const struct workload *workload, const char *shape)
{
    const struct device gpu = {
        .backend = "cuda", .platform = "NVIDIA CUDA", .architecture = "nvidia 9.0", .class = CLASS_DGPU, .units = 132
    };
    struct error why = { .status = STATUS_OK };
    struct problem problem;
    struct launch launch;
    char options[NVRTC_OPTIONS];
    bool ok = true;
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        if (!(workload->dtypes & 1u << dtype) || !problem_parse(&problem, workload, (enum dtype)dtype, shape, &why))
            continue;
        for (const struct method *method = workload->methods; method->name; method++) {
            const struct portable *portable = method->portable;
            const unsigned shapes =
                portable && method_is_for(method, &problem) ? method_kernel_shapes(method, &problem, &gpu) : 0;
            for (unsigned i = 0; i < shapes && ok; i++) {
                portable->launch(&problem, &gpu, i, &launch);
                if (nvrtc_options(&problem, portable, &launch, options, NULL)) /* else no kernel has this type */
                    ok = add_form(to, portable->source, options);
            }
        }
    }
    return ok;
}

static bool add_workload(struct table *to, const struct workload *workload)
{
    bool ok = !workload->small || add_size(to, workload, workload->small);
    for (unsigned i = 0; workload->suite_sizes[i].shape; i++)
        ok = ok && add_size(to, workload, workload->suite_sizes[i].shape);
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++)
        if (strcmp(more[i].workload, workload->name) == 0)
            ok = ok && add_size(to, workload, more[i].shape);
    return ok;
}

/* So many forms are about half a minute. */
static bool table_write(struct table *to)
{
    const char *only = getenv("PTX_ONLY"); /* a workload, for tests */
    int major = 0, minor = 0;
    bool ok = true;
    printf("bench: Compiling kernels for NVIDIA GPUs, once.\n");
    fflush(stdout);
    to->nvrtc.version(&major, &minor);
    fprintf(to->out,
            "/* By NVRTC %d.%d. */\n#include \"bench/backends/cuda/ptx.h\"\n\n"
            "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
            "static const struct ptx_piece table[] = {\n",
            major, minor);
    for (unsigned i = 0; workloads[i] && ok; i++)
        if (workloads[i]->methods && (!only || strcmp(workloads[i]->name, only) == 0))
            ok = add_workload(to, workloads[i]);
    fprintf(to->out, "};\n\nconst struct ptx ptx_built = { table, %u, %d };\n", to->count, 1000 * major + 10 * minor);
    return ok;
}

int main(int argc, char *argv[])
{
    if (argc != 3) {
        fprintf(stderr, "usage: make_ptx OUTPUT NVRTC\n");
        return 2;
    }
    struct table *table = calloc(1, sizeof *table);
    if (!table || !compiler_open(&table->nvrtc, argv[2]))
        return 1;
    table->out = fopen(argv[1], "w");
    if (!table->out)
        return !print_error(argv[1], "cannot be written");
    bool ok = table_write(table) && (!ferror(table->out) || print_error(argv[1], "was not written"));
    ok = fclose(table->out) == 0 && ok;
    if (!ok)
        remove(argv[1]);
    free(table);
    return ok ? 0 : 1;
}
