#include "double.h"

#include "tests/doubles/planned_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct state state;

/* Some errors make a context unusable. */
enum { POISON = 1 };
static const struct {
    int code;
    const char *name, *text;
    int flags;
} errors[] = {
    { 1, "CUDA_ERROR_INVALID_VALUE", "invalid argument", 0 },
    { 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory", 0 },
    { 3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error", 0 },
    { 34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library", 0 },
    { 36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "call requires newer driver", 0 },
    { 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable", 0 },
    { 100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected", 0 },
    { 101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal", 0 },
    { 200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid", 0 },
    { 201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context", 0 },
    { 209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device", 0 },
    { 214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered", POISON },
    { 221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found", 0 },
    { 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain.", 0 },
    { 217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices", 0 },
    { 304, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS", 0 },
    { 400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle", 0 },
    { 500, "CUDA_ERROR_NOT_FOUND", "named symbol not found", 0 },
    { 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered", POISON },
    { 701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch", 0 },
    { 702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated", POISON },
    { 704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled", 0 },
    { 719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure", POISON },
    { 801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported", 0 },
    { 802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized", 0 },
    { 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination", 0 },
    { 804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW", 0 },
    { 805, "CUDA_ERROR_MPS_CONNECTION_FAILED",
      "MPS client failed to connect to the MPS control daemon or the MPS server", 0 },
    { 900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing", 0 },
    { 999, "CUDA_ERROR_UNKNOWN", "unknown error", 0 },
};
enum { ERRORS = sizeof errors / sizeof *errors };

static const char *const held_names[HELD_KINDS] = { "contexts", "memory",  "host",   "streams",
                                                    "events",   "modules", "graphs", "handles" };

long number_of(const char *name, long fallback)
{
    const char *value = getenv(name);
    return value ? atol(value) : fallback;
}

double now(void)
{
    struct timespec time;
    if (getenv("CUDA_DOUBLE_TICKS"))
        return 1 + 1e-6 * (double)state.launches;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static FILE *environment_file(const char *variable)
{
    const char *path = getenv(variable);
    return path ? fopen(path, "a") : NULL;
}

static void run_log_write(FILE *file)
{
    bool any = false;
    for (unsigned i = 0; i < HELD_KINDS; i++) {
        if (state.held[i] != 0)
            fprintf(file, "%s%s %ld", any ? " " : "", held_names[i], state.held[i]);
        any = any || state.held[i] != 0;
    }
    fprintf(file, "%s\n", any ? "" : "nothing");
    fclose(file);
}

static void calls_write(FILE *file)
{
    for (unsigned i = 0; i < NAMES && state.called[i].name; i++)
        fprintf(file, "%s\n", state.called[i].name);
    fclose(file);
}

static void at_the_end(void)
{
    FILE *run_log = environment_file("CUDA_DOUBLE_LEDGER"), *calls = environment_file("CUDA_DOUBLE_CALLS");
    if (run_log)
        run_log_write(run_log);
    if (calls)
        calls_write(calls);
}

static long count_call(const char *name)
{
    if (!state.is_initialised)
        atexit(at_the_end);
    state.is_initialised = true;
    for (unsigned i = 0; i < NAMES; i++) {
        if (!state.called[i].name)
            state.called[i].name = name;
        if (strcmp(state.called[i].name, name) == 0)
            return ++state.called[i].calls;
    }
    abort(); /* NAMES is too small */
}

static bool is_poison(int code)
{
    for (unsigned i = 0; i < ERRORS; i++)
        if (errors[i].code == code)
            return errors[i].flags & POISON;
    return false;
}

/* Whether a fault that may happen only once has happened. */
static bool is_over(void)
{
    const char *once = getenv("CUDA_DOUBLE_ONCE"), *path = once ? once : getenv("CUDA_DOUBLE_LOST");
    FILE *mark = path ? fopen(path, "wx") : NULL;
    if (mark)
        fclose(mark);
    return path && !mark;
}

/* The first planned fault for this call, if any. */
static bool fault_for(const char *name, long call, char kind[32])
{
    char wanted[64];
    long number;
    for (const char *fault = getenv("CUDA_DOUBLE_FAULT"); fault; fault = strchr(fault, ',')) {
        fault += strspn(fault, ", ");
        if (sscanf(fault, "%63s %ld %31[^,]", wanted, &number, kind) == 3 && strcmp(wanted, name) == 0 &&
            (number == 0 || number == call))
            return !is_over();
    }
    return false;
}

static bool is_spoilt; /* the function that asked last */

int answer(const char *name)
{
    char kind[32];
    long call = count_call(name);
    int code = SUCCESS;
    const enum planned planned = planned_for_call(name, &code);
    is_spoilt = planned == PLANNED_SPOIL;
    if (state.poison)
        return state.poison;
    if (planned == PLANNED_ERROR) {
        state.poison = is_poison(code) ? code : SUCCESS;
        return code;
    }
    if (!fault_for(name, call, kind))
        return SUCCESS;
    if (strcmp(kind, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(kind, "crash") == 0)
        *(volatile int *)NULL = 0;
    if (is_poison(atoi(kind)))
        state.poison = atoi(kind);
    return atoi(kind);
}

bool is_idle(void)
{
    return is_spoilt;
}

int spoil(uint64_t data, size_t bytes)
{
    if (is_spoilt)
        planned_spoil((void *)(uintptr_t)data, bytes);
    return SUCCESS;
}

int cuda_double_answer(const char *name)
{
    return answer(name);
}

void cuda_double_asked(const char *name, unsigned long what)
{
    FILE *file = environment_file("CUDA_DOUBLE_ASKED");
    if (!file)
        return;
    fprintf(file, "%s %lu\n", name, what);
    fclose(file);
}

void cuda_double_hold(int change)
{
    state.held[HELD_HANDLES] += change;
}

static int look_up(int code, const char **name, const char **text)
{
    for (unsigned i = 0; i < ERRORS; i++)
        if (errors[i].code == code) {
            *name = errors[i].name;
            *text = errors[i].text;
            return SUCCESS;
        }
    return INVALID_VALUE;
}

/* These two functions work in any state. */
static bool answer_in_words(const char *name)
{
    char kind[32];
    return !fault_for(name, count_call(name), kind);
}

int cuGetErrorName(int code, const char **name)
{
    const char *text;
    return answer_in_words(__func__) ? look_up(code, name, &text) : INVALID_VALUE;
}

int cuGetErrorString(int code, const char **text)
{
    const char *name;
    return answer_in_words(__func__) ? look_up(code, &name, text) : INVALID_VALUE;
}
