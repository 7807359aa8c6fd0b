/* A libopenblas for tests, which chooses its core when it is loaded:
 *
 *   OPENBLAS_CORETYPE    that core, as in the library itself
 *   BLAS_DOUBLE_CORE     otherwise; "Prescott" without it
 *   BLAS_DOUBLE_ONE      anything: it is a build for that core alone, and the first variable has no effect */

#include <stdlib.h>
#include <string.h>

void cblas_sgemm(int order, int a_way, int b_way, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dgemm(int order, int a_way, int b_way, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void cblas_sgemv(int order, int way, int m, int n, float alpha, const float *a, int lda, const float *x, int x_step,
                 float beta, float *y, int y_step);
void cblas_dgemv(int order, int way, int m, int n, double alpha, const double *a, int lda, const double *x, int x_step,
                 double beta, double *y, int y_step);
char *openblas_get_config(void);
char *openblas_get_corename(void);
int openblas_get_parallel(void);
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

static char core[24] = "Prescott", config[64] = "OpenBLAS 0.3.99 ";
static int threads_used = 1;

__attribute__((constructor)) static void choose(void)
{
    const char *own = getenv("BLAS_DOUBLE_CORE"), *asked = getenv("OPENBLAS_CORETYPE"),
               *one = getenv("BLAS_DOUBLE_ONE");
    const char *used = asked && !one ? asked : own;
    if (used)
        strncpy(core, used, sizeof core - 1);
    if (!one)
        strcat(config, "DYNAMIC_ARCH ");
    strcat(config, core);
}

char *openblas_get_config(void)
{
    return config;
}

char *openblas_get_corename(void)
{
    return core;
}

int openblas_get_parallel(void)
{
    return 2;
}

int openblas_get_num_threads(void)
{
    return threads_used;
}

void openblas_set_num_threads(int threads)
{
    threads_used = threads;
}

#define GEMM(name, type)                                                                                               \
    void name(int order, int a_way, int b_way, int m, int n, int k, type alpha, const type *a, int lda, const type *b, \
              int ldb, type beta, type *c, int ldc)                                                                    \
    {                                                                                                                  \
        (void)order, (void)a_way, (void)b_way, (void)alpha, (void)beta;                                                \
        for (int i = 0; i < m; i++)                                                                                    \
            for (int j = 0; j < n; j++) {                                                                              \
                type sum = 0;                                                                                          \
                for (int l = 0; l < k; l++)                                                                            \
                    sum += a[i * lda + l] * b[l * ldb + j];                                                            \
                c[i * ldc + j] = sum;                                                                                  \
            }                                                                                                          \
    }
GEMM(cblas_sgemm, float)
GEMM(cblas_dgemm, double)

/* Never called: it is there to be found. */
#define GEMV(name, type)                                                                                               \
    void name(int order, int way, int m, int n, type alpha, const type *a, int lda, const type *x, int x_step,         \
              type beta, type *y, int y_step)                                                                          \
    {                                                                                                                  \
        (void)order, (void)way, (void)m, (void)n, (void)alpha, (void)a, (void)lda, (void)x, (void)x_step, (void)beta,  \
            (void)y, (void)y_step;                                                                                     \
        abort();                                                                                                       \
    }
GEMV(cblas_sgemv, float)
GEMV(cblas_dgemv, double)
