#ifndef HARNESS_BASE_INTERRUPT_H
#define HARNESS_BASE_INTERRUPT_H

/* The user's wish to end: Ctrl-C, a closed terminal, a request to end. It does not end the program then, but wakes who
 * waits for it. */

#include <stdbool.h>
#include <stdint.h>

struct interrupt {
    intptr_t source; /* what a wait of the system takes: here a descriptor, readable once the user interrupts */
};

/* One for the whole program. Where the system has none to give, an interrupt ends the program as usual. */
void interrupt_open(struct interrupt *out);
void interrupt_close(struct interrupt *interrupt); /* one of zeros is fine */

/* Waits at most so many seconds for the user. Returns whether he has interrupted; it stays so. */
bool interrupt_wait(const struct interrupt *interrupt, double seconds);

/* The number of the signal, once the user has interrupted. */
int interrupt_signal(const struct interrupt *interrupt);

#endif
