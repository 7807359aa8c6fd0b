#ifndef HARNESS_MACHINE_NEIGHBOUR_H
#define HARNESS_MACHINE_NEIGHBOUR_H

/* Checks a core for other load: on the core's other hardware thread, as another virtual machine may cause it, which
 * neither the load average nor steal time shows. Independent multiply-adds share the core's units with that thread, a
 * chain of additions hardly does, and both follow the clock. So multiply-adds per cycle of the chain are a figure of
 * the core (2 on most), and half of it with other load. */

/* The processors that are checked in turn: some of those that this process may use. */
enum { NEIGHBOURS_MAX = 8 };
struct neighbours {
    unsigned processor[NEIGHBOURS_MAX], processors, next;
};

/* One check. */
struct neighbour_look {
    unsigned processor;
    double rate; /* multiply-adds per cycle */
};

/* No processors where there is no way to look. */
struct neighbours neighbours_find(void);

/* Takes 0.1 ms on the next processor, during which nothing else of this run may compute; then this thread may run where
 * it could before. The rate is NAN where that fails. */
struct neighbour_look neighbours_look(struct neighbours *neighbours);

#endif
