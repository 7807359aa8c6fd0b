# shellcheck shell=bash
# Shared by bench, bundle, package, test and check: finds missing packages, installs them from the distribution, builds.
# Nothing but distribution packages is downloaded. All messages go to stderr.
#
#   BENCH_BUILD    the build folder; build/ in the checkout
#   BENCH_SETUP    "no": install nothing and continue with what is installed
#   BENCH_ROOT     the root of /sys, /dev, /var and /etc/OpenCL; only for the tests

build=${BENCH_BUILD:-$here/build}
root=${BENCH_ROOT:-}
log=$build/setup.log

# Debian's package, and how to check for it without a package manager.
required='
gcc                     command  cc
libc6-dev               header   stdio.h
meson                   command  meson
ninja-build             command  ninja
pkg-config              command  pkg-config
libjansson-dev          module   jansson
libhwloc-dev            module   hwloc
'
useful_to_bench='
ocl-icd-opencl-dev      module   OpenCL
libclblast-dev          header   clblast_c.h
libdnnl-dev             header   oneapi/dnnl/dnnl.h
libopenblas-openmp-dev  module   openblas
'
useful_to_test='
libcriterion-dev        module   criterion
pocl-opencl-icd         driver   pocl
mesa-opencl-icd         driver   rusticl
oclgrind                command  oclgrind
jq                      command  jq
python3-jsonschema      python   jsonschema
cmark-gfm               command  cmark-gfm
g++                     command  c++
chromium                command  chromium
'
useful_to_all='
slurm-wlm               command  slurmctld
munge                   command  munged
gcc-mingw-w64-x86-64-posix  command  x86_64-w64-mingw32-gcc-posix
dpkg-dev                command  dpkg-source
wine64                  file     /usr/lib/wine/wine64
'
useful_to_check='
clang                   command  clang
libclang-rt-dev         clang    -fsanitize=address,undefined,fuzzer-no-link
libomp-dev              clang    -fopenmp
clang-format            command  clang-format
shellcheck              command  shellcheck
'

say() {
    printf 'bench: %s\n' "$*" >&2
}

die() {
    say "$@"
    exit 1
}

copy_documents() { # FOLDER: the documents, with all that their links name
    (cd "$here" && cp -r --parents README.md CHANGELOG.md CONTRIBUTING.md LICENSE docs results tests/golden/sweep.txt "$1")
}

is_installed() { # KIND NAME
    case $1 in
    command) PATH=$PATH:/usr/sbin command -v "$2" ;;
    file) test -e "$2" ;;
    python) python3 -c "import $2" ;;
    header) cc -E -include "$2" -x c /dev/null ;;
    module) pkg-config --exists "$2" ;;
    clang) clang "$2" -x c - -o /dev/null <<<'int main(void) { return 0; }' ;;
    driver) compgen -G "$root/etc/OpenCL/vendors/*$2*.icd" ;;
    esac >/dev/null 2>&1
}

missing() { # TABLE: its rows whose packages are not installed
    local package kind name
    while read -r package kind name; do
        [[ -z $package ]] || is_installed "$kind" "$name" || echo "$package $kind $name"
    done <<<"$1"
}

