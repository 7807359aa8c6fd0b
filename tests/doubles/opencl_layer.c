#define CL_TARGET_OPENCL_VERSION 120

#include "tests/doubles/opencl_layer.h"
#include "tests/doubles/planned_fault.h"

#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

static const struct _cl_icd_dispatch *driver;
static struct _cl_icd_dispatch layer;
static struct {
    const char *entry;
    unsigned nth, calls, from;
    cl_int code;
} strike;
static size_t wrong_bytes = 1;
static int is_spoilt; /* the call that is_struck was asked about last */
static double event_scale = 1;

/* The third argument of each kernel so far, and a copy of what the latest launch wrote there. */
enum { KERNELS_MAX = 64, RESULT = 2 };
static struct {
    cl_kernel kernel[KERNELS_MAX];
    cl_mem result[KERNELS_MAX], kept;
    unsigned kernels;
    size_t bytes;
} memory;
static cl_kernel idle; /* does nothing */
static struct view {
    unsigned char *memory;
    size_t bytes;
} written; /* what was last mapped for the host to write */
static unsigned alive, stamped;
static struct {
    cl_device_info limit;
    cl_ulong most;
} lowered;

enum { TOLD_MAX = 32 };
static struct {
    cl_device_info what;
    const void *value;
    size_t bytes;
} told[TOLD_MAX];
static unsigned tolds;
static struct layer_asked asked;

/* The latest launches since the clock was scripted, and which of them has no times. */
enum { LAUNCHES_MAX = 64 };
static struct {
    int is_scripted;
    cl_event event[LAUNCHES_MAX];
    unsigned launches, silent;
} script;

static void controls_strike(const char *entry, unsigned nth, cl_int code)
{
    strike.entry = entry;
    strike.nth = nth;
    strike.calls = 0;
    strike.code = code;
}

static unsigned controls_calls(void)
{
    return strike.calls;
}

static unsigned controls_alive(void)
{
    return alive;
}

static unsigned controls_stamped(void)
{
    return stamped;
}

static void controls_lower(cl_device_info limit, cl_ulong most)
{
    lowered.limit = limit;
    lowered.most = most;
}

static void controls_script_clock(unsigned silent)
{
    memset(&script, 0, sizeof script);
    script.is_scripted = 1;
    script.silent = silent;
}

static void controls_tell(cl_device_info what, const void *value, size_t bytes)
{
    told[tolds].what = what;
    told[tolds].value = value;
    told[tolds].bytes = bytes;
    tolds += tolds + 1 < TOLD_MAX;
}

static struct layer_asked controls_asked(void)
{
    return asked;
}

__attribute__((visibility("default"))) const struct layer_controls layer_controls = {
    controls_strike,       controls_calls,   controls_alive, controls_lower,
    controls_script_clock, controls_stamped, controls_tell,  controls_asked
};

static int is_turn(unsigned call)
{
    return strike.nth != 0 ? call == strike.nth : call >= strike.from;
}

/* Whether this call is the one to refuse; `code`, where given, then gets the refusal. */
static int is_struck(const char *entry, cl_int *code)
{
    const int is_call = strncmp(entry, "cl", 2) == 0;
    const enum planned planned = is_call ? planned_for_call(entry, &strike.code) : PLANNED_NOTHING;
    is_spoilt = is_call ? planned == PLANNED_SPOIL : is_spoilt;
    if (planned == PLANNED_ERROR) {
        if (code)
            *code = strike.code;
        return 1;
    }
    if (!strike.entry || strcmp(entry, strike.entry) != 0 || !is_turn(++strike.calls))
        return 0;
    if (code)
        *code = strike.code;
    return 1;
}

/* Counts a new object. */
static void *born(void *object)
{
    alive += object != NULL;
    return object;
}

/* Passes the answer to an enqueue on, and counts its event. */
static cl_int enqueued(cl_int code, const cl_event *event)
{
    alive += code == CL_SUCCESS && event;
    return code;
}

static cl_int get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *out,
                             cl_uint *count)
{
    return is_struck("clGetDeviceIDs", NULL) ? strike.code : driver->clGetDeviceIDs(platform, type, room, out, count);
}

