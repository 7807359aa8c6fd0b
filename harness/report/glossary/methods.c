/* What computes: the methods, the libraries behind them, and the workloads. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char word[] = "word";

static const struct term terms[] = {
    { "native", word,
      "Our own C on the CPU, compiled for each instruction set, with threads and streaming stores. For a matrix it is "
      "a fallback where no library is installed.",
      NULL, "native code|own c" },
    { "portable", word,
      "Our own kernel text, compiled by the device's driver, with tile sizes for its kind of device. The same text "
      "runs on every GPU.",
      NULL, "portable kernel|own kernel" },
    { "graph", word,
      "The kernel launches of a run, recorded once and then handed to the GPU by one call, as a CUDA graph. It is the "
      "best that many small launches can come to; the row of portable beside it is what they cost one by one.",
      "Worth its trouble in your program where its row is much faster than that of portable.", "cuda graph|graphs" },
    { "blocking", word,
      "The same launch as in the row of portable, with a host that sleeps until the GPU wakes it, instead of asking "
      "all "
      "the time. The wait is longer, and host CPU is what the sleep saves.",
      "Wait this way where runs are long and the host has other work.", "blocking sync|blocking wait|sleeps" },
    { "openblas", word, "OpenBLAS, a free library for matrices on CPUs, here in the build that uses OpenMP's threads.",
      "libopenblas-openmp-dev has it on Debian and Ubuntu.", "blas|gemm|sgemm|openmp build|skylakex" },
    { "onednn", word,
      "oneDNN, Intel's free library for neural networks on CPUs, with data in an order of its own choice: 'compute' is "
      "then from layer to layer, 'repack' what it costs to come from plain data and go back.",
      "libdnnl-dev has it on Debian and Ubuntu.", "dnnl|mkl dnn|brg|jit|onednn direct" },
    { "onednn-gemm", word, "oneDNN's multiplication of plain matrices, without an order of its own.", NULL, NULL },
    { "onednn-winograd", word,
      "oneDNN's convolution by Winograd's algorithm, which does with fewer multiplications than the definition counts. "
      "It is faster for 3 x 3 filters, and less exact.",
      "See that its accuracy is enough for you.", "winograd" },
    { "im2col-openblas", word,
      "A convolution made into a multiplication of matrices: the patches of the images are copied side by side, and "
      "OpenBLAS does the rest. It takes much memory.",
      NULL, "im2col|patches" },
    { "clblast", word,
      "CLBlast, a free library for matrices and convolutions on OpenCL devices. It compiles its kernels at first use, "
      "which may take seconds, and it is tuned for some devices and not for others.",
      "libclblast-dev has it on Debian and Ubuntu.", "convgemm" },
    { "cublas", word,
      "cuBLAS, NVIDIA's library for matrices on its GPUs. It multiplies and adds up in what the row says, and f32 "
      "never "
      "becomes TF32.",
      "It comes with the CUDA Toolkit and with pip's nvidia-cublas; bench devices says whether it was found.",
      "cublas gemm|cublaslt" },
    { "cudnn", word,
      "NVIDIA's library for neural networks on its GPUs, with those of its algorithms that do what the definition "
      "says. "
      "Each that takes the convolution is measured, the fastest is taken, and the row names it.",
      "pip has it as nvidia-cudnn-cu12 and -cu13; BENCH_LIBRARY_PATH names the directory of libcudnn.so.9.",
      "cudnn implicit gemm|implicit gemm|implicit-gemm|implicit-precomp-gemm|faster than" },
    { "cudnn-nhwc", word,
      "The same of images and filters in NHWC, all channels of a place side by side, as tensor cores like it better: "
      "'compute' is then from layer to layer, 'repack' what it costs to come from NCHW and go back.",
      NULL, "nhwc|nchw|channels last" },
    { "cudnn-winograd", word,
      "cuDNN's convolution by Winograd's algorithm, which does with fewer multiplications than the definition counts. "
      "It is for 3 x 3 filters, and less exact.",
      "See that its accuracy is enough for you.", "winograd-nonfused" },
    { "cudnn-fft", word,
      "cuDNN's convolution by Fourier transforms, in which a filter costs the same whatever its size. It takes much "
      "memory, and is less exact.",
      "See that its accuracy is enough for you.", "fft|fft-tiling|fourier" },
    { "copy", word,
      "The driver's own command that copies within a device. What it reads and what it writes both count in GB/s, as "
      "they do in every row but those of other transfers.",
      "Hold a memory-bound kernel against it: near this figure there is little to gain.",
      "device to device|device-to-device|dtod|d2d|within" },
    { "peer", word,
      "The driver's own command that copies straight from one GPU to the next one, without the host's memory: over "
      "NVLink, or over PCI Express. The bytes count once.",
      "Where a machine does not let its GPUs reach each other the row says so: through-host is then the way.",
      "peer to peer|peer-to-peer|p2p|nvlink|gpu to gpu" },
    { "through-host", word,
      "A copy from one GPU to the next one by way of the host: in pieces, each of which goes down into pinned memory "
      "and "
      "up again while others are on their way. The bytes count once.",
      NULL, "through the host|staged" },
    { "multiply", word,
      "c = a * b, element by element: one operation for each three numbers moved, so that only memory counts. A GPU "
      "whose data must be moved first can hardly win here.",
      NULL, "elementwise|element by element|a * b" },
    { "matmul", word,
      "C = A B, the multiplication of matrices: 2 m n k operations, so that each number is used often and arithmetic "
      "counts.",
      NULL, "matrix multiplication|matrix product|gemm workload" },
    { "conv", word,
      "Convolution of images with filters, the main work of many neural networks: 2 N K P Q C R S operations, whatever "
      "the algorithm really does.",
      NULL, "convolution|stride|pad|padding|filter" },
    { "transfer", word,
      "Moving bytes from the host to a device (up) or back (down), for each kind of memory, which is nothing for a CPU "
      "to do; within a device (within); and from a GPU to the next one (peer, through-host).",
      NULL, "direction|within|moving data|pcie|transfers|fastest transfer" },
    { "peak", word,
      "The workload that looks for what a device can do at most: chains of multiply-adds, and memory that is read, "
      "written, copied, or both. Ceilings are measured with it.",
      NULL, "turns|peak workload|peak bandwidth|peak flops" },
};

const struct chapter glossary_methods = { terms, sizeof terms / sizeof *terms };
