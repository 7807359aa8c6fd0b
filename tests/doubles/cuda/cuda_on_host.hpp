/* Put in front of a kernel text that the double of NVRTC compiles with the host's C++ compiler: CUDA's keywords for one
 * processor. The threads of a block take turns at its barriers, each with its own stack; if the first thread meets no
 * barrier, the others need no stacks. Blocks run one after the other, so shared memory can be static. */
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

#define __CUDACC__ 1
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__   static
#define __restrict__ __restrict
#define __syncthreads() host_barrier()

struct host_place {
    unsigned x, y, z;
};
static host_place blockIdx, threadIdx, host_threads;

enum { HOST_THREADS = 1024, HOST_STACK = 64 << 10 };
static ucontext_t host_thread[HOST_THREADS], host_scheduler;
static bool host_done[HOST_THREADS], host_met_barrier;
/* They belong to the object that this text is compiled into; one process loads hundreds of them. */
alignas(64) static char host_stacks[HOST_THREADS * HOST_STACK];

static void host_place_thread(unsigned i)
{
    threadIdx.x = i % host_threads.x;
    threadIdx.y = i / host_threads.x % host_threads.y;
    threadIdx.z = i / host_threads.x / host_threads.y;
}

static unsigned host_running;

static void host_barrier()
{
    const unsigned self = host_running;
    host_met_barrier = true;
    swapcontext(&host_thread[self], &host_scheduler);
    host_running = self;
    host_place_thread(self);
}

typedef void host_kernel(long long, long long, long long, long long, long long, long long, long long, long long,
                         long long, long long, long long, long long, long long, long long, long long, long long,
                         long long, long long, long long, long long);
static host_kernel *host_entry;
static long long host_value[20];

static void host_call()
{
    const long long *v = host_value;
    host_entry(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15],
               v[16], v[17], v[18], v[19]);
}

static void host_main(int i)
{
    host_place_thread((unsigned)i);
    host_call();
    host_done[i] = true;
}

static void host_start(unsigned i)
{
    host_done[i] = false;
    getcontext(&host_thread[i]);
    host_thread[i].uc_stack.ss_sp = &host_stacks[i * HOST_STACK];
    host_thread[i].uc_stack.ss_size = HOST_STACK;
    host_thread[i].uc_link = &host_scheduler;
    makecontext(&host_thread[i], (void (*)())host_main, 1, (int)i);
}

static void host_go_on(unsigned i)
{
    host_running = i;
    swapcontext(&host_scheduler, &host_thread[i]);
}

static void host_block(unsigned threads)
{
    host_met_barrier = false;
    host_start(0);
    host_go_on(0);
    if (!host_met_barrier) {
        for (unsigned i = 1; i < threads; i++) {
            host_place_thread(i);
            host_call();
        }
        return;
    }
    for (unsigned i = 1; i < threads; i++) {
        host_start(i);
        host_go_on(i);
    }
    for (bool all_done = false; !all_done;) {
        all_done = true;
        for (unsigned i = 0; i < threads; i++)
            if (!host_done[i]) {
                host_go_on(i);
                all_done = false;
            }
    }
}

extern "C" int host_launch(void *entry, const unsigned blocks[3], const unsigned threads[3], void **arguments)
{
    const unsigned all = threads[0] * threads[1] * threads[2];
    if (all > HOST_THREADS)
        return 1;
    host_entry = (host_kernel *)entry;
    host_threads = host_place{ threads[0], threads[1], threads[2] };
    for (unsigned i = 0; i < 20 && arguments[i]; i++)
        host_value[i] = *(long long *)arguments[i];
    for (blockIdx.z = 0; blockIdx.z < blocks[2]; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < blocks[1]; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < blocks[0]; blockIdx.x++)
                host_block(all);
    return 0;
}

template <class T> static inline void __stcs(T *to, T value)
{
    *to = value;
}
static inline float fma(float a, float b, float c)
{
    return std::fma(a, b, c);
}

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

template <class To, class From> static inline To host_bits(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "the same bits");
    memcpy(&to, &from, sizeof to);
    return to;
}
#define __uint_as_float(bits)  host_bits<float>(bits)
#define __float_as_uint(value) host_bits<unsigned>(value)

/* What kernels/element.h does in the GPU's assembler. */
#define CVT_F32_F16(to, from) ((to) = (float)host_bits<_Float16>(from))
#define CVT_F16_F32(to, from) ((to) = host_bits<unsigned short>((_Float16)(from)))