static cl_int get_device_info(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *bytes)
{
    const int is_limit = what == CL_DEVICE_MEM_BASE_ADDR_ALIGN || what == CL_DEVICE_MAX_MEM_ALLOC_SIZE ||
                         what == CL_DEVICE_MAX_WORK_GROUP_SIZE || what == CL_DEVICE_LOCAL_MEM_SIZE;
    if (is_struck("clGetDeviceInfo", NULL) || (is_limit && is_struck("limits", NULL)))
        return strike.code;
    for (unsigned i = tolds; i-- > 0;)
        if (told[i].what == what && (!value || room >= told[i].bytes)) {
            if (value)
                memcpy(value, told[i].value, told[i].bytes);
            if (bytes)
                *bytes = told[i].bytes;
            return CL_SUCCESS;
        }
    cl_int code = driver->clGetDeviceInfo(device, what, room, value, bytes);
    cl_ulong limit = 0;
    if (code != CL_SUCCESS || lowered.limit == 0 || what != lowered.limit || !value || room < sizeof limit)
        return code;
    memcpy(&limit, value, sizeof limit);
    if (limit > lowered.most)
        memcpy(value, &lowered.most, sizeof lowered.most);
    return CL_SUCCESS;
}

static cl_context create_context(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                                 void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *code)
{
    return is_struck("clCreateContext", code)
               ? NULL
               : born(driver->clCreateContext(properties, count, devices, notify, user, code));
}

static cl_command_queue create_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                     cl_int *code)
{
    const int takes_plain_ones = strike.code == CL_INVALID_QUEUE_PROPERTIES && properties == 0;
    return !takes_plain_ones && is_struck("clCreateCommandQueue", code)
               ? NULL
               : born(driver->clCreateCommandQueue(context, device, properties, code));
}

static cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
    asked.buffer = flags;
    return is_struck("clCreateBuffer", code) ? NULL : born(driver->clCreateBuffer(context, flags, bytes, host, code));
}

static cl_mem create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
                                cl_int *code)
{
    return is_struck("clCreateSubBuffer", code) ? NULL
                                                : born(driver->clCreateSubBuffer(buffer, flags, type, region, code));
}

static cl_program create_program(cl_context context, cl_uint count, const char **text, const size_t *length,
                                 cl_int *code)
{
    return is_struck("clCreateProgramWithSource", code)
               ? NULL
               : born(driver->clCreateProgramWithSource(context, count, text, length, code));
}

static cl_program create_program_from_binary(cl_context context, cl_uint count, const cl_device_id *devices,
                                             const size_t *length, const unsigned char **binary, cl_int *status,
                                             cl_int *code)
{
    return is_struck("clCreateProgramWithBinary", code)
               ? NULL
               : born(driver->clCreateProgramWithBinary(context, count, devices, length, binary, status, code));
}

static cl_int build_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                            void (*notify)(cl_program, void *), void *user)
{
    return is_struck("clBuildProgram", NULL) ? strike.code
                                             : driver->clBuildProgram(program, count, devices, options, notify, user);
}

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *code)
{
    return is_struck("clCreateKernel", code) ? NULL : born(driver->clCreateKernel(program, name, code));
}

static unsigned place_of(cl_kernel kernel)
{
    unsigned place = 0;
    while (place < memory.kernels && memory.kernel[place] != kernel)
        place++;
    return place;
}

static void note_result(cl_kernel kernel, const void *value)
{
    unsigned place = place_of(kernel);
    if (place == KERNELS_MAX)
        return;
    memory.kernel[place] = kernel;
    memory.kernels += place == memory.kernels;
    memcpy(&memory.result[place], value, sizeof memory.result[place]);
}

static cl_int set_argument(cl_kernel kernel, cl_uint place, size_t bytes, const void *value)
{
    if (place == RESULT && bytes == sizeof(cl_mem))
        note_result(kernel, value);
    return is_struck("clSetKernelArg", NULL) ? strike.code : driver->clSetKernelArg(kernel, place, bytes, value);
}

static cl_int write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                           const void *from, cl_uint waits, const cl_event *wait, cl_event *event)
{
    if (is_struck("clEnqueueWriteBuffer", NULL))
        return strike.code;
    const int spoils = is_spoilt && bytes > 1;
    cl_int code = driver->clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, from, waits, wait, event);
    const size_t place = (bytes / 2 & ~(size_t)3) + 3;
    const unsigned char wrong = spoils && place < bytes ? ((const unsigned char *)from)[place] ^ 0x40 : 0;
    if (spoils && place < bytes)
        driver->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset + place, 1, &wrong, 0, NULL, NULL);
    return enqueued(code, event);
}

