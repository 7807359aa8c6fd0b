#include "harness/base/windows/system.h"
/* After the system's header. */
#include "harness/base/child.h"
#include "harness/base/child_failure.h"
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/lines.h"
#include "harness/base/text.h"

#include <fcntl.h>
#include <io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { READ_BYTES = 1 << 16, PIPE_BYTES = 1 << 20, LOG_MAX = 1 << 20, LOG_TAIL = 4096, LINE_ROOM = 8192 };
static const double log_interval = 0.25; /* seconds between two looks at the length of a log */
static const double exit_delay = 1;      /* seconds that a child may run on after it closed a channel */
static const double kill_wait = 5;       /* seconds that we wait for a killed process to end */
static const UINT killed = 0xdead;       /* the exit status that we give */

/* How a child finds what it was given: the handles of its replies and of last_call.h. */
static const char channels[] = "BENCH_CHANNELS";

struct child {
    HANDLE process, job, requests, replies, log;
    OVERLAPPED reading; /* a read of `replies` that is under way, once is_reading */
    bool is_reading, is_closed;
    const char *last_call;
    bool is_over;
    DWORD status;     /* its exit status, once is_over */
    struct error end; /* why it is unusable; every later call repeats it */
    struct lines received;
};

static void handle_close(HANDLE *handle)
{
    if (*handle && *handle != INVALID_HANDLE_VALUE)
        CloseHandle(*handle);
    *handle = NULL;
}

/* A pipe with an end that we wait for together with other things, which an anonymous one does not have. */
static bool pipe_open(HANDLE *ours, HANDLE *theirs, bool we_read)
{
    char name[80];
    SECURITY_ATTRIBUTES inherited = { sizeof inherited, NULL, TRUE };
    const DWORD way = we_read ? PIPE_ACCESS_INBOUND : PIPE_ACCESS_OUTBOUND;
    snprintf(name, sizeof name, "\\\\.\\pipe\\bench-%lu-%p-%d", GetCurrentProcessId(), (void *)ours, we_read);
    *ours = CreateNamedPipeA(name, way | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                             PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, PIPE_BYTES, PIPE_BYTES, 0, NULL);
    if (*ours == INVALID_HANDLE_VALUE)
        return false;
    *theirs = CreateFileA(name, we_read ? GENERIC_WRITE : GENERIC_READ, 0, &inherited, OPEN_EXISTING, 0, NULL);
    return *theirs != INVALID_HANDLE_VALUE;
}

/* A copy of the log's handle for the child; a file of its own where there is none, which goes with it. */
static HANDLE log_open(int log_fd)
{
    HANDLE log = NULL, own = GetCurrentProcess();
    char folder[PATH_MAX], name[PATH_MAX];
    if (log_fd >= 0) {
        DuplicateHandle(own, (HANDLE)_get_osfhandle(log_fd), own, &log, 0, TRUE, DUPLICATE_SAME_ACCESS);
        return log;
    }
    SECURITY_ATTRIBUTES inherited = { sizeof inherited, NULL, TRUE };
    if (GetTempPathA(sizeof folder, folder) == 0 || GetTempFileNameA(folder, "ben", 0, name) == 0)
        return NULL;
    return CreateFileA(name, FILE_APPEND_DATA | GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                       &inherited, OPEN_EXISTING, FILE_FLAG_DELETE_ON_CLOSE, NULL);
}

/* An argument that the child's C library reads as it is (its rules for quotes and backslashes before them). */
static void add_argument(char line[LINE_ROOM], const char *argument)
{
    text_append(line, LINE_ROOM, "%s\"", *line ? " " : "");
    for (const char *at = argument; *at; at++) {
        const size_t slashes = strspn(at, "\\");
        const bool is_doubled = slashes > 0 && (at[slashes] == '"' || !at[slashes]);
        for (size_t i = 0; i < slashes * (is_doubled ? 2 : 1); i++)
            text_append(line, LINE_ROOM, "\\");
        at += slashes;
        if (!*at)
            break;
        text_append(line, LINE_ROOM, *at == '"' ? "\\\"" : "%c", *at);
    }
    text_append(line, LINE_ROOM, "\"");
}

