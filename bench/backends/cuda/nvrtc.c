#include "bench/backends/cuda/nvrtc.h"

#include "bench/backends/common/kernel.h"
#include "harness/base/last_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* nvrtcResult: the library of the built-ins is not found. */
enum { BUILTINS_FAILED = 7 };

#define SYMBOL(member, symbol, ...) symbol,
static const char *const symbols[] = { NVRTC_CALLS(SYMBOL) "nvrtcGetErrorString" };

bool nvrtc_bind(struct nvrtc *out, void *library, struct error *err)
{
    return library_bind(library, "NVRTC", LIBRARY_NAMES(symbols), out, err);
}

int nvrtc_newest(const struct nvrtc *nvrtc, int architecture)
{
    enum { KNOWN_MAX = 128 };
    int known[KNOWN_MAX], count = 0, newest = 0;
    if (CALL("nvrtcGetNumSupportedArchs", nvrtc->count(&count)) != 0 || count > KNOWN_MAX ||
        CALL("nvrtcGetSupportedArchs", nvrtc->architectures(known)) != 0)
        return 0;
    for (int i = 0; i < count; i++)
        if (known[i] <= architecture && known[i] > newest)
            newest = known[i];
    return newest;
}

static bool call_fail(const struct nvrtc *nvrtc, struct error *err, const char *entry, int code)
{
    return fail_in(err, entry, STATUS_FAILED, "%s (%d)", CALL("nvrtcGetErrorString", nvrtc->error_text(code)), code);
}

static void compile_fail(const struct nvrtc *nvrtc, struct nvrtc_program *program, int code, struct error *err)
{
    size_t bytes = 0;
    char *log = CALL("nvrtcGetProgramLogSize", nvrtc->log_bytes(program, &bytes)) == 0 ? calloc(bytes + 1, 1) : NULL;
    if (log && CALL("nvrtcGetProgramLog", nvrtc->log(program, log)) == 0 && strstr(log, "error"))
        kernel_build_fail(err, "nvrtcCompileProgram", log);
    else
        call_fail(nvrtc, err, "nvrtcCompileProgram", code);
    free(log);
}

static void *code_read(const struct nvrtc *nvrtc, struct nvrtc_program *program, enum nvrtc_target target,
                       size_t *bytes, struct error *err)
{
    const bool is_ptx = target == NVRTC_PTX;
    last_call_begin(is_ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN"); /* or the function of its size */
    int status = (is_ptx ? nvrtc->ptx_bytes : nvrtc->code_bytes)(program, bytes);
    char *code = status == 0 && *bytes > 0 ? malloc(*bytes) : NULL;
    if (status == 0 && !code)
        fail(err, STATUS_NO_MEMORY, "no memory for %zu bytes of code", *bytes);
    else if (status != 0 || (status = (is_ptx ? nvrtc->ptx : nvrtc->code)(program, code)) != 0) {
        call_fail(nvrtc, err, is_ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN", status);
        free(code);
        code = NULL;
    }
    return code;
}

void *nvrtc_compile(const struct nvrtc *nvrtc, const char *source, const char *options, enum nvrtc_target target,
                    int architecture, size_t *bytes, struct error *err)
{
    struct nvrtc_program *program = NULL;
    enum { WORDS_ROOM = NVRTC_OPTIONS + 40 };
    char words[WORDS_ROOM], *rest = NULL;
    const char *option[WORDS_ROOM / 2]; /* room for all */
    int count = 0;
    void *code = NULL;
    int status = CALL("nvrtcCreateProgram", nvrtc->create(&program, source, "kernel.cu", 0, NULL, NULL));
    if (status != 0) {
        call_fail(nvrtc, err, "nvrtcCreateProgram", status);
        return NULL;
    }
    snprintf(words, sizeof words, "--gpu-architecture=%s_%d %s", target == NVRTC_PTX ? "compute" : "sm", architecture,
             options);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        option[count++] = word;
    status = CALL("nvrtcCompileProgram", nvrtc->compile(program, count, option));
    if (status == 0)
        code = code_read(nvrtc, program, target, bytes, err);
    else if (status == BUILTINS_FAILED)
        fail_in(err, "nvrtcCompileProgram", STATUS_UNSUPPORTED,
                "NVRTC does not find libnvrtc-builtins.so, which belongs in the same folder");
    else
        compile_fail(nvrtc, program, status, err);
    CALL("nvrtcDestroyProgram", nvrtc->destroy(&program));
    return code;
}
