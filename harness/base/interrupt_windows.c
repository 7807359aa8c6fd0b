#include "harness/base/interrupt.h"

#include <math.h>
#include <windows.h>

/* A handler gets nothing but the event, so it finds the program's object here. */
static struct {
    HANDLE event;
    volatile LONG signal;
} user;

enum { HANGUP = 1, INTERRUPT = 2 }; /* as POSIX numbers the signals */

/* Closing the console ends the program once this returns, or after some seconds: until then the main thread writes what
 * was measured, and exits. */
static BOOL WINAPI handle(DWORD what)
{
    const bool closes = what != CTRL_C_EVENT && what != CTRL_BREAK_EVENT;
    InterlockedExchange(&user.signal, closes ? HANGUP : INTERRUPT);
    SetEvent(user.event);
    if (closes)
        Sleep(INFINITE);
    return TRUE;
}

void interrupt_open(struct interrupt *out)
{
    user.event = CreateEventA(NULL, TRUE, FALSE, NULL);
    out->source = (intptr_t)user.event;
    if (user.event)
        SetConsoleCtrlHandler(handle, TRUE);
}

void interrupt_close(struct interrupt *interrupt)
{
    if (!interrupt->source)
        return;
    SetConsoleCtrlHandler(handle, FALSE);
    CloseHandle(user.event);
}

bool interrupt_wait(const struct interrupt *interrupt, double seconds)
{
    return WaitForSingleObject((HANDLE)interrupt->source, (DWORD)ceil(1000 * seconds)) == WAIT_OBJECT_0;
}

int interrupt_signal(const struct interrupt *interrupt)
{
    return user.signal ? (int)user.signal : INTERRUPT;
}