static cl_int read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                          void *to, cl_uint waits, const cl_event *wait, cl_event *event)
{
    if (is_struck("clEnqueueReadBuffer", NULL))
        return strike.code;
    const int spoils = is_spoilt;
    cl_int code = driver->clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, to, waits, wait, event);
    if (spoils && driver->clFinish(queue) == CL_SUCCESS)
        planned_spoil(to, bytes);
    if (is_struck("spoiled read", NULL) && driver->clFinish(queue) == CL_SUCCESS)
        for (size_t i = 1; i <= wrong_bytes; i++)
            ((unsigned char *)to)[bytes / (wrong_bytes + 1) * i | 3] ^= 0x40; /* of an exponent */
    return enqueued(code, event);
}

static cl_int copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                          size_t bytes, cl_uint waits, const cl_event *wait, cl_event *event)
{
    if (is_struck("clEnqueueCopyBuffer", NULL))
        return strike.code;
    return enqueued(
        is_spoilt ? driver->clEnqueueMarkerWithWaitList(queue, waits, wait, event)
                  : driver->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, waits, wait, event),
        event);
}

static cl_int get_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t room,
                             void *value, size_t *bytes)
{
    return is_struck("clGetKernelWorkGroupInfo", NULL)
               ? strike.code
               : driver->clGetKernelWorkGroupInfo(kernel, device, what, room, value, bytes);
}

static void *map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                        size_t bytes, cl_uint waits, const cl_event *wait, cl_event *event, cl_int *code)
{
    asked.map = flags;
    if (is_struck("clEnqueueMapBuffer", code))
        return NULL;
    const int spoils = is_spoilt && (flags & CL_MAP_READ);
    void *view = driver->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, waits, wait, event, code);
    if (spoils && view)
        planned_spoil(view, bytes);
    if (flags != CL_MAP_READ)
        written = (struct view){ view, bytes };
    return born(view);
}

static cl_int unmap(cl_command_queue queue, cl_mem buffer, void *view, cl_uint waits, const cl_event *wait,
                    cl_event *event)
{
    alive--; /* refused or not, the caller has tried to release it */
    if (is_struck("clEnqueueUnmapMemObject", NULL))
        return strike.code;
    if (is_spoilt && view == written.memory)
        planned_spoil(written.memory, written.bytes);
    if (view == written.memory && is_struck("spoiled input", NULL))
        written.memory[written.bytes / 2 | 3] = 0x42; /* of an exponent */
    return enqueued(driver->clEnqueueUnmapMemObject(queue, buffer, view, waits, wait, event), event);
}

/* A kernel with an empty body, in the context of the queue. */
static cl_kernel idle_kernel(cl_command_queue queue)
{
    const char *text = "kernel void idle(void) {}";
    cl_context context;
    cl_int code = driver->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    cl_program program = code == CL_SUCCESS ? driver->clCreateProgramWithSource(context, 1, &text, NULL, &code) : NULL;
    if (!program || driver->clBuildProgram(program, 0, NULL, "", NULL, NULL) != CL_SUCCESS)
        return NULL;
    return driver->clCreateKernel(program, "idle", &code);
}

static cl_int run_idle(cl_command_queue queue, cl_event *event)
{
    const size_t one = 1;
    idle = idle ? idle : idle_kernel(queue);
    return idle ? driver->clEnqueueNDRangeKernel(queue, idle, 1, NULL, &one, NULL, 0, NULL, event) : CL_INVALID_KERNEL;
}

/* The kernel's result, if it is a whole buffer: sub-buffers belong to the guard-band check. */
static cl_mem result_of(cl_kernel kernel, size_t *bytes)
{
    unsigned place = place_of(kernel);
    cl_mem result = place < memory.kernels ? memory.result[place] : NULL, whole = NULL;
    if (!result ||
        driver->clGetMemObjectInfo(result, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL) != CL_SUCCESS ||
        whole || driver->clGetMemObjectInfo(result, CL_MEM_SIZE, sizeof *bytes, bytes, NULL) != CL_SUCCESS)
        return NULL;
    return result;
}

/* Copies what the launch will leave. */
static void keep_result(cl_command_queue queue, cl_kernel kernel)
{
    size_t bytes = 0;
    cl_context context;
    cl_int code = CL_SUCCESS;
    cl_mem result = result_of(kernel, &bytes);
    if (!result || driver->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS)
        return;
    if (bytes != memory.bytes)
        memory.kept = driver->clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    memory.bytes = code == CL_SUCCESS ? bytes : 0;
    if (memory.bytes > 0)
        driver->clEnqueueCopyBuffer(queue, result, memory.kept, 0, 0, bytes, 0, NULL, NULL);
}