static bool same_name(const char *a, const char *b)
{
    const size_t length = strcspn(a + 1, "=") + 1; /* names of the system may begin with '=' */
    return length == strcspn(b + 1, "=") + 1 && _strnicmp(a, b, length) == 0;
}

static char *put(char *to, const char *text)
{
    strcpy(to, text);
    return to + strlen(text) + 1;
}

/* `ours`, `more`, and the variables of this process that they do not replace, each ended by a byte 0, and one at the
 * end. */
static char *environment_merge(const char *const ours[], const char *more)
{
    char *block = GetEnvironmentStringsA(), *at, *merged;
    size_t bytes = strlen(more) + 3;
    for (const char *variable = block; *variable; variable += strlen(variable) + 1)
        bytes += strlen(variable) + 1;
    for (unsigned i = 0; ours && ours[i]; i++)
        bytes += strlen(ours[i]) + 1;
    merged = at = malloc(bytes);
    if (!merged)
        goto out;
    at = put(at, more);
    for (unsigned i = 0; ours && ours[i]; i++)
        at = put(at, ours[i]);
    for (const char *variable = block; *variable; variable += strlen(variable) + 1) {
        bool is_replaced = same_name(variable, more);
        for (unsigned i = 0; ours && ours[i]; i++)
            is_replaced |= same_name(variable, ours[i]);
        if (!is_replaced)
            at = put(at, variable);
    }
    *at = '\0';
out:
    FreeEnvironmentStringsA(block);
    return merged;
}

