/* Compiles the machine code for NVIDIA GPUs that the program contains: `make_cubins SOURCE ASSEMBLER DATA KEPT
 * NVRTC...` compiles every form of a kernel text (forms.h) for every common architecture, with the first of the given
 * compilers that knows it, at build time. It writes a table (SOURCE, in C), the code (DATA) and the file that includes
 * it (ASSEMBLER). The folder KEPT is a cache of compiled code. */

#include "bench/backends/cuda/cubins.h"
#include "bench/backends/cuda/embed/forms.h"
#include "harness/base/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int architectures[] = { 75, 80, 86, 89, 90, 100, 120 };
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures, COMPILERS_MAX = 4, KNOWN_MAX = 128, ALIGNED = 64 };

/* A compiler, and what distinguishes it from another of the same version. */
struct compiler {
    struct nvrtc nvrtc;
    int toolkit;
    char identity[64];
};

struct build {
    struct forms forms;
    struct compiler compiler[COMPILERS_MAX];
    unsigned compilers;
    int by[ARCHITECTURES]; /* the compiler for each; -1: none */
    const char *kept;
};

static bool print_error(const char *what, const char *why)
{
    fprintf(stderr, "cubins: %s: %s\n", what, why);
    return false;
}

/* --- compilers --- */

static bool compiler_open(struct compiler *out, const char *path)
{
    struct error err = { .status = STATUS_OK };
    struct stat is;
    char real[PATH_MAX]; /* a name without a folder would be searched for elsewhere */
    int major = 0, minor = 0;
    if (!realpath(path, real) || stat(real, &is) != 0)
        return print_error(path, strerror(errno));
    library_load_beside(real, "libnvrtc-builtins.so.*");
    void *library = dlopen(real, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return print_error(path, dlerror());
    if (!nvrtc_bind(&out->nvrtc, library, &err))
        return print_error(path, err.message);
    out->nvrtc.version(&major, &minor);
    out->toolkit = 1000 * major + 10 * minor;
    snprintf(out->identity, sizeof out->identity, "%d %lld %lld", out->toolkit, (long long)is.st_size,
             (long long)is.st_mtime);
    return true;
}

/* The first compiler that knows an architecture is used. The oldest come first: drivers accept the code of older
 * toolkits. NVRTC makes the same code here as in the program; a matmul takes it 0.16 s of processor time, nvcc 0.40. */
static bool compilers_open(struct build *build, unsigned count, char *paths[])
{
    for (unsigned k = 0; k < ARCHITECTURES; k++)
        build->by[k] = -1;
    for (unsigned i = 0; i < count && i < COMPILERS_MAX; i++) {
        int known[KNOWN_MAX];
        if (!compiler_open(&build->compiler[i], paths[i]))
            return false;
        build->compilers++;
        unsigned all = nvrtc_architectures(&build->compiler[i].nvrtc, known, KNOWN_MAX);
        for (unsigned k = 0; k < ARCHITECTURES; k++)
            for (unsigned a = 0; a < all; a++)
                if (build->by[k] < 0 && known[a] == architectures[k])
                    build->by[k] = (int)i;
    }
    return true;
}

/* --- one piece of code --- */

struct code {
    void *image;
    size_t bytes;
};

/* The file name is a hash of everything that the code is made from, so several builds may share the folder. */
static void kept_path(char to[PATH_MAX], const struct build *build, const struct form *form, unsigned architecture)
{
    char all[NVRTC_OPTIONS + 128];
    snprintf(all, sizeof all, "%016llx %d %s %s", (unsigned long long)cubins_hash(form->source, strlen(form->source)),
             architectures[architecture], build->compiler[build->by[architecture]].identity, form->options);
    snprintf(to, PATH_MAX, "%s/%016llx.cubin", build->kept, (unsigned long long)cubins_hash(all, strlen(all)));
}

static bool code_read(struct code *out, const char *path)
{
    struct stat is;
    FILE *file = fopen(path, "rb");
    bool ok = file && fstat(fileno(file), &is) == 0 && is.st_size > 0;
    out->bytes = ok ? (size_t)is.st_size : 0;
    out->image = ok ? malloc(out->bytes) : NULL;
    ok = out->image && fread(out->image, 1, out->bytes, file) == out->bytes;
    if (file)
        fclose(file);
    if (!ok)
        free(out->image);
    return ok;
}

/* Writes to another name first: nobody must find half a file. */
static bool code_write(const struct code *code, const char *path)
{
    char part[PATH_MAX + 32];
    snprintf(part, sizeof part, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(part, "wb");
    bool ok = file && fwrite(code->image, 1, code->bytes, file) == code->bytes;
    if (file)
        ok = fclose(file) == 0 && ok;
    return (ok && rename(part, path) == 0) || print_error(path, strerror(errno));
}

/* Also sets its time to now: it is still in use. */
static bool is_kept(const struct build *build, const struct form *form, unsigned architecture)
{
    char path[PATH_MAX];
    kept_path(path, build, form, architecture);
    return utimensat(AT_FDCWD, path, NULL, 0) == 0;
}

static bool make_one(const struct build *build, const struct form *form, unsigned architecture)
{
    char path[PATH_MAX];
    struct error err = { .status = STATUS_OK };
    struct code code = { 0 };
    kept_path(path, build, form, architecture);
    code.image = nvrtc_compile(&build->compiler[build->by[architecture]].nvrtc, form->source, form->options,
                               architectures[architecture], &code.bytes, &err);
    if (!code.image)
        fprintf(stderr, "cubins: %s for sm_%d with %s: %s\n", form->what, architectures[architecture], form->options,
                err.message);
    bool ok = code.image && code_write(&code, path);
    free(code.image);
    return ok;
}

/* --- all of them --- */

struct piece {
    const struct form *form;
    unsigned architecture;
};

/* The pieces that are not kept, to be freed; NULL when memory is short. */
static struct piece *pieces_missing(const struct build *build, unsigned *count)
{
    struct piece *piece = calloc(build->forms.count * ARCHITECTURES + 1, sizeof *piece);
    *count = 0;
    for (unsigned i = 0; piece && i < build->forms.count; i++)
        for (unsigned k = 0; k < ARCHITECTURES; k++)
            if (build->by[k] >= 0 && !is_kept(build, &build->forms.form[i], k))
                piece[(*count)++] = (struct piece){ &build->forms.form[i], k };
    return piece;
}

/* A process's share of the pieces. It writes a byte to the pipe for each piece done. */
static bool make_share(const struct build *build, const struct piece *piece, unsigned count, unsigned share,
                       unsigned shares, int done)
{
    for (unsigned i = share; i < count; i += shares)
        if (!make_one(build, piece[i].form, piece[i].architecture) || write(done, "", 1) != 1)
            return false;
    return true;
}

/* Prints a line for the user (scripts/setup.sh shows it) where the wait is long enough. */
static void print_start(unsigned count, unsigned shares)
{
    const double each = 0.35, worth = 5; /* seconds of processor time, and of waiting */
    if (each * count / shares >= worth)
        printf("bench: Making machine code for GPUs of NVIDIA: %u pieces, about %.0f s on %u processor%s, once.\n",
               count, each * count / shares, shares, shares > 1 ? "s" : "");
    fflush(stdout);
}

/* Reads until every process has closed its end. */
static void print_progress(int done, unsigned count)
{
    const bool on_terminal = isatty(STDOUT_FILENO);
    char byte;
    for (unsigned made = 0; read(done, &byte, 1) == 1;)
        if (++made % 10 == 0 || made == count) {
            printf("%u of %u pieces of machine code%c", made, count, on_terminal && made < count ? '\r' : '\n');
            fflush(stdout);
        }
}

static bool make_pieces(const struct build *build, const struct piece *piece, unsigned count)
{
    enum { SHARES_MAX = 64 };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned shares = processors < 1 ? 1 : processors > SHARES_MAX ? SHARES_MAX : (unsigned)processors;
    pid_t child[SHARES_MAX];
    int done[2];
    bool ok = true;
    if (pipe(done) != 0)
        return print_error("pipe", strerror(errno));
    print_start(count, shares);
    for (unsigned i = 0; i < shares; i++) {
        child[i] = fork();
        if (child[i] == 0)
            _exit(make_share(build, piece, count, i, shares, done[1]) ? 0 : 1);
        if (child[i] < 0)
            print_error("fork", strerror(errno));
    }
    close(done[1]);
    print_progress(done[0], count);
    close(done[0]);
    for (unsigned i = 0; i < shares; i++) {
        int status = 1;
        ok = child[i] > 0 && waitpid(child[i], &status, 0) == child[i] && status == 0 && ok;
    }
    return ok;
}

static bool make_all(const struct build *build)
{
    unsigned count;
    struct piece *piece = pieces_missing(build, &count);
    bool ok = piece && (count == 0 || make_pieces(build, piece, count));
    free(piece);
    return ok;
}

/* Removes files that no build has used for a month. */
static void remove_old(const struct build *build)
{
    const double month = 30 * 24 * 3600.0;
    char path[PATH_MAX];
    struct stat is;
    DIR *folder = opendir(build->kept);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", build->kept, entry->d_name);
        if (strstr(entry->d_name, ".cubin") && stat(path, &is) == 0 && difftime(time(NULL), is.st_mtime) > month)
            remove(path);
    }
    if (folder)
        closedir(folder);
}

/* --- output --- */

static void write_entry(FILE *source, const struct build *build, const struct form *form, unsigned architecture,
                        size_t start, const struct code *code)
{
    fprintf(source, "    { 0x%016llx, \"%s\", %d, %d, %zu, %zu, 0x%016llx },\n",
            (unsigned long long)cubins_hash(form->source, strlen(form->source)), form->options,
            architectures[architecture], build->compiler[build->by[architecture]].toolkit, start, code->bytes,
            (unsigned long long)cubins_hash(code->image, code->bytes));
}

static bool write_one(FILE *source, FILE *data, size_t *at, const struct build *build, const struct form *form,
                      unsigned architecture)
{
    static const char zeros[ALIGNED] = { 0 };
    char path[PATH_MAX];
    struct code code;
    kept_path(path, build, form, architecture);
    if (!code_read(&code, path))
        return print_error(path, "is gone");
    write_entry(source, build, form, architecture, *at, &code);
    size_t filler = (ALIGNED - code.bytes % ALIGNED) % ALIGNED;
    bool ok = fwrite(code.image, 1, code.bytes, data) == code.bytes && fwrite(zeros, 1, filler, data) == filler;
    *at += code.bytes + filler;
    free(code.image);
    return ok;
}

/* The code is not compressed. Similar pieces are adjacent: an archiver with a large window makes 0.6 MB of 14 MB, one
 * with a small window a third. */
static bool write_table(FILE *source, FILE *data, const struct build *build)
{
    size_t at = 0;
    unsigned count = 0;
    fprintf(source, "#include \"bench/backends/cuda/cubins.h\"\n\nextern const unsigned char cubins_data[];\n\n"
                    "static const struct cubin table[] = {\n");
    for (unsigned i = 0; i < build->forms.count; i++) {
        fprintf(source, "    /* %s */\n", build->forms.form[i].what);
        for (unsigned k = 0; k < ARCHITECTURES; k++)
            if (build->by[k] >= 0) {
                if (!write_one(source, data, &at, build, &build->forms.form[i], k))
                    return false;
                count++;
            }
    }
    fprintf(source, "};\n\nconst struct cubins cubins_built = { table, %u, cubins_data };\n", count);
    printf("%u forms of kernel texts, %u pieces of machine code, %.1f MB\n", build->forms.count, count,
           1e-6 * (double)at);
    return count > 0 || print_error("nothing to write", "no compiler knows any of the architectures");
}

static void write_assembler(FILE *to, const char *data)
{
    fprintf(to,
            "    .section .rodata\n    .balign %d\n    .globl cubins_data\n    .type cubins_data, %%object\n"
            "cubins_data:\n    .incbin \"%s\"\n    .size cubins_data, . - cubins_data\n"
            "    .section .note.GNU-stack, \"\", %%progbits\n",
            ALIGNED, data);
}

static bool write_all(const struct build *build, char *paths[3])
{
    FILE *file[3];
    bool ok = true;
    for (unsigned i = 0; i < 3; i++) {
        file[i] = fopen(paths[i], "wb");
        ok = file[i] && ok;
    }
    ok = ok && write_table(file[0], file[2], build);
    if (ok)
        write_assembler(file[1], paths[2]);
    for (unsigned i = 0; i < 3; i++)
        ok = file[i] && !ferror(file[i]) && fclose(file[i]) == 0 && ok;
    for (unsigned i = 0; i < 3 && !ok; i++)
        remove(paths[i]);
    return ok;
}

int main(int argc, char *argv[])
{
    struct build build = { 0 };
    if (argc < 6) {
        fprintf(stderr, "usage: make_cubins SOURCE ASSEMBLER DATA KEPT NVRTC...\n");
        return 2;
    }
    build.kept = argv[4];
    if (mkdir(build.kept, 0777) != 0 && errno != EEXIST)
        return !print_error(build.kept, strerror(errno));
    const char *only = getenv("CUBINS_ONLY"); /* a workload, for tests */
    bool ok = forms_collect(&build.forms, only) && compilers_open(&build, (unsigned)(argc - 5), argv + 5) &&
              make_all(&build) && write_all(&build, argv + 1);
    if (ok)
        remove_old(&build);
    forms_release(&build.forms);
    return ok ? 0 : 1;
}
