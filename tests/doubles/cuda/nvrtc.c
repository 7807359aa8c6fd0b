/* A libnvrtc.so.12 for tests. It compiles kernel texts for the host with the host's C++ compiler, so that the driver's
 * double can launch them. Its machine code is a shared library with its length in front;
 * its PTX is that in hexadecimal. CUDA_DOUBLE_CACHE names a
 * folder for compiled code; CUDA_DOUBLE_ARCHITECTURE is the only architecture that it knows, 90 for sm_90; with
 * CUDA_DOUBLE_BUILTINS it lacks the library that the real one loads when it compiles. */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_OPTION = 5, COMPILATION = 6, BUILTINS_FAILED = 7 };

struct program {
    char *source, *code, *log;
    size_t code_bytes;
};

int nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 4;
    return SUCCESS;
}

static const int architectures[] = { 50, 60, 70, 75, 80, 86, 89, 90, 100, 120 };

int nvrtcGetNumSupportedArchs(int *count)
{
    *count = getenv("CUDA_DOUBLE_ARCHITECTURE") ? 1 : sizeof architectures / sizeof *architectures;
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int *out)
{
    const char *only = getenv("CUDA_DOUBLE_ARCHITECTURE");
    if (only)
        *out = atoi(only);
    else
        memcpy(out, architectures, sizeof architectures);
    return SUCCESS;
}

int nvrtcCreateProgram(struct program **program, const char *source, const char *name, int headers,
                       const char *const *texts, const char *const *names)
{
    *program = calloc(1, sizeof **program);
    if (*program)
        (*program)->source = strdup(source);
    return *program && (*program)->source ? SUCCESS : OUT_OF_MEMORY;
}

/* Reads the whole file; leaves `before` bytes free in front of it. */
static char *file_read(const char *path, size_t before, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *all = NULL;
    *bytes = 0;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        *bytes = (size_t)ftell(file);
        rewind(file);
        all = calloc(before + *bytes + 1, 1);
        if (all && fread(all + before, 1, *bytes, file) != *bytes)
            *bytes = 0;
    }
    if (file)
        fclose(file);
    return all;
}

static bool source_write(const char *path, const char *source)
{
    FILE *file = fopen(path, "w");
    bool ok = file && fprintf(file, "#include \"%s\"\n%s", CUDA_ON_HOST, source) > 0;
    return file && fclose(file) == 0 && ok;
}

