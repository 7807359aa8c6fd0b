#include "harness/base/text.h"
#include "harness/publish/publication.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <string.h>

TestSuite(publication, .fini = release_kept);

Test(publication, a_slug_is_safe_as_a_name)
{
    static const char *const cases[][2] = {
        { "i5-8250U UHD 620", "i5-8250u-uhd-620" },
        { "../../etc/passwd", "etc-passwd" },
        { "..", "" },
        { ".hidden", "hidden" },
        { "a/../b", "a-b" },
        { "\x1b[31mEvil\xe2\x80\xae CPU\n", "31mevil-cpu" },
        { "", "" },
        { "---", "" },
        { "x.", "x" },
        { "\xc3\xa4\xc3\xb6", "" },
    };
    char slug[SLUG_ROOM], long_name[1001];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(text_slug(slug, sizeof slug, cases[i][0]), cases[i][1]);
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    cr_expect_eq(strlen(text_slug(slug, sizeof slug, long_name)), SLUG_ROOM - 1);
}

/* A machine with that processor and these GPUs, each "class name silicon". */
static void expect_machine(const char *host, const char *const gpus[][3], const char *wanted)
{
    char slug[SLUG_ROOM];
    struct record *record = new_record();
    json_error_t where;
    addf(record, "{'line': 'journal', 'host': %s}", host);
    for (unsigned i = 0; gpus && gpus[i][0]; i++)
        add_line(record,
                 json_pack_ex(&where, 0, "{s:s, s:s+, s:s+, s:s, s:s, s:s, s:s}", "line", "device", "id", "d",
                              i == 0   ? "0"
                              : i == 1 ? "1"
                                       : "2",
                              "key", "k",
                              i == 0   ? "0"
                              : i == 1 ? "1"
                                       : "2",
                              "backend", "opencl", "class", gpus[i][0], "name", gpus[i][1], "silicon", gpus[i][2]));
    publication_machine(slug, record);
    cr_expect_str_eq(slug, wanted, "%s: '%s', not '%s'", host, slug, wanted);
}

Test(publication, machines_are_named_by_processor_and_gpus)
{
    static const char *const uhd[][3] = { { "iGPU", "Intel(R) UHD Graphics 620 [0x5917]", "pci 0000:00:02.0" },
                                          { NULL } };
    static const char *const two[][3] = { { "dGPU", "Tesla T4", "pci 0000:01:00.0" },
                                          { "dGPU", "Tesla T4", "pci 0000:02:00.0" },
                                          { NULL } };
    static const char *const twice[][3] = { { "dGPU", "NVIDIA H100 80GB HBM3", "pci 1" },
                                            { "dGPU", "NVIDIA H100 PCIe", "pci 1" },
                                            { NULL } };
    static const char *const mesa[][3] = {
        { "dGPU", "AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.6, DRM 3.49, 6.1.0)", "pci 2" }, { NULL }
    };
    static const char *const cpu[][3] = { { "CPU", "pthread-skylake", "cpu" }, { NULL } };
    expect_machine("{\"name\": \"Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz\", \"cores\": 4}", uhd,
                   "intel-core-i5-8250u-intel-uhd-graphics-620");
    expect_machine("{\"name\": \"12th Gen Intel(R) Core(TM) i7-12700K\"}", NULL, "12th-gen-intel-core-i7-12700k");
    expect_machine("{\"name\": \"AMD Ryzen 7 PRO 4750U with Radeon Graphics\"}", NULL,
                   "amd-ryzen-7-pro-4750u-with-radeon-graphics");
    expect_machine("{\"name\": \"AMD Ryzen 9 5950X 16-Core Processor\"}", mesa,
                   "amd-ryzen-9-5950x-16-core-processor-amd-radeon-rx-6800");
    expect_machine("{\"name\": \"AMD EPYC 9B14\"}", two, "amd-epyc-9b14-tesla-t4");
    expect_machine("{\"name\": \"AMD EPYC 9B14\"}", twice, "amd-epyc-9b14-nvidia-h100-80gb-hbm3");
    expect_machine("{\"name\": \"Intel(R) Xeon(R) Processor\", \"hypervisor\": \"KVM\", \"cores\": 2}", cpu,
                   "intel-xeon-processor-kvm");
    expect_machine("{\"name\": \"Intel(R) Xeon(R) Processor @ 2.10GHz\", \"hypervisor\": \"KVM\", \"cores\": 2}", cpu,
                   "intel-xeon-processor-kvm");
    expect_machine(
        "{\"name\": \"Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz\", \"cores\": 4, \"signature\": \"6-142-10 avx2 4c "
        "8g\"}",
        uhd, "intel-core-i5-8250u-6-142-10-avx2-4c-8g-intel-uhd-graphics-620");
    expect_machine("{\"name\": \"Intel(R) Xeon(R) Processor\", \"hypervisor\": \"KVM\", \"cores\": 2, \"signature\": "
                   "\"6-167-1 avx512_fp16 amx_tile 2c 8g\"}",
                   cpu, "intel-xeon-processor-6-167-1-avx512-fp16-amx-tile-2c-8g-kvm");
    expect_machine("{\"name\": \"../../x\", \"hypervisor\": 5, \"cores\": -1}", NULL, "x");
    expect_machine("{}", NULL, "machine");
    expect_machine("{\"name\": [], \"cores\": \"many\"}", NULL, "machine");
}
