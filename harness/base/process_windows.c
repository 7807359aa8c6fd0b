#include "harness/base/process.h"

#include <fcntl.h>
#include <io.h>
#include <math.h>
#include <stdio.h>
#include <windows.h>
/* After windows.h. */
#include <psapi.h>

/* Everything inside is written as on other systems: lines end in one byte, text is UTF-8 (the program's manifest says
 * so for arguments, paths and variables), and the parts of a path are separated by '/', which the system takes, too. A
 * worker that crashes must end without a dialogue. */
void process_begin(int arguments, char *argument[])
{
    for (int fd = 0; fd <= 2; fd++)
        if (_setmode(fd, _O_BINARY) < 0)
            _open("NUL", fd == 0 ? _O_WRONLY : _O_RDONLY); /* the lowest free number: fd */
    for (int i = 1; i < arguments; i++)
        for (char *at = argument[i]; *at; at++)
            *at = *at == '\\' ? '/' : *at;
    SetConsoleOutputCP(CP_UTF8);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
}

void process_report_write_errors(void)
{
}

/* Times of children are not added up by the system. */
double process_family_cpu(void)
{
    return NAN;
}

double process_page_faults(void)
{
    PROCESS_MEMORY_COUNTERS memory = { .cb = sizeof memory };
    return GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory) ? (double)memory.PageFaultCount : NAN;
}

double process_address_limit(char *option)
{
    return INFINITY;
}

double process_cpu_limit(void)
{
    return INFINITY;
}

double process_task_limit(void)
{
    return INFINITY;
}

unsigned terminal_columns(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO screen;
    return GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &screen)
               ? (unsigned)(screen.srWindow.Right - screen.srWindow.Left + 1)
               : 0;
}

bool terminal_has_escapes(int fd)
{
    HANDLE console = (HANDLE)_get_osfhandle(fd);
    DWORD mode;
    return GetConsoleMode(console, &mode) && SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool pipe_is_closed(int fd)
{
    return GetFileType((HANDLE)_get_osfhandle(fd)) == FILE_TYPE_PIPE; /* nothing else makes a write to one fail */
}

bool process_host_name(char *to, unsigned room)
{
    DWORD length = room;
    return GetComputerNameA(to, &length) && *to;
}