/* In a job that ends with this process, and without this console: Ctrl-C is for us, who then ends the child. */
static bool spawn(struct child *child, const char *program, char *line, char *environment, HANDLE in)
{
    static const DWORD how = CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW;
    STARTUPINFOA start = { .cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = in };
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { .BasicLimitInformation = {
                                                        .LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE } };
    PROCESS_INFORMATION made;
    start.hStdOutput = start.hStdError = child->log;
    if (!CreateProcessA(program, line, NULL, NULL, TRUE, how, environment, NULL, &start, &made))
        return false;
    child->process = made.hProcess;
    child->job = CreateJobObjectA(NULL, NULL);
    SetInformationJobObject(child->job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    const bool is_ours = AssignProcessToJobObject(child->job, child->process);
    if (is_ours)
        ResumeThread(made.hThread);
    else
        TerminateProcess(child->process, killed);
    CloseHandle(made.hThread);
    return is_ours;
}

static void child_free(struct child *child)
{
    handle_close(&child->requests);
    handle_close(&child->replies);
    handle_close(&child->log);
    handle_close(&child->process);
    handle_close(&child->job);
    handle_close(&child->reading.hEvent);
    last_call_release(child->last_call);
    lines_release(&child->received);
    free(child);
}

struct text child_parent(void)
{
    return text_print("%lu", GetCurrentProcessId());
}

struct child *child_start(const char *program, const char *const argv[], const char *const environment[], int log_fd,
                          struct error *err)
{
    HANDLE in = NULL, out = NULL;
    int last_call = -1;
    char line[LINE_ROOM] = "", own[PATH_MAX], *merged = NULL;
    bool is_started = false;
    struct child *child = calloc(1, sizeof *child);
    if (!child)
        return fail_null(err, STATUS_NO_MEMORY, "no memory to start a process");
    file_of_program(own);
    program = program ? program : own;
    for (unsigned i = 0; argv[i]; i++)
        add_argument(line, argv[i]);
    child->log = log_open(log_fd);
    child->reading.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    if (!child->reading.hEvent || !pipe_open(&child->requests, &in, false) || !pipe_open(&child->replies, &out, true)) {
        fail(err, STATUS_FAILED, "cannot open the channels to %s: error %lu", program, GetLastError());
        goto done;
    }
    child->last_call = last_call_create(&last_call);
    merged = environment_merge(environment, text_print("%s=%d %d", channels, (int)(intptr_t)out, last_call).text);
    is_started = merged && spawn(child, program, line, merged, in);
    if (!is_started)
        fail(err, STATUS_FAILED, "cannot start %s: error %lu", program, GetLastError());
done:
    free(merged);
    handle_close(&in);
    handle_close(&out);
    if (last_call > 0)
        CloseHandle((HANDLE)(intptr_t)last_call);
    if (is_started)
        return child;
    child_free(child);
    return NULL;
}

/* --- waiting and killing ----------------------------------------------------------------------------------------- */

static DWORD milliseconds(double seconds)
{
    return (DWORD)ceil(1000 * fmin(fmax(seconds, 0), 1e6));
}

static bool exits_within(const struct child *child, double seconds)
{
    return child->is_over || WaitForSingleObject(child->process, milliseconds(seconds)) == WAIT_OBJECT_0;
}

static long long log_length(const struct child *child)
{
    LARGE_INTEGER length;
    return child->log && GetFileSizeEx(child->log, &length) ? length.QuadPart : 0;
}

/* Takes the beginning of a long log back once the child is dead: what it printed last explains a crash. */
static void bound_log(const struct child *child)
{
    const long long length = log_length(child);
    char *last = length > LOG_MAX ? malloc(LOG_MAX / 2) : NULL;
    OVERLAPPED at = { .Offset = (DWORD)(length - LOG_MAX / 2) };
    DWORD kept = 0, written;
    if (!last)
        return;
    HANDLE file = ReOpenFile(child->log, GENERIC_READ | GENERIC_WRITE, 7, 0);
    if (file != INVALID_HANDLE_VALUE && ReadFile(file, last, LOG_MAX / 2, &kept, &at)) {
        SetFilePointer(file, 0, NULL, FILE_BEGIN);
        SetEndOfFile(file);
        WriteFile(file, last, kept, &written, NULL);
    }
    handle_close(&file);
    free(last);
}

static void child_kill(struct child *child)
{
    if (child->is_over)
        return;
    const bool by_itself = exits_within(child, 0);
    TerminateJobObject(child->job, killed);
    child->is_over = by_itself || exits_within(child, kill_wait);
    GetExitCodeProcess(child->process, &child->status);
    bound_log(child);
}

static bool kill_and_fail(struct child *child, struct error *err)
{
    child_kill(child);
    return child_failure_repeat(&child->end, err);
}

/* An exception that nothing handles is the exit status. */
static void describe_exit(DWORD status, char *to, size_t room)
{
    static const struct {
        DWORD code;
        const char *name;
    } known[] = {
        { EXCEPTION_ACCESS_VIOLATION, "access violation" },
        { EXCEPTION_STACK_OVERFLOW, "stack overflow" },
        { EXCEPTION_INT_DIVIDE_BY_ZERO, "integer division by zero" },
        { EXCEPTION_ILLEGAL_INSTRUCTION, "illegal instruction" },
        { 0xc0000409, "stack buffer overrun or fast fail" },
        { 0xc0000374, "heap corruption" },
        { 0xc0000135, "a library is missing" },
        { 0xe06d7363, "exception of C++" },
        { 3, "abort" },
    };
    snprintf(to, room, "exited with status %lu", status);
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == status)
            snprintf(to, room, "exited with status 0x%lx (%s)", status, known[i].name);
}