/* Of the options only definitions; the others are for real GPUs. */
static int compiler_run(const char *folder, int count, const char *const *options)
{
    char source[400], code[400], log[400];
    const char *words[64] = { "c++", "-x", "c++", "-std=c++14", "-O1", "-w", "-shared", "-fPIC", "-o", code, source };
    int used = 11;
    snprintf(source, sizeof source, "%s/kernel.cu", folder);
    snprintf(code, sizeof code, "%s/code", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    for (int i = 0; i < count && used < 62; i++)
        if (strncmp(options[i], "-D", 2) == 0)
            words[used++] = options[i];
    posix_spawn_file_actions_t actions; /* no fork(): LLVM's OpenMP fails in the child of a process with its threads */
    pid_t child = -1;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const bool has_begun = posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return has_begun && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

static void folder_remove(const char *folder)
{
    static const char *const names[] = { "kernel.cu", "code", "log" };
    char path[400];
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static uint64_t hash(uint64_t seed, const char *text)
{
    for (; *text; text++)
        seed = (seed ^ (unsigned char)*text) * 0x100000001b3u; /* FNV-1a */
    return seed;
}

/* The file for the code of this text and these options; false where there is no cache. */
static bool kept_path(char *to, size_t room, const char *source, int count, const char *const *options)
{
    const char *folder = getenv("CUDA_DOUBLE_CACHE");
    size_t bytes;
    char *header = file_read(CUDA_ON_HOST, 0, &bytes);
    uint64_t key = hash(hash(0xcbf29ce484222325u, header ? header : ""), source);
    free(header);
    for (int i = 0; i < count; i++)
        key = hash(hash(key, " "), options[i]);
    if (folder && (mkdir(folder, 0755) == 0 || errno == EEXIST))
        snprintf(to, room, "%s/%016llx", folder, (unsigned long long)key);
    return folder != NULL;
}

static int compile_anew(struct program *program, int count, const char *const *options, const char *kept)
{
    char folder[320], path[400];
    size_t log_bytes;
    snprintf(folder, sizeof folder, "%s.XXXXXX", kept ? kept : "/tmp/cuda_double");
    if (!mkdtemp(folder))
        return 126;
    snprintf(path, sizeof path, "%s/kernel.cu", folder);
    int status = source_write(path, program->source) ? compiler_run(folder, count, options) : 126;
    snprintf(path, sizeof path, "%s/log", folder);
    program->log = file_read(path, 0, &log_bytes);
    snprintf(path, sizeof path, "%s/code", folder);
    program->code = status == 0 ? file_read(path, sizeof(uint64_t), &program->code_bytes) : NULL;
    if (program->code && kept)
        rename(path, kept);
    folder_remove(folder);
    return status;
}

int nvrtcCompileProgram(struct program *program, int count, const char *const *options)
{
    char kept[300];
    const char *only = getenv("CUDA_DOUBLE_ARCHITECTURE");
    if (only && strcmp(strrchr(options[0], '_') + 1, only) != 0)
        return INVALID_OPTION;
    if (getenv("CUDA_DOUBLE_BUILTINS"))
        return BUILTINS_FAILED;
    const bool keeps = kept_path(kept, sizeof kept, program->source, count, options);
    if (keeps && access(kept, R_OK) == 0)
        program->code = file_read(kept, sizeof(uint64_t), &program->code_bytes);
    else
        compile_anew(program, count, options, keeps ? kept : NULL);
    if (!program->code)
        return COMPILATION;
    const uint64_t bytes = program->code_bytes;
    memcpy(program->code, &bytes, sizeof bytes);
    return SUCCESS;
}

int nvrtcGetProgramLogSize(struct program *program, size_t *bytes)
{
    *bytes = program->log ? strlen(program->log) + 1 : 1;
    return SUCCESS;
}

int nvrtcGetProgramLog(struct program *program, char *log)
{
    strcpy(log, program->log ? program->log : "");
    return SUCCESS;
}

int nvrtcGetCUBINSize(struct program *program, size_t *bytes)
{
    *bytes = program->code_bytes + sizeof(uint64_t);
    return SUCCESS;
}

int nvrtcGetCUBIN(struct program *program, char *code)
{
    memcpy(code, program->code, program->code_bytes + sizeof(uint64_t));
    return SUCCESS;
}

/* The machine code in hexadecimal, which the driver's double turns back into machine code. */
static const char ptx_head[] = "// double\n";

int nvrtcGetPTXSize(struct program *program, size_t *bytes)
{
    *bytes = strlen(ptx_head) + 2 * (program->code_bytes + sizeof(uint64_t)) + 1;
    return SUCCESS;
}

int nvrtcGetPTX(struct program *program, char *text)
{
    text += sprintf(text, "%s", ptx_head);
    for (size_t i = 0; i < program->code_bytes + sizeof(uint64_t); i++)
        text += sprintf(text, "%02x", (unsigned char)program->code[i]);
    return SUCCESS;
}

int nvrtcDestroyProgram(struct program **program)
{
    free((*program)->source);
    free((*program)->code);
    free((*program)->log);
    free(*program);
    *program = NULL;
    return SUCCESS;
}

const char *nvrtcGetErrorString(int code)
{
    return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : code == OUT_OF_MEMORY ? "NVRTC_ERROR_OUT_OF_MEMORY" : "?";
}
