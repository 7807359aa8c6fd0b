/* A libnvidia-ml.so.1 for tests. It knows an H100 at 65:00.0, at 66:00.0 a card that does not report everything, at
 * 68:00.0 a GeForce, at 69:00.0 a workstation card, at 6a:00.0 a card of unknown brand. The state of the first comes
 * from the environment; a value without its variable is not supported:
 *
 *   NVML_DOUBLE_WATTS    constant power, which its energy counter adds up
 *   NVML_DOUBLE_STEP     milliseconds between two steps of the counter; 20
 *   NVML_DOUBLE_CLOCK    its clock, MHz
 *   NVML_DOUBLE_REASONS  "BITS CALL": clock reasons, from that call on in each process
 *   NVML_DOUBLE_OTHERS   number of other processes that compute on it, with 1 GiB each
 *   NVML_DOUBLE_SECOND   the process that the first of them is; 1
 *   NVML_DOUBLE_FOREIGN  anything: processes have the numbers of another namespace
 *   NVML_DOUBLE_MIG      anything: it is split into parts
 *   NVML_DOUBLE_HELD     share of the time in which the power cap held the clock down, by its counter
 *   NVML_DOUBLE_COST     milliseconds that a reading of reasons, power, energy or such a counter takes; 0
 *   NVML_DOUBLE_ECC      number of new errors with each call
 *   NVML_DOUBLE_LOST     the call from which on it is lost
 *
 * With NVML_DOUBLE_OLD defined it is the library of an older driver, which lacks some functions. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlSystemGetDriverVersion(char *to, unsigned room);
int nvmlDeviceGetBrand(void *device, int *brand);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *megahertz);
int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits);
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *next);
int nvmlDeviceGetEccMode(void *device, unsigned *now, unsigned *next);
int nvmlDeviceGetPersistenceMode(void *device, unsigned *mode);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *megahertz);
int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *bits);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long bytes[3]);
struct value {
    unsigned field, scope;
    long long time, latency;
    int type, answer;
    unsigned long long value;
};
int nvmlDeviceGetFieldValues(void *device, int count, struct value of[]);
int nvmlDeviceGetTotalEccErrors(void *device, int kind, int since, unsigned long long *count);
struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instance, part;
};
int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned *count, struct process out[]);
struct longer_process {
    struct process process;
    unsigned long long protected_bytes;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct longer_process out[]);

enum { SUCCESS = 0, UNINITIALIZED = 1, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SHORT = 7, LOST = 15 };

static int users;
enum { KNOWN = 5 };
static const char known[KNOWN][16] = { "0000:65:00.0", "0000:66:00.0", "0000:68:00.0", "0000:69:00.0", "0000:6a:00.0" };
static const int brands[KNOWN] = { 14, 2, 15, 13, -1 }; /* NVIDIA, Tesla, GeForce RTX, NVIDIA RTX */

int nvmlInit_v2(void)
{
    users++;
    return SUCCESS;
}

int nvmlShutdown(void)
{
    return users-- > 0 ? SUCCESS : UNINITIALIZED;
}

int nvmlSystemGetDriverVersion(char *to, unsigned room)
{
    return snprintf(to, room, "580.1.2") < (int)room ? SUCCESS : TOO_SHORT;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device)
{
    for (unsigned i = 0; i < KNOWN; i++)
        if (users == 1 && strcmp(bus_id, known[i]) == 0) {
            *device = (void *)known[i];
            return SUCCESS;
        }
    return NOT_FOUND;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    return index < KNOWN ? nvmlDeviceGetHandleByPciBusId_v2(known[index], device) : NOT_FOUND;
}

int nvmlDeviceGetBrand(void *device, int *brand)
{
    *brand = brands[((const char *)device - known[0]) / (long)sizeof known[0]];
    return *brand < 0 ? NOT_SUPPORTED : SUCCESS;
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *megahertz)
{
    *megahertz = type == 1 ? 1980 : type == 2 ? 2619 : 1;
    return device == known[1] && type == 2 ? NOT_SUPPORTED : SUCCESS;
}

int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits)
{
    *bits = 5120;
    return device == known[1] ? NOT_SUPPORTED : SUCCESS;
}

/* The answer to a call about the state where the environment has that variable; otherwise NOT_SUPPORTED. */
static int asked(const void *device, const char *word, double *value)
{
    static long calls;
    const char *text = getenv(word), *lost = getenv("NVML_DOUBLE_LOST");
    calls++;
    if (lost && calls >= atol(lost))
        return LOST;
    *value = text ? strtod(text, NULL) : 0;
    return text && device == known[0] ? SUCCESS : NOT_SUPPORTED;
}

/* The same, of a reading that takes time. */
static int asked_slowly(const void *device, const char *word, double *value)
{
    const char *cost = getenv("NVML_DOUBLE_COST");
    if (cost)
        nanosleep(&(struct timespec){ .tv_nsec = (long)(1e6 * strtod(cost, NULL)) }, NULL);
    return asked(device, word, value);
}

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *next)
{
    double ignored;
    *now = *next = 1;
    return asked(device, "NVML_DOUBLE_MIG", &ignored);
}

