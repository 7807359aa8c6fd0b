#include "bench/backends/common/portions.h"
#include "bench/backends/cuda/cuda.h"
#include "bench/backends/cuda/library.h"
#include "harness/library.h"
#include "harness/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nvrtc_program;

/* NVRTC as far as it is called, by its reference manual. 0 stands for success. The option that may be invalid is the
 * GPU's architecture: the rest are ours. */
enum { INVALID_OPTION = 5 };
struct nvrtc {
    int (*version)(int *major, int *minor);
    int (*create)(struct nvrtc_program **program, const char *source, const char *name, int headers,
                  const char *const *texts, const char *const *names);
    int (*compile)(struct nvrtc_program *program, int count, const char *const *options);
    int (*log_bytes)(struct nvrtc_program *program, size_t *bytes);
    int (*log)(struct nvrtc_program *program, char *log);
    int (*code_bytes)(struct nvrtc_program *program, size_t *bytes);
    int (*code)(struct nvrtc_program *program, char *code);
    int (*destroy)(struct nvrtc_program **program);
    const char *(*error_text)(int code);
};

static const struct library_symbol symbols[] = {
    { "nvrtcVersion", offsetof(struct nvrtc, version) },
    { "nvrtcCreateProgram", offsetof(struct nvrtc, create) },
    { "nvrtcCompileProgram", offsetof(struct nvrtc, compile) },
    { "nvrtcGetProgramLogSize", offsetof(struct nvrtc, log_bytes) },
    { "nvrtcGetProgramLog", offsetof(struct nvrtc, log) },
    { "nvrtcGetCUBINSize", offsetof(struct nvrtc, code_bytes) },
    { "nvrtcGetCUBIN", offsetof(struct nvrtc, code) },
    { "nvrtcDestroyProgram", offsetof(struct nvrtc, destroy) },
    { "nvrtcGetErrorString", offsetof(struct nvrtc, error_text) },
    { 0 },
};

/* "sm_90" is 90. */
static int architecture_of(const struct session *session)
{
    return 10 * cuda_attribute(&session->driver, session->ordinal, CUDA_CAPABILITY_MAJOR) +
           cuda_attribute(&session->driver, session->ordinal, CUDA_CAPABILITY_MINOR);
}

/* Machine code of a newer toolkit is refused by an older driver, and CUDA 13 makes none for devices before 7.5 (its
 * release notes). */
static bool majors_for(const struct session *session, unsigned majors[3], struct error *err)
{
    const int oldest_of_13 = 75;
    int version = 0;
    unsigned count = 0;
    session->driver.version(&version);
    if (version < 12000)
        return fail(err, STATUS_UNSUPPORTED,
                    "the NVIDIA driver is of CUDA %d.%d, and takes no machine code of CUDA 12 and later: a newer "
                    "driver is needed",
                    version / 1000, version % 1000 / 10);
    if (version >= 13000 && architecture_of(session) >= oldest_of_13)
        majors[count++] = 13;
    majors[count++] = 12;
    majors[count] = 0;
    return true;
}

static bool nvrtc_load(struct nvrtc *out, const struct session *session, char version[COMPILER_TEXT], struct error *err)
{
    unsigned majors[3], major;
    int numbers[2] = { 0, 0 };
    if (!majors_for(session, majors, err))
        return false;
    void *library = cuda_library_load("nvrtc", majors, &major, err);
    if (!library || !library_bind(library, "NVRTC", symbols, out, err))
        return false;
    out->version(&numbers[0], &numbers[1]);
    snprintf(version, COMPILER_TEXT, "NVRTC %d.%d", numbers[0], numbers[1]);
    return true;
}

static bool nvrtc_refuse(const struct nvrtc *nvrtc, struct error *err, const char *entry, int code)
{
    return fail_in(err, entry, STATUS_FAILED, "%s (%d)", nvrtc->error_text(code), code);
}

static bool compile_refuse(const struct nvrtc *nvrtc, struct nvrtc_program *program, int code, struct error *err)
{
    size_t bytes = 0;
    char *log = nvrtc->log_bytes(program, &bytes) == 0 ? calloc(bytes + 1, 1) : NULL;
    if (!log || nvrtc->log(program, log) != 0 || !strstr(log, "error")) {
        free(log);
        return nvrtc_refuse(nvrtc, err, "nvrtcCompileProgram", code);
    }
    portions_refuse_text(err, "nvrtcCompileProgram", log);
    free(log);
    return false;
}

/* The options are words of `words`, which is cut up for that. */
enum { OPTIONS_MAX = 32 };
static int options_split(char *words, const char *option[OPTIONS_MAX])
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word && count < OPTIONS_MAX; word = strtok_r(NULL, " ", &rest))
        option[count++] = word;
    return count;
}

static void *code_of(const struct nvrtc *nvrtc, struct nvrtc_program *program, struct error *err)
{
    size_t bytes = 0;
    int status = nvrtc->code_bytes(program, &bytes);
    char *code = status == 0 && bytes > 0 ? malloc(bytes) : NULL;
    if (status == 0 && !code)
        fail(err, STATUS_NO_MEMORY, "no memory for %zu bytes of machine code", bytes);
    else if (status != 0 || (status = nvrtc->code(program, code)) != 0) {
        nvrtc_refuse(nvrtc, err, "nvrtcGetCUBIN", status);
        free(code);
        code = NULL;
    }
    return code;
}

void *cuda_compile(const struct session *session, const char *source, const char *defines, char version[COMPILER_TEXT],
                   struct error *err)
{
    struct nvrtc nvrtc;
    struct nvrtc_program *program = NULL;
    char words[512];
    const char *option[OPTIONS_MAX];
    void *code = NULL;
    if (!nvrtc_load(&nvrtc, session, version, err))
        return NULL;
    int status = nvrtc.create(&program, source, "kernel.cu", 0, NULL, NULL);
    if (status != 0) {
        nvrtc_refuse(&nvrtc, err, "nvrtcCreateProgram", status);
        return NULL;
    }
    snprintf(words, sizeof words, "--gpu-architecture=sm_%d %s", architecture_of(session), defines);
    const int options = options_split(words, option);
    status = nvrtc.compile(program, options, option);
    if (status == 0)
        code = code_of(&nvrtc, program, err);
    else if (status == INVALID_OPTION)
        fail_in(err, "nvrtcCompileProgram", STATUS_UNSUPPORTED,
                "%s makes no machine code for this GPU (sm_%d): one of another CUDA Toolkit is needed", version,
                architecture_of(session));
    else
        compile_refuse(&nvrtc, program, status, err);
    nvrtc.destroy(&program);
    return code;
}