graphics() { # vendor and device number of the display devices on the PCI bus, each pair once
    local device
    for device in "$root"/sys/bus/pci/devices/*; do
        [[ -r $device/class && $(<"$device/class") == 0x03* ]] &&
            echo "$(<"$device/vendor") $(<"$device/device")"
    done | sort -u
}

# The words of this distribution's line in the table of drivers: its codename's, its own, or that of what it is like.
release() {
    local word
    # shellcheck source=/dev/null
    for word in $(. "$root/etc/os-release" 2>/dev/null &&
        echo "${UBUNTU_CODENAME:-} ${DEBIAN_CODENAME:-} ${VERSION_CODENAME:-} ${ID:-} ${ID_LIKE:-}"); do
        grep "^release $word " "$here/harness/machine/gpu_drivers.txt" && return
    done
    echo "release unknown 00.00 - - - -"
}

# The package for a chip of Intel's; nothing where none is known. The rule is in the table.
intel_package() { # PCI-DEVICE-NUMBER
    local device=$((${1:-0})) kind low high rest first=00.00 end=99.99 version intel legacy mesa
    while read -r kind low high rest; do
        if [[ $kind == chip ]] && ((device >= 16#$low && device <= 16#$high)); then
            read -r _ first end <<<"$rest"
            break
        fi
    done <"$here/harness/machine/gpu_drivers.txt"
    read -r _ _ version intel legacy mesa _ < <(release)
    if [[ $intel != - && ! $version < $first && $version < $end ]]; then
        echo "$intel"
    elif [[ $legacy != - && $end != 99.99 ]]; then
        echo "$legacy"
    elif [[ $mesa != - ]]; then
        echo "$mesa"
    fi
}

# The table row for the OpenCL driver of a package: how to check whether it is installed.
driver_row() { # PACKAGE
    case $1 in
    *legacy*) echo "$1 driver legacy" ;;
    intel*) echo "$1 driver intel" ;;
    *) echo "$1 driver rusticl" ;;
    esac
}

intel_row() { # PACKAGE, "" or - if there is none, [PCI-DEVICE-NUMBER]
    if [[ ${1:--} != - ]]; then
        say "Intel graphics${2:+ $2}: its OpenCL driver is $1."
        driver_row "$1"
    else
        say "Intel graphics${2:+ $2}: no package of this release is known to support it. Intel has its own:" \
            "github.com/intel/compute-runtime/releases"
    fi
}

# Before rusticl, Mesa's driver was Clover, and its file mesa.icd.
amd_row() {
    local package mesa
    if is_installed driver amdocl; then
        say "AMD graphics: ROCm's OpenCL driver is installed."
        return
    fi
    read -r _ _ _ _ _ mesa package < <(release)
    if [[ $package == - ]]; then package='mesa-opencl-icd'; fi
    say "AMD graphics: its OpenCL driver is $package."
    if [[ $mesa == - ]]; then echo "$package driver mesa"; else driver_row "$package"; fi
}

# In the Windows Subsystem for Linux a GPU is /dev/dxg, which Mesa does not use; Windows' driver is a folder with its name.
windows_rows() {
    local package
    [[ -e $root/dev/dxg ]] || return 0
    if compgen -G "$root/usr/lib/wsl/drivers/iigd_*" >/dev/null; then
        read -r _ _ _ package _ < <(release)
        intel_row "$package"
    fi
    if compgen -G "$root/usr/lib/wsl/lib/libcuda.so*" >/dev/null; then
        say "NVIDIA graphics: CUDA comes with Windows' driver."
    fi
}

# GPUs of a system on a chip, which the device tree names.
soc_rows() {
    local pattern vendor name mesa
    read -r _ _ _ _ _ mesa _ < <(release)
    while read -r _ pattern _ vendor; do
        while IFS='=' read -r _ name; do
            # shellcheck disable=SC2053 # a pattern
            [[ $name == $pattern ]] || continue
            if [[ $vendor == NVIDIA ]]; then
                say "NVIDIA graphics: CUDA comes with NVIDIA's JetPack; please install that yourself."
            elif [[ $mesa == - ]]; then
                say "$vendor graphics: no package of this release is known to support it."
            else
                say "$vendor graphics: its OpenCL driver is $mesa."
                driver_row "$mesa"
            fi
            break # a GPU may have several names
        done < <(cat "$root"/sys/bus/platform/devices/*/uevent 2>/dev/null | grep '^OF_COMPATIBLE_[0-9]')
    done < <(grep '^soc ' "$here/harness/machine/gpu_drivers.txt")
}

# The table row of the OpenCL driver for each GPU found. OpenCL is part of NVIDIA's own driver.
drivers() {
    local vendor device found
    found=$(
        windows_rows
        soc_rows
        graphics | while read -r vendor device; do
            case $vendor in
            0x8086) intel_row "$(intel_package "$device")" "$device" ;;
            0x1002) amd_row ;;
            0x10de) say "NVIDIA graphics: OpenCL comes with NVIDIA's own driver; please install that yourself." ;;
            esac
        done
    )
    if [[ -z $found && $(graphics) != *0x10de* && ! -e $root/dev/dxg ]]; then
        found='pocl-opencl-icd driver pocl'
        say "No GPU with an OpenCL package: pocl-opencl-icd makes the CPU an OpenCL device."
    fi
    echo "$found"
}