/* Writes that copy back; false where there is none of this kernel. */
static int replay(cl_command_queue queue, cl_kernel kernel, cl_event *event)
{
    size_t bytes = 0;
    cl_mem result = result_of(kernel, &bytes);
    return result && bytes == memory.bytes &&
           driver->clEnqueueCopyBuffer(queue, memory.kept, result, 0, 0, bytes, 0, NULL, event) == CL_SUCCESS;
}

/* What a driver with that limit answers to a launch beyond it. */
static int is_beyond_limit(cl_uint dims, const size_t *local)
{
    size_t items = 1;
    for (cl_uint i = 0; local && i < dims; i++)
        items *= local[i];
    return lowered.limit == CL_DEVICE_MAX_WORK_GROUP_SIZE && items > lowered.most;
}

static void count_stamped(cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    driver->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    stamped += (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
}

static cl_int run_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                         const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                         cl_event *event)
{
    if (is_struck("clEnqueueNDRangeKernel", NULL))
        return strike.code;
    if (is_beyond_limit(dims, local))
        return CL_INVALID_WORK_GROUP_SIZE;
    if (is_struck("crash", NULL))
        *(volatile int *)NULL = 0; /* no signal raised: a handler might swallow it */
    if (is_spoilt)
        return enqueued(driver->clEnqueueMarkerWithWaitList(queue, waits, wait, event), event);
    count_stamped(queue);
    int keeps = strike.entry && strcmp(strike.entry, "recalled result") == 0;
    cl_int code = CL_SUCCESS;
    if (is_struck("lost kernel", NULL))
        code = driver->clEnqueueMarkerWithWaitList(queue, waits, wait, event);
    else if (is_struck("idle kernel", NULL))
        code = run_idle(queue, event);
    else if (!is_struck("recalled result", NULL) || !replay(queue, kernel, event)) {
        code = driver->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, waits, wait, event);
        if (keeps && code == CL_SUCCESS)
            keep_result(queue, kernel);
    }
    if (code == CL_SUCCESS && script.is_scripted)
        script.event[script.launches++ % LAUNCHES_MAX] = event ? *event : NULL;
    return enqueued(code, event);
}

/* The number of the launch of this event, 0 for any other event. */
static unsigned launch_number(cl_event event)
{
    unsigned oldest = script.launches > LAUNCHES_MAX ? script.launches - LAUNCHES_MAX : 0;
    for (unsigned i = script.launches; i > oldest; i--)
        if (script.event[(i - 1) % LAUNCHES_MAX] == event)
            return i;
    return 0;
}

static cl_int scale_end(cl_event event, void *value)
{
    cl_ulong start, end;
    cl_int code = driver->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    memcpy(&end, value, sizeof end);
    end = start + (cl_ulong)((double)(end - start) * event_scale);
    memcpy(value, &end, sizeof end);
    return code;
}

static cl_int get_event_profiling_info(cl_event event, cl_profiling_info what, size_t room, void *value, size_t *bytes)
{
    if (is_struck("clGetEventProfilingInfo", NULL))
        return strike.code;
    unsigned number = launch_number(event);
    cl_int code = driver->clGetEventProfilingInfo(event, what, room, value, bytes);
    if (code == CL_SUCCESS && number == 0 && what == CL_PROFILING_COMMAND_END && event_scale != 1)
        return scale_end(event, value);
    if (code != CL_SUCCESS || number == 0)
        return code;
    if (number == script.silent)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    cl_ulong time = (cl_ulong)number * LAYER_TICK + (what == CL_PROFILING_COMMAND_END ? LAYER_BUSY : 0);
    memcpy(value, &time, sizeof time);
    return CL_SUCCESS;
}

static cl_int flush(cl_command_queue queue)
{
    return is_struck("clFlush", NULL) ? strike.code : driver->clFlush(queue);
}

/* The work is done even where the answer is a refusal: the caller releases its memory next. */
static cl_int finish(cl_command_queue queue)
{
    cl_int code = driver->clFinish(queue);
    return is_struck("clFinish", NULL) ? strike.code : code;
}

static cl_int get_event_info(cl_event event, cl_event_info what, size_t room, void *value, size_t *bytes)
{
    if (is_struck("clGetEventInfo", NULL))
        return strike.code;
    cl_int code = driver->clGetEventInfo(event, what, room, value, bytes);
    if (is_struck("event status", NULL))
        memcpy(value, &strike.code, sizeof strike.code);
    return code;
}

