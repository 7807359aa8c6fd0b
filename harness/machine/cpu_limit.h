#ifndef HARNESS_MACHINE_CPU_LIMIT_H
#define HARNESS_MACHINE_CPU_LIMIT_H

/* Environment variables by which a user holds back the libraries or the threads of the CPU. They stay in force, with a
 * warning. Those that bench sets for its workers (OMP_NUM_THREADS, OMP_PROC_BIND and others) are none of them. */

struct cpu_limit {
    const char *variable;
    char effect[96]; /* "ONEDNN_MAX_CPU_ISA=AVX2 keeps oneDNN from wider instruction sets" */
};
enum { CPU_LIMITS_MAX = 8 };

/* Returns how many there are. `variable` reads the environment, NULL for what is not set; `threads` is how many the CPU
 * should have. */
unsigned cpu_limits(struct cpu_limit out[CPU_LIMITS_MAX], char *(*variable)(const char *name), unsigned threads);

#endif