useful_to() { # bench, test or check
    echo "$useful_to_bench"
    case $1 in
    test) echo "$useful_to_test" ;;
    all) echo "$useful_to_test$useful_to_all" ;;
    check) echo "$useful_to_check" ;;
    esac
    drivers
}

# Without access to its device a driver lists nothing and gives no reason.
report_access() {
    local node user
    user=$(id -un)
    for node in "$root"/dev/dri/renderD*; do
        [[ ! -e $node || -w $node ]] ||
            say "$user has no access to $node. As root: usermod -aG $(stat -c %G "$node") $user"
    done
}

as_root() {
    if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

apt_install() { # PACKAGE...
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 \
        install --no-install-recommends "$@" >>"$log" 2>&1 </dev/null
}

apt_error() { # the last error that apt-get printed
    grep '^E:' "$log" | tail -n 1 | cut -c 4- || true
}

# Required packages must be installed; an optional one that cannot be is reported.
install() {
    local package
    say "Installing with apt-get: ${all[*]}"
    as_root apt-get -q -o APT::Update::Error-Mode=any update >>"$log" 2>&1 || say "Could not refresh every package list; using the lists on this machine."
    if ((${#needed[@]})) && ! apt_install "${needed[@]}"; then
        die "Cannot continue without ${needed[*]}; apt-get: $(apt_error)"
    fi
    if ((${#useful[@]} == 0)) || apt_install "${useful[@]}"; then return; fi
    for package in "${useful[@]}"; do
        apt_install "$package" || say "Continuing without $package; apt-get: $(apt_error)"
    done
}

# Installs the missing packages, or exits and prints the command for it, which goes on where a release lacks a package.
# Optional packages that a set-up before could not install, or asked for, do not stop it again.
install_missing() { # STAMP
    local -a all=("${needed[@]}" "${useful[@]}")
    if [[ ${BENCH_SETUP:-} == no ]]; then
        say "Missing, and not installed because BENCH_SETUP is no: ${all[*]}"
    elif ! command -v apt-get >/dev/null; then
        say "No apt-get on this machine. Please install these packages (names of Debian; a GPU's driver as it is called here): ${all[*]}"
    elif as_root true 2>/dev/null; then
        install
        return
    elif [[ -e $1 || -e $1.asked ]] && ((${#needed[@]} == 0)); then
        say "Continuing without ${useful[*]}; installing them needs root."
    else
        touch "$1.asked"
        say "Some packages are missing, and installing them needs root. Please run this once, then start again:"
        say "    sudo sh -c 'apt-get update; for p in ${all[*]}; do apt-get install -y --no-install-recommends \$p; done'"
        die "To continue without them, set BENCH_SETUP=no."
    fi
    ((${#needed[@]} == 0)) || die "Cannot continue without ${needed[*]}."
}

# set_up writes a stamp into the build folder: the rows of the packages that are missing. It is valid until one of them
# is installed, or the distribution's package lists or this file change. An empty stamp costs no command.
is_set_up() { # bench, test or check
    local stamp=$build/set-up.$1 left changed
    [[ -e $stamp && ! $here/scripts/setup.sh -nt $stamp ]] || return 1
    [[ -s $stamp ]] || return 0
    for changed in "$root"/var/lib/apt/lists "$root"/var/lib/dpkg/status; do
        [[ ! $changed -nt $stamp ]] || return 1
    done
    left=$(<"$stamp")
    [[ $(missing "$left") == "$left" ]]
}

# Prints in one line which packages are still missing.
remind() { # bench, test or check
    local -a left
    [[ ${BENCH_SETUP:-} != no && -s $build/set-up.$1 ]] || return 0
    mapfile -t left <"$build/set-up.$1"
    say "Still without ${left[*]%% *}."
}

# Version 0.1 built the program as the file bench; that is a folder now.
remove_old_program() { # BUILD-FOLDER
    [[ ! -f $1/bench ]] || rm "$1/bench"
}

# Installs what this purpose needs. BENCH_SETUP=no leaves no stamp: the first start without it installs.
set_up() { # bench, test or check
    local stamp=$build/set-up.$1 table
    local -a needed useful
    remove_old_program "$build"
    if is_set_up "$1"; then
        remind "$1"
        return
    fi
    table=$(useful_to "$1")
    mapfile -t needed < <(missing "$required")
    mapfile -t useful < <(missing "$table" | sort -u)
    needed=("${needed[@]%% *}") useful=("${useful[@]%% *}")
    ((${#needed[@]} + ${#useful[@]} == 0)) || install_missing "$stamp"
    if [[ -e $build/build.ninja ]]; then
        logged meson setup --reconfigure "$build" "$here"
        rm -f "$build/built"
    fi
    report_access
    [[ ${BENCH_SETUP:-} == no ]] || missing "$table" | sort -u >"$stamp"
}

# Copies its input. Lines that begin with "bench: " go to stderr too; a terminal shows the latest line as progress.
show_progress() {
    local line
    while IFS= read -r line; do
        printf '%s\n' "$line"
        [[ ! -t 2 ]] || printf '\r\033[K' >&2
        if [[ $line == 'bench: '* ]]; then
            printf '%s\n' "$line" >&2
        elif [[ -t 2 ]]; then
            printf '%.79s' "$line" >&2
        fi
    done
    [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

logged() { # COMMAND...: prints the end of its output only on failure
    local failed=
    "$@" 2>&1 </dev/null | show_progress >"$log.step" || failed=yes
    cat "$log.step" >>"$log"
    [[ -n $failed ]] || return 0
    if failed=$(grep -o 'Meson version is .*' "$log.step"); then
        die "$failed. This release is too old to build on; docs/nvidia.md says how to make a bundle for it."
    fi
    tail -n 40 "$log.step" >&2
    die "'$1' failed; its whole output is in $log"
}

compile() { # TARGET...
    [[ -e $build/build.ninja ]] || logged meson setup "$build" "$here"
    logged ninja -C "$build" "$@"
}

# Builds what is installed, for other machines, in a folder that the bundle and the package share: only what they are
# linked with differs, so it is configured again each time.
build_release() { # PURPOSE MESON-OPTION...
    local purpose=$1 built=$build/release again=()
    shift
    set_up "$purpose"
    say "Building in $built."
    remove_old_program "$built"
    if [[ -e $built/build.ninja ]]; then again=(--reconfigure); fi
    logged meson setup "${again[@]}" "$built" "$here" -Dstrip=true "$@"
    logged ninja -C "$built" installed
}

# The oldest NVRTC that is here, for which most drivers are new enough, and its built-ins. It may be in a folder of
# BENCH_LIBRARY_PATH, in CUDA_HOME, beside the nvcc that is found, or in /usr/local/cuda.
nvrtc_here() {
    local nvcc toolkit='' major folder
    local -a folders builtins
    if nvcc=$(command -v nvcc) && nvcc=$(readlink -f "$nvcc"); then toolkit=${nvcc%/bin/nvcc}; fi
    IFS=: read -ra folders <<<"${BENCH_LIBRARY_PATH:-}:${CUDA_HOME:+$CUDA_HOME/lib64}:${toolkit:+$toolkit/lib64}:/usr/local/cuda/lib64"
    for major in 12 13; do
        for folder in "${folders[@]}"; do
            [[ -n $folder && -e $folder/libnvrtc.so.$major ]] || continue
            builtins=("$folder/libnvrtc-builtins.so.$major".*)
            printf '%s\n' "$folder/libnvrtc.so.$major" "${builtins[0]}"
            return
        done
    done
}

# The libraries that the program loads by name, at the paths where this machine's loader finds them.
loaded_by_name() {
    local library path
    for library in libdnnl.so libopenblas.so libclblast.so; do
        path=$(PATH=$PATH:/sbin ldconfig -p | awk -v name="$library." 'index($1, name) == 1 && !found++ { print $NF }')
        if [[ -n $path ]]; then echo "$path"; else say "$library is not on this machine and will not be used."; fi
    done
}

package_of() { # FILE: Debian's; nothing where it is of none
    { dpkg-query -S "$1" 2>/dev/null || true; } | head -n 1 | cut -d: -f1
}

# Holds a lock on the build folder, so that a second start waits for the first.
with_lock() { # COMMAND...
    mkdir -p "$build"
    (
        flock 9
        "$@" 9>&-
    ) 9>"$build/lock"
}
