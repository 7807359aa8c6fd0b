#!/bin/bash
# The set-up on recorded trees with a pretended apt-get: which packages it asks for, and what it does when it may not,
# cannot, or need not install. TAP.
# shellcheck disable=SC2016 # what the pretended commands run is expanded by them
set -uo pipefail
here=$(readlink -f "${BASH_SOURCE[0]%/*}/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
number=0

# A machine with a shell only: commands are in $machine/bin, OpenCL drivers and PCI devices below $machine. The
# arguments of apt-get are written to $machine/asked.
new_machine() { # USER_ID [PCI_VENDOR[:DEVICE] CLASS]...
    local tool
    machine=$scratch/$((++machines))
    mkdir -p "$machine"/{bin,build,etc/OpenCL/vendors,sys/bus/pci/devices}
    for tool in bash cat chmod cut flock find grep mkdir readlink rm sort tail touch env mv true sleep stat; do
        ln -s "$(type -P "$tool")" "$machine/bin/$tool"
    done
    pretend id "echo $1"
    pretend sudo 'exit 1'
    pretend apt-get 'echo "$*" >>"$machine/asked"'
    shift
    release 'ID=debian' 'VERSION_CODENAME=bookworm'
    while (($#)); do
        mkdir "$machine/sys/bus/pci/devices/$#"
        echo "${1%:*}" >"$machine/sys/bus/pci/devices/$#/vendor"
        echo "0x${1#*:}" >"$machine/sys/bus/pci/devices/$#/device"
        echo "$2" >"$machine/sys/bus/pci/devices/$#/class"
        shift 2
    done
}
machines=0

release() { # LINE...: of the machine's os-release
    printf '%s\n' "$@" >"$machine/etc/os-release"
}

pretend() { # COMMAND BODY
    printf '#!/bin/bash\n%s\n' "$2" >"$machine/bin/$1"
    chmod +x "$machine/bin/$1"
}

# Every required package, and no optional one.
with_tools() {
    pretend cc 'exit 0'
    pretend meson 'exit 0'
    pretend ninja 'exit 0'
    pretend pkg-config '[[ $2 == jansson || $2 == hwloc ]]'
}

set_up() { # PURPOSE [NAME=VALUE]...: its output goes to $said, its exit status to $status
    local purpose=$1
    shift
    said=$(env -i PATH="$machine/bin" machine="$machine" BENCH_ROOT="$machine" BENCH_BUILD="$machine/build" "$@" \
        bash -c 'set -euo pipefail; here=$1; source "$1/scripts/setup.sh"; with_lock set_up "$2"' \
        - "$here" "$purpose" 2>&1)
    status=$?
    asked=$(cat "$machine/asked" 2>/dev/null)
}

# The package could be installed now; the package lists have not changed.
with_apt_get() {
    pretend apt-get 'echo "$*" >>"$machine/asked"'
    rm -f "$machine/asked"
}

start() { # SCRIPT [NAME=VALUE]...: like set_up, but the whole script
    local script=$1
    shift
    said=$(env -i PATH="$machine/bin" machine="$machine" BENCH_ROOT="$machine" BENCH_BUILD="$machine/build" "$@" \
        "$here/scripts/$script" 2>&1)
    status=$?
    asked=$(cat "$machine/asked" 2>/dev/null)
}

check() { # SENTENCE CONDITION...
    local sentence=$1
    shift
    number=$((number + 1))
    if "$@"; then
        echo "ok $number - $sentence"
        return
    fi
    echo "not ok $number - $sentence"
    printf 'status %s, said:\n%s\nasked:\n%s\n' "$status" "$said" "$asked" | sed 's/^/# /'
    failed=yes
}

says() { [[ $said == *"$1"* ]]; }
says_not() { [[ $said != *"$1"* ]]; }
asks() { [[ " ${asked//$'\n'/ } " == *" $1 "* ]]; }
asks_not() { ! asks "$1"; }
ends_with() { [[ $status == "$1" ]]; }

new_machine 0
set_up bench
check "root: what is missing is installed" asks meson
check "root: without recommended packages" asks --no-install-recommends
check "root: the set-up succeeds" ends_with 0
check "root: it is reported" says "Installing with apt-get: gcc libc6-dev meson ninja-build pkg-config libjansson-dev libhwloc-dev"
check "no graphics: PoCL" asks pocl-opencl-icd
check "no graphics: it is reported" says "pocl-opencl-icd makes the CPU an OpenCL device"
check "the tests' packages are not asked for" asks_not libcriterion-dev
rm "$machine/asked"
set_up bench
check "nothing came: a second start asks for nothing" [ -z "$asked" ]
check "nothing came: a second start says so in one line" [ "$said" = \
    "bench: Still without libclblast-dev libdnnl-dev libopenblas-openmp-dev ocl-icd-opencl-dev pocl-opencl-icd." ]
set_up test
check "the tests ask for Criterion" asks libcriterion-dev

# GPUs on no PCI bus. tests/bench/doctor/test_doctor.c has the same names.
while read -r vendor codename package names; do
    new_machine 0
    release "ID=debian" "VERSION_CODENAME=$codename"
    mkdir -p "$machine/sys/bus/platform/devices/ff9a0000.gpu"
    printf 'OF_NAME=gpu\nOF_COMPATIBLE_N=2\n%s\n' "$names" | tr ' ' '\n' >"$machine/sys/bus/platform/devices/ff9a0000.gpu/uevent"
    set_up bench
    check "$names on $codename: $package" asks "$package"
    [[ $vendor == none ]] || check "$names is of $vendor" says "bench: $vendor graphics: "
    [[ $package == pocl* ]] || check "$names on $codename: no PoCL" asks_not pocl-opencl-icd
done <<'CHIPS'
Arm bookworm mesa-opencl-icd OF_COMPATIBLE_0=rockchip,rk3399-mali OF_COMPATIBLE_1=arm,mali-t860
Arm bullseye pocl-opencl-icd OF_COMPATIBLE_0=arm,mali-valhall-csf
Qualcomm trixie mesa-opencl-icd OF_COMPATIBLE_0=qcom,adreno-630.2 OF_COMPATIBLE_1=qcom,adreno
Broadcom bookworm mesa-opencl-icd OF_COMPATIBLE_0=brcm,2712-v3d
NVIDIA jammy pocl-opencl-icd OF_COMPATIBLE_0=nvidia,ga10b
none bookworm pocl-opencl-icd OF_COMPATIBLE_0=arm,mali-400
none bookworm pocl-opencl-icd OF_COMPATIBLE_0=arm,cortex-a72
CHIPS

# Which package serves a chip on which release; tests/bench/doctor/test_doctor.c has the same machines.
while read -r codename id like chip package; do
    new_machine 0 "0x8086:$chip" 0x030000
    release "ID=$id" "ID_LIKE=\"${like/-/}\"" "VERSION_CODENAME=${codename/-/}"
    set_up bench
    if [[ $package == none ]]; then
        check "Intel $chip on $id $codename: no package, and the reason" says "no package of this release"
        check "Intel $chip on $id $codename: PoCL instead" asks pocl-opencl-icd
    else
        check "Intel $chip on $id $codename: $package" asks "$package"
        check "Intel $chip on $id $codename: no PoCL" asks_not pocl-opencl-icd
    fi
done <<'MACHINES'
bookworm debian - 5917 intel-opencl-icd
bookworm debian - 7d55 mesa-opencl-icd
bookworm debian - 22b0 mesa-opencl-icd
trixie debian - 5917 mesa-opencl-icd
trixie debian - 46a6 mesa-opencl-icd
forky debian - 5917 mesa-opencl-icd
forky debian - 46a6 intel-opencl-icd
bullseye debian - 5917 intel-opencl-icd
bullseye debian - 46a6 none
focal ubuntu debian 5917 intel-opencl-icd
jammy ubuntu debian 5917 intel-opencl-icd
jammy ubuntu debian 7d55 none
noble ubuntu debian 5917 intel-opencl-icd
noble ubuntu debian 64a0 mesa-opencl-icd
noble ubuntu debian 4626 intel-opencl-icd
noble ubuntu debian b080 mesa-opencl-icd
questing ubuntu debian 5917 intel-opencl-icd-legacy
questing ubuntu debian 64a0 intel-opencl-icd
questing ubuntu debian d740 mesa-opencl-icd
resolute ubuntu debian 5917 intel-opencl-icd-legacy
resolute ubuntu debian d740 intel-opencl-icd
- fedora - 5917 mesa-libOpenCL
- fedora - 46a6 intel-opencl
- arch - 5917 opencl-mesa
- arch - ffff intel-compute-runtime
- opensuse-tumbleweed opensuse 5917 Mesa-libRusticlOpenCL
- opensuse-leap opensuse 46a6 none
- gentoo - 5917 none
MACHINES

new_machine 0 0x8086:5917 0x030000
release 'ID=linuxmint' 'ID_LIKE="ubuntu debian"' 'VERSION_CODENAME=wilma' 'UBUNTU_CODENAME=noble'
set_up bench
check "a derivative has the packages of its release of Ubuntu" asks intel-opencl-icd
release 'ID=linuxmint' 'ID_LIKE=debian' 'VERSION_CODENAME=gigi' 'DEBIAN_CODENAME=trixie'
rm -f "$machine"/asked "$machine"/build/set-up.*
set_up bench
check "a derivative has the packages of its release of Debian" asks mesa-opencl-icd
rm "$machine/etc/os-release"
rm -f "$machine"/asked "$machine"/build/set-up.*
set_up bench
check "without os-release no package of a GPU is known" says "no package of this release is known to support it"

new_machine 0 0x1002:73bf 0x038000
set_up bench
check "AMD graphics: Mesa's driver" asks mesa-opencl-icd
new_machine 0 0x1002:73bf 0x038000
touch "$machine/etc/OpenCL/vendors/amdocl64.icd"
set_up bench
check "AMD graphics with ROCm: nothing else" asks_not mesa-opencl-icd
new_machine 0 0x1002:73bf 0x038000
release 'ID=ubuntu' 'VERSION_CODENAME=jammy'
touch "$machine/etc/OpenCL/vendors/mesa.icd"
set_up bench
check "AMD graphics, Mesa without rusticl: its driver is noticed" asks_not mesa-opencl-icd

new_machine 0 0x1414:008e 0x030200
mkdir -p "$machine/usr/lib/wsl/drivers/iigd_dch.inf_amd64_1" "$machine/dev"
touch "$machine/dev/dxg"
set_up bench
check "Windows with Intel graphics: Intel's driver" asks intel-opencl-icd
new_machine 0
mkdir -p "$machine/usr/lib/wsl/drivers/iigd_dch.inf_amd64_1" "$machine/dev"
touch "$machine/dev/dxg"
release 'ID=debian' 'VERSION_CODENAME=trixie'
set_up bench
check "Windows with Intel graphics, no driver of Intel's: Mesa's is not taken for it" asks_not mesa-opencl-icd
check "Windows with Intel graphics, no driver of Intel's: it is said" says "no package of this release"
new_machine 0
mkdir -p "$machine/usr/lib/wsl/lib" "$machine/dev"
touch "$machine/dev/dxg" "$machine/usr/lib/wsl/lib/libcuda.so.1"
set_up bench
check "Windows with NVIDIA graphics: no package" asks_not pocl-opencl-icd
check "Windows with NVIDIA graphics: it is said why" says "CUDA comes with Windows' driver"

new_machine 0 0x10de 0x030200
set_up bench
check "NVIDIA graphics: no driver is installed" asks_not pocl-opencl-icd
check "NVIDIA graphics: the reason is printed" says "comes with NVIDIA's own driver"

new_machine 0 0x10de 0x030200 0x8086:5917 0x038000
set_up bench
check "two kinds of graphics: the driver of the one that has a package" asks intel-opencl-icd

new_machine 0 0x8086 0x020000 0x1002 0x040300
set_up bench
check "a network or sound card of the same vendors is not a GPU" asks pocl-opencl-icd

new_machine 0 0x8086:5917 0x030000
touch "$machine/etc/OpenCL/vendors/intel.icd"
set_up bench
check "an installed driver is not asked for" asks_not intel-opencl-icd

new_machine 1000
set_up bench
check "no root: the set-up fails" ends_with 1
check "no root: the one command is named" says "    sudo sh -c 'apt-get update; for p in gcc libc6-dev meson ninja-build \
pkg-config libjansson-dev libhwloc-dev libclblast-dev libdnnl-dev libopenblas-openmp-dev ocl-icd-opencl-dev \
pocl-opencl-icd; do apt-get install -y --no-install-recommends \$p; done'"
check "no root: nothing is asked for" [ -z "$asked" ]
command=$(sed -n "s/^bench:     sudo //p" <<<"$said")
pretend apt-get 'case "$*" in *libdnnl*) exit 100 ;; *) echo "$*" >>"$machine/asked" ;; esac'
env -i PATH="$machine/bin:/bin" machine="$machine" /bin/sh -c "$command"
asked=$(cat "$machine/asked")
check "the command goes on where the release lacks a package" asks pocl-opencl-icd
rm "$machine/asked"
with_tools
set_up bench
check "no root, and the required packages have come: it goes on without the others" ends_with 0
check "it says which" says "Continuing without libopenblas-openmp-dev"

new_machine 1000
pretend sudo 'shift; exec "$@"'
set_up bench
check "sudo without a password installs" asks meson

new_machine 1000
with_tools
set_up bench BENCH_SETUP=no
check "BENCH_SETUP=no continues with the installed tools" ends_with 0
check "BENCH_SETUP=no says what is missing" says "libopenblas-openmp-dev"
pretend sudo 'shift; exec "$@"'
set_up bench
check "the first start without BENCH_SETUP=no installs" asks pocl-opencl-icd

new_machine 1000
set_up bench BENCH_SETUP=no
check "BENCH_SETUP=no fails without a compiler" ends_with 1

new_machine 0
pretend apt-get 'echo "$*" >>"$machine/asked"; echo "E: Unable to locate package meson" >&2; exit 100'
set_up bench
check "offline: a missing required package is an error" ends_with 1
check "offline: the error of apt-get is printed" says "apt-get: Unable to locate package meson"

new_machine 0
with_tools
pretend apt-get 'case "$*" in *" pocl"*) echo "E: no such package" >&2; exit 100 ;; *) echo "$*" >>"$machine/asked" ;; esac'
set_up bench
check "an optional package that cannot be installed is no error" ends_with 0
check "it is reported" says "Continuing without pocl-opencl-icd; apt-get: no such package"
check "the others are installed" asks libopenblas-openmp-dev
with_apt_get
set_up bench
check "a package that could not be installed is not asked for at every start" [ -z "$asked" ]
check "but reported in one line" says "Still without"
set_up bench BENCH_SETUP=no
check "with BENCH_SETUP=no it is not reported" [ -z "$said" ]
mkdir -p "$machine/var/lib/apt/lists"
touch -d '1 hour' "$machine/var/lib/apt/lists"
set_up bench
check "it is asked for again when the package lists have changed" asks pocl-opencl-icd
touch -d '1 hour ago' "$machine/var/lib/apt/lists"
touch "$machine/etc/OpenCL/vendors/pocl.icd"
pretend pkg-config 'exit 0'
set_up bench
check "a package that was installed in another way is noticed" says_not "Still without"
rm "$machine/bin/apt-get" "$machine/bin/pkg-config"
set_up bench
check "when nothing is missing, a start runs no command" [ "$status$said" = 0 ]

new_machine 1000
with_tools
rm "$machine/bin/apt-get"
set_up bench
with_apt_get
mkdir -p "$machine/var/lib/apt/lists"
touch -d '1 hour' "$machine/var/lib/apt/lists"
set_up bench
check "no root, optional packages missing since an earlier set-up: it continues" ends_with 0
check "no root, optional packages missing since an earlier set-up: it is reported" says "installing them needs root"

new_machine 0
rm "$machine/bin/apt-get"
set_up bench
check "no apt-get: the packages are named" says "Please install these packages (names of Debian; a GPU's driver as it is called \
here): gcc libc6-dev meson"
check "no apt-get, no tools: it fails" ends_with 1
with_tools
set_up bench
check "no apt-get, with tools: it continues" ends_with 0

new_machine 1000
with_tools
mkdir -p "$machine/dev/dri"
touch "$machine/dev/dri/renderD128"
set_up bench BENCH_SETUP=no
check "a GPU that the user may use is not reported" says_not usermod
chmod a-w "$machine/dev/dri/renderD128"
if [[ -w $machine/dev/dri/renderD128 ]]; then
    number=$((number + 1))
    echo "ok $number - a GPU without access is reported # SKIP root may write to everything"
else
    set_up bench BENCH_SETUP=no
    check "a GPU without access is reported" says "has no access to $machine/dev/dri/renderD128. As root: usermod"
fi

new_machine 0
pretend apt-get 'sleep 0.1; echo "$*" >>"$machine/asked"'
set_up bench &
set_up bench
wait
asked=$(cat "$machine/asked")
check "two starts at once install once" [ "$(grep -c install <<<"$asked")" = 2 ]

new_machine 0
with_tools
pretend meson 'case $1 in setup) touch "$machine/build/build.ninja" ;; introspect) echo "[]" ;; *) echo "$*" >>"$machine/asked" ;; esac'
start test BENCH_SETUP=no
check "without Criterion no test is run" [ -z "$asked" ]
check "without Criterion the tests fail" ends_with 1
check "without Criterion the reason is printed" says "was configured without Criterion"

new_machine 0
with_tools
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$machine/bin/python3" # not a shim, which needs more commands
mkdir "$machine/build/meson-logs"
touch "$machine/build/build.ninja"
cat >"$machine/results" <<'RESULTS'
{"name": "a", "result": "OK", "stdout": "ok - s::x  # SKIP no driver\nok - s::y  # SKIP test was skipped\nok - s::z \n"}
{"name": "b", "result": "OK", "stdout": "TAP version 13\nok 1 - it works\nok 2 - PoCL # SKIP not installed\n1..2\n"}
{"name": "c", "result": "SKIP", "stdout": "", "stderr": "first\nno compiler\n"}
{"name": "d", "result": "ERROR", "stdout": "ok - t::x\n"}
{"name": "e", "result": "FAIL", "stdout": "ok 1 - x\nnot ok 2 - y\n"}
{"name": "f", "result": "OK", "stdout": "no TAP"}
RESULTS
pretend meson 'case $1 in introspect) echo "{\"name\": \"criterion\"}" ;; test) cat "$machine/results" >"$machine/build/meson-logs/testlog.json" ;; esac'
start test BENCH_SETUP=no
check "the tests end with every skip and the sum" [ "$(tail -n 4 <<<"$said")" = "skipped: a: s::x: no driver
skipped: b: PoCL: not installed
skipped: c: all of it: no compiler
5 passed, 2 failed, 3 skipped" ]
check "a failed test is the exit status" ends_with 1

new_machine 0
with_tools
touch "$machine/build/bench"
set_up bench
check "the program of version 0.1 is removed from the build folder" [ ! -e "$machine/build/bench" ]

new_machine 0
with_tools
for tool in sed readlink uname; do ln -sf "$(type -P "$tool")" "$machine/bin/$tool"; done
pretend meson 'echo " $*" >>"$machine/asked"'
pretend ninja 'echo "[1/2] Compiling"; echo "bench: Compiling 20 kernels"; echo "10 of 20"; exit 1'
start bundle BENCH_SETUP=no
check "without xz there is no bundle" says "bench: Cannot continue without xz-utils"
start bench BENCH_SETUP=no
check "a start of the program does not need it" says_not xz-utils
start bundle
check "the set-up of a bundle installs it" asks xz-utils
pretend xz 'exit 0'
rm "$machine/asked"
start bundle BENCH_SETUP=no
check "messages of the build from bench are printed" says "bench: Compiling 20 kernels"
check "a failed build prints its last lines" says "10 of 20"
pretend ninja 'echo "[1/2] Compiling"; echo "bench: Compiling 20 kernels"; echo "10 of 20"'
start bench BENCH_SETUP=no
check "the first start prints them too" says "bench: Compiling 20 kernels"
check "without a terminal nothing else of the build is printed" says_not "10 of 20"

# The compiler of a bundle for NVIDIA GPUs: the oldest of those that are here.
nvrtc_found() { # VARIABLE=VALUE...
    env -i PATH="$machine/bin" "$@" "$(type -P bash)" -c "here=$here; source $here/scripts/setup.sh; nvrtc_here" |
        grep -v ^/usr/local/cuda/
}
mkdir -p "$machine"/{new,old}/lib64
touch "$machine"/new/lib64/libnvrtc{,-builtins}.so.13 "$machine"/old/lib64/libnvrtc{.so.12,-builtins.so.12.4}
check "the oldest NVRTC is taken, with its built-ins" \
    [ "$(nvrtc_found CUDA_HOME="$machine/new" BENCH_LIBRARY_PATH="$machine/none:$machine/old/lib64" | tr '\n' ' ')" = \
    "$machine/old/lib64/libnvrtc.so.12 $machine/old/lib64/libnvrtc-builtins.so.12.4 " ]
check "without any nothing is found" [ -z "$(nvrtc_found)" ]

new_machine 0
with_tools
for tool in sed readlink uname; do ln -sf "$(type -P "$tool")" "$machine/bin/$tool"; done
pretend meson 'echo "meson.build:1:0: ERROR: Meson version is 0.53.2 but project requires >= 0.56"; exit 1'
start bench BENCH_SETUP=no
check "a meson that is too old is named in one sentence, with the way out" [ "$(tail -n 1 <<<"$said")" = "bench: Meson version \
is 0.53.2 but project requires >= 0.56. This release is too old to build on; docs/nvidia.md says how to make a bundle for it." ]

# On a terminal the progress line is cleared for messages, and at the end.
shown=$(script -qec "bash -c 'here=$here; source $here/scripts/setup.sh
    printf \"%s\\n\" one \"bench: two\" three | show_progress >/dev/null'" /dev/null | tr '\r\033' '<^')
status=0 said=$shown
check "on a terminal one line shows the progress" [ "${shown//[$'\n']/}" = '<^[Kone<^[Kbench: two<<^[Kthree<^[K' ]

echo "1..$number"
[[ -z ${failed:-} ]]
