#include "harness/base/interrupt.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

void interrupt_open(struct interrupt *out)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    out->source = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (out->source >= 0)
        sigprocmask(SIG_BLOCK, &set, NULL);
}

void interrupt_close(struct interrupt *interrupt)
{
    if (interrupt->source > 0)
        close((int)interrupt->source);
}

bool interrupt_wait(const struct interrupt *interrupt, double seconds)
{
    struct pollfd signals = { .fd = (int)interrupt->source, .events = POLLIN };
    return poll(&signals, 1, (int)ceil(1000 * seconds)) > 0;
}

int interrupt_signal(const struct interrupt *interrupt)
{
    struct signalfd_siginfo info;
    const bool is_known = read((int)interrupt->source, &info, sizeof info) == sizeof info;
    return is_known ? (int)info.ssi_signo : SIGINT;
}