int nvmlDeviceGetEccMode(void *device, unsigned *now, unsigned *next)
{
    double ignored;
    *now = *next = 1;
    return asked(device, "NVML_DOUBLE_ECC", &ignored);
}

int nvmlDeviceGetPersistenceMode(void *device, unsigned *mode)
{
    double ignored;
    *mode = 0;
    return asked(device, "NVML_DOUBLE_WATTS", &ignored);
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
    double ignored;
    *milliwatts = 700000;
    return asked(device, "NVML_DOUBLE_WATTS", &ignored);
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *megahertz)
{
    double clock = 0;
    int answer = asked(device, "NVML_DOUBLE_CLOCK", &clock);
    *megahertz = type == 1 ? (unsigned)clock : 2619;
    return answer;
}

static int reasons(void *device, unsigned long long *bits)
{
    static long calls;
    double ignored;
    long from = 0;
    const char *script = getenv("NVML_DOUBLE_REASONS");
    *bits = 1; /* idle */
    if (script && sscanf(script, "%lli %ld", (long long *)bits, &from) == 2 && ++calls < from)
        *bits = 1;
    return asked_slowly(device, "NVML_DOUBLE_REASONS", &ignored);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    double ignored;
    *celsius = sensor == 0 ? 61 : 0;
    return asked(device, "NVML_DOUBLE_CLOCK", &ignored);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    double watts = 0;
    int answer = asked_slowly(device, "NVML_DOUBLE_WATTS", &watts);
    *milliwatts = (unsigned)(1000 * watts);
    return answer;
}

static const unsigned long long gibibyte = 1ull << 30;

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long bytes[3])
{
    double others = 0;
    int answer = asked(device, "NVML_DOUBLE_OTHERS", &others);
    bytes[0] = 80 * gibibyte;
    bytes[2] = (unsigned long long)(others + 1) * gibibyte;
    bytes[1] = bytes[0] - bytes[2];
    return answer;
}

int nvmlDeviceGetTotalEccErrors(void *device, int kind, int since, unsigned long long *count)
{
    static double errors;
    double more = 0;
    int answer = asked(device, "NVML_DOUBLE_ECC", &more);
    errors += kind == 1 && since == 0 ? more : 1e6;
    *count = (unsigned long long)errors;
    return answer;
}

#ifdef NVML_DOUBLE_OLD

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits)
{
    return reasons(device, bits);
}

#else

int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *bits)
{
    return reasons(device, bits);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    const char *script = getenv("NVML_DOUBLE_STEP");
    double watts = 0, step = script ? 1e-3 * strtod(script, NULL) : 0.02;
    int answer = asked_slowly(device, "NVML_DOUBLE_WATTS", &watts);
    long long steps = (long long)(now() / step);
    *millijoules = (unsigned long long)(1000 * watts * step * (double)steps);
    return answer;
}

/* Nanoseconds in which the power cap, or heat, held the clock down; the fields of other reasons are not supported. */
int nvmlDeviceGetFieldValues(void *device, int count, struct value of[])
{
    double share = 0;
    int answer = asked_slowly(device, "NVML_DOUBLE_HELD", &share);
    for (int i = 0; i < count; i++) {
        of[i].answer = of[i].field == 74 || of[i].field == 75 ? answer : NOT_SUPPORTED;
        of[i].value = of[i].field == 74 ? (unsigned long long)(1e9 * share * now()) : 0;
    }
    return answer == LOST ? LOST : SUCCESS;
}

/* The calling process holds 512 MiB; all others are process 1, if the environment does not name the first of them. */
static struct process process_at(unsigned i)
{
    const char *second = getenv("NVML_DOUBLE_SECOND");
    bool is_foreign = getenv("NVML_DOUBLE_FOREIGN") != NULL;
    unsigned other = i == 1 && second ? (unsigned)strtoul(second, NULL, 10) : 1;
    return (struct process){ .pid = i > 0 ? other : (unsigned)getpid() + (is_foreign ? 1000000 : 0),
                             .bytes = i > 0 ? gibibyte : gibibyte / 2 };
}

static int count_processes(void *device, unsigned *count)
{
    double others = 0;
    int answer = asked(device, "NVML_DOUBLE_OTHERS", &others);
    unsigned room = *count;
    *count = (unsigned)others + 1;
    return answer == SUCCESS && room < *count ? TOO_SHORT : answer;
}

int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned *count, struct process out[])
{
    int answer = count_processes(device, count);
    for (unsigned i = 0; answer == SUCCESS && i < *count; i++)
        out[i] = process_at(i);
    return answer;
}

/* As drivers 535.43 to 535.86 write it. */
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct longer_process out[])
{
    int answer = count_processes(device, count);
    for (unsigned i = 0; answer == SUCCESS && i < *count; i++)
        out[i] = (struct longer_process){ process_at(i), 0 };
    return answer;
}

#endif