static cl_int release_context(cl_context context)
{
    alive--;
    const int is_refused = is_struck("clReleaseContext", NULL);
    const cl_int refusal = strike.code, code = driver->clReleaseContext(context);
    return is_refused ? refusal : code;
}

static cl_int release_queue(cl_command_queue queue)
{
    alive--;
    const int is_refused = is_struck("clReleaseCommandQueue", NULL);
    const cl_int refusal = strike.code, code = driver->clReleaseCommandQueue(queue);
    return is_refused ? refusal : code;
}

static cl_int release_object(cl_mem object)
{
    alive--;
    const int is_refused = is_struck("clReleaseMemObject", NULL);
    const cl_int refusal = strike.code, code = driver->clReleaseMemObject(object);
    return is_refused ? refusal : code;
}

static cl_int release_program(cl_program program)
{
    alive--;
    const int is_refused = is_struck("clReleaseProgram", NULL);
    const cl_int refusal = strike.code, code = driver->clReleaseProgram(program);
    return is_refused ? refusal : code;
}

static cl_int release_kernel(cl_kernel kernel)
{
    alive--;
    const int is_refused = is_struck("clReleaseKernel", NULL);
    const cl_int refusal = strike.code, code = driver->clReleaseKernel(kernel);
    return is_refused ? refusal : code;
}

static cl_int release_event(cl_event event)
{
    alive--;
    const int is_refused = is_struck("clReleaseEvent", NULL);
    const cl_int refusal = strike.code, code = driver->clReleaseEvent(event);
    return is_refused ? refusal : code;
}

CL_API_ENTRY cl_int CL_API_CALL __attribute__((visibility("default")))
clGetLayerInfo(cl_layer_info what, size_t room, void *value, size_t *bytes)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (what != CL_LAYER_API_VERSION || (value && room < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (bytes)
        *bytes = sizeof version;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL __attribute__((visibility("default")))
clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *count, const cl_icd_dispatch **out)
{
    if (!target || !count || !out || entries < sizeof layer / sizeof layer.clGetPlatformIDs)
        return CL_INVALID_VALUE;
    driver = target;
    layer = *target;
    const char *from = getenv("OPENCL_LAYER_FROM"), *scale = getenv("OPENCL_LAYER_EVENTS");
    const char *bytes = getenv("OPENCL_LAYER_BYTES");
    strike.entry = getenv("OPENCL_LAYER_STRIKE");
    wrong_bytes = bytes ? strtoul(bytes, NULL, 10) : 1;
    strike.from = from ? (unsigned)strtoul(from, NULL, 10) : 0;
    event_scale = scale ? strtod(scale, NULL) : 1;
    layer.clGetDeviceIDs = get_device_ids;
    layer.clGetDeviceInfo = get_device_info;
    layer.clCreateContext = create_context;
    layer.clCreateCommandQueue = create_queue;
    layer.clCreateBuffer = create_buffer;
    layer.clCreateSubBuffer = create_sub_buffer;
    layer.clCreateProgramWithSource = create_program;
    layer.clCreateProgramWithBinary = create_program_from_binary;
    layer.clBuildProgram = build_program;
    layer.clCreateKernel = create_kernel;
    layer.clSetKernelArg = set_argument;
    layer.clEnqueueWriteBuffer = write_buffer;
    layer.clEnqueueReadBuffer = read_buffer;
    layer.clEnqueueCopyBuffer = copy_buffer;
    layer.clGetKernelWorkGroupInfo = get_group_info;
    layer.clEnqueueMapBuffer = map_buffer;
    layer.clEnqueueUnmapMemObject = unmap;
    layer.clEnqueueNDRangeKernel = run_kernel;
    layer.clFlush = flush;
    layer.clFinish = finish;
    layer.clGetEventInfo = get_event_info;
    layer.clGetEventProfilingInfo = get_event_profiling_info;
    layer.clReleaseContext = release_context;
    layer.clReleaseCommandQueue = release_queue;
    layer.clReleaseMemObject = release_object;
    layer.clReleaseProgram = release_program;
    layer.clReleaseKernel = release_kernel;
    layer.clReleaseEvent = release_event;
    *count = sizeof layer / sizeof layer.clGetPlatformIDs;
    *out = &layer;
    return CL_SUCCESS;
}