static bool fail_exited(struct child *child, const char *where, struct error *err)
{
    char how[100];
    child_kill(child);
    describe_exit(child->status, how, sizeof how);
    child_failure_exited(&child->end, where, how, &child->received);
    return child_failure_repeat(&child->end, err);
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

bool child_send(struct child *child, const char *line, double seconds, struct error *err)
{
    if (child->end.status != STATUS_OK)
        return child_failure_repeat(&child->end, err);
    const size_t length = strlen(line);
    char *whole = malloc(length + 1);
    OVERLAPPED writing = { .hEvent = CreateEventA(NULL, TRUE, FALSE, NULL) };
    if (!whole || !writing.hEvent) {
        free(whole);
        handle_close(&writing.hEvent);
        return fail(err, STATUS_NO_MEMORY, "no memory for a request");
    }
    memcpy(whole, line, length);
    whole[length] = '\n';
    const HANDLE on[] = { writing.hEvent, child->process };
    DWORD sent = 0, woken = WAIT_OBJECT_0;
    bool ok =
        WriteFile(child->requests, whole, (DWORD)length + 1, NULL, &writing) || GetLastError() == ERROR_IO_PENDING;
    const bool is_open = ok;
    if (ok)
        woken = WaitForMultipleObjects(2, on, FALSE, milliseconds(seconds));
    if (ok && woken != WAIT_OBJECT_0)
        CancelIo(child->requests);
    ok = ok && GetOverlappedResult(child->requests, &writing, &sent, TRUE) && sent == length + 1;
    handle_close(&writing.hEvent);
    free(whole);
    if (ok)
        return true;
    if (exits_within(child, woken == WAIT_TIMEOUT ? 0 : exit_delay))
        return fail_exited(child, __func__, err);
    if (woken == WAIT_TIMEOUT && is_open)
        fail(&child->end, STATUS_TIMEOUT, "did not read a request within %s", text_seconds(seconds).text);
    else
        fail(&child->end, STATUS_CRASHED, "closed its request pipe");
    return kill_and_fail(child, err);
}

/* Begins a read if none is under way, and takes what has arrived. False where nothing has, or never will (is_closed).
 */
static bool read_some(struct child *child)
{
    DWORD got = 0;
    char *to = child->is_reading ? child->received.buffer : lines_reserve(&child->received, READ_BYTES);
    if (!child->is_reading && !child->is_closed && to) {
        child->is_reading =
            ReadFile(child->replies, to, READ_BYTES, NULL, &child->reading) || GetLastError() == ERROR_IO_PENDING;
        child->is_closed = !child->is_reading;
    }
    if (!child->is_reading)
        return false;
    if (!GetOverlappedResult(child->replies, &child->reading, &got, FALSE)) {
        const bool goes_on = GetLastError() == ERROR_IO_INCOMPLETE;
        child->is_reading = goes_on;
        child->is_closed = !goes_on;
        return false;
    }
    child->is_reading = false;
    child->received.used += got;
    return true;
}

bool child_receive(struct child *child, double seconds, const struct interrupt *interrupt, char **line,
                   struct error *err)
{
    double deadline = clock_wall() + seconds;
    bool is_woken = false, was_open = !child->is_closed;
    if (child->end.status != STATUS_OK)
        return child_failure_repeat(&child->end, err);
    for (;;) {
        const bool has_exited = exits_within(child, 0); /* first: output from before its end is read below */
        while (!(*line = lines_take(&child->received)) && child->received.used <= CHILD_LINE_MAX && read_some(child))
            continue;
        if (*line)
            return true;
        if (child->received.used > CHILD_LINE_MAX) {
            fail(&child->end, STATUS_FAILED, "sent a line of more than %d bytes", CHILD_LINE_MAX);
            return kill_and_fail(child, err);
        }
        if (has_exited)
            return fail_exited(child, __func__, err);
        if (is_woken)
            return fail(err, STATUS_ABANDONED, "interrupted while waiting for a reply");
        if (was_open && child->is_closed) {
            was_open = false; /* it is probably exiting, which is the better reason */
            deadline = fmin(deadline, clock_wall() + exit_delay);
        }
        const double left = deadline - clock_wall();
        if (left <= 0) {
            child_failure_silent(&child->end, child->is_closed, &child->received, seconds);
            return kill_and_fail(child, err);
        }
        HANDLE on[3] = { child->process };
        DWORD count = 1;
        if (child->is_reading)
            on[count++] = child->reading.hEvent;
        if (interrupt && interrupt->source)
            on[count++] = (HANDLE)interrupt->source;
        WaitForMultipleObjects(count, on, FALSE, milliseconds(fmin(left, log_interval)));
        is_woken = interrupt && interrupt->source && interrupt_wait(interrupt, 0);
    }
}

/* --- ending ------------------------------------------------------------------------------------------------------ */

struct text child_last_call(const struct child *child)
{
    const struct text as_is = text_print("%.*s", LAST_CALL_ROOM - 1, child->last_call ? child->last_call : "");
    return text_cleaned(as_is.text);
}

long child_log_time(const struct child *child)
{
    FILETIME written;
    const bool is_known = log_length(child) > 0 && GetFileTime(child->log, NULL, NULL, &written);
    return is_known ? (long)(written.dwLowDateTime & 0x7fffffff) : 0;
}

struct text child_last_line(const struct child *child)
{
    char tail[LOG_TAIL];
    struct text last;
    const long long length = log_length(child), start = length < LOG_TAIL ? 0 : length - (LOG_TAIL - 1);
    OVERLAPPED at = { .Offset = (DWORD)start, .OffsetHigh = (DWORD)(start >> 32) };
    DWORD got = 0;
    if (length > 0 && !ReadFile(child->log, tail, sizeof tail - 1, &got, &at))
        got = 0;
    while (got > 0 && (tail[got - 1] == '\n' || tail[got - 1] == '\r'))
        got--;
    tail[got] = '\0';
    const char *line = strrchr(tail, '\n');
    text_clean(last.text, LAST_LINE, line ? line + 1 : tail);
    return last;
}

double child_cpu(const struct child *child)
{
    FILETIME begun, ended, kernel, user;
    if (child->is_over || !GetProcessTimes(child->process, &begun, &ended, &kernel, &user))
        return NAN;
    return 1e-7 * (0x1p32 * ((double)kernel.dwHighDateTime + user.dwHighDateTime) + (double)kernel.dwLowDateTime +
                   user.dwLowDateTime);
}

bool child_end(struct child *child, double seconds, struct error *err)
{
    if (!child)
        return true;
    handle_close(&child->requests);
    const double deadline = clock_wall() + seconds;
    while (child->end.status == STATUS_OK && !exits_within(child, fmin(0.02, seconds)) && clock_wall() < deadline) {
        while (read_some(child)) /* so that a full pipe does not keep it from exiting */
            child->received.taken = child->received.scanned = child->received.used;
    }
    child->received.taken = child->received.used; /* its output does not matter any more */
    if (child->end.status == STATUS_OK && exits_within(child, 0)) {
        child_kill(child);
        if (child->status != 0)
            fail_exited(child, __func__, NULL);
    } else if (child->end.status == STATUS_OK) {
        fail(&child->end, STATUS_TIMEOUT, "did not exit within %s", text_seconds(seconds).text);
        child_kill(child);
    }
    const bool left = child->end.status == STATUS_OK || child_failure_repeat(&child->end, err);
    if (child->is_reading) {
        DWORD ignored;
        CancelIo(child->replies);
        GetOverlappedResult(child->replies, &child->reading, &ignored, TRUE); /* it wrote into our buffer until then */
    }
    child_free(child);
    return left;
}

/* --- in the child ------------------------------------------------------------------------------------------------ */

static bool channels_read(int *replies, int *last_call)
{
    const char *given = getenv(channels);
    return given && sscanf(given, "%d %d", replies, last_call) == 2;
}

FILE *child_replies(void)
{
    int replies, last_call;
    if (!channels_read(&replies, &last_call))
        return NULL;
    SetHandleInformation((HANDLE)(intptr_t)replies, HANDLE_FLAG_INHERIT, 0); /* not for processes of a driver */
    FILE *out = _fdopen(_open_osfhandle(replies, _O_BINARY), "wb");
    if (out)
        setvbuf(out, NULL, _IOFBF, READ_BYTES); /* otherwise what is no file gets byte by byte */
    return out;
}

/* The job ends it with its parent. */
bool child_follow(const char *parent)
{
    int replies, last_call;
    if (!channels_read(&replies, &last_call))
        return false;
    last_call_open(last_call);
    return true;
}
