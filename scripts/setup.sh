# shellcheck shell=bash
# What bench, test and check share: finding out what this machine lacks, installing it from the distribution, building.
# Nothing is downloaded but distribution packages. Everything said here goes to stderr.
#
#   BENCH_BUILD    where to build; build/ in the checkout
#   BENCH_SETUP    "no": install nothing, go on with what is there
#   BENCH_ROOT     where /sys and /etc/OpenCL are looked up; only for the tests

build=${BENCH_BUILD:-$here/build}
root=${BENCH_ROOT:-}
log=$build/setup.log

# Debian's package, and how to tell without a package manager that it is there.
required='
gcc                     command  cc
libc6-dev               header   stdio.h
meson                   command  meson
ninja-build             command  ninja
pkg-config              command  pkg-config
libjansson-dev          module   jansson
'
useful_to_bench='
libhwloc-dev            module   hwloc
ocl-icd-opencl-dev      module   OpenCL
libclblast-dev          header   clblast_c.h
libdnnl-dev             header   oneapi/dnnl/dnnl.h
libopenblas-openmp-dev  module   openblas
gnuplot-nox             command  gnuplot
'
useful_to_test='
libcriterion-dev        module   criterion
pocl-opencl-icd         driver   pocl
mesa-opencl-icd         driver   rusticl
oclgrind                command  oclgrind
jq                      command  jq
python3-jsonschema      python   jsonschema
libxml2-utils           command  xmllint
cmark-gfm               command  cmark-gfm
g++                     command  c++
'
useful_to_check='
clang                   command  clang
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

is_there() { # KIND NAME
    case $1 in
    command) command -v "$2" ;;
    python) python3 -c "import $2" ;;
    header) cc -E -include "$2" -x c /dev/null ;;
    module) pkg-config --exists "$2" ;;
    driver) compgen -G "$root/etc/OpenCL/vendors/*$2*.icd" ;;
    esac >/dev/null 2>&1
}

missing() { # TABLE: its rows whose packages are not there
    local package kind name
    while read -r package kind name; do
        [[ -z $package ]] || is_there "$kind" "$name" || echo "$package $kind $name"
    done <<<"$1"
}

graphics() { # the vendor of every display device on the PCI bus, each once
    local device
    for device in "$root"/sys/bus/pci/devices/*; do
        [[ -r $device/class && $(<"$device/class") == 0x03* ]] && cat "$device/vendor"
    done | sort -u
}

# The table row of the OpenCL driver for each kind of graphics found. NVIDIA's own driver brings OpenCL with it.
drivers() {
    local vendor found=
    for vendor in $(graphics); do
        case $vendor in
        0x8086) found+='intel-opencl-icd driver intel'$'\n' && say "Intel graphics: its OpenCL driver is intel-opencl-icd." ;;
        0x1002) found+='mesa-opencl-icd driver rusticl'$'\n' && say "AMD graphics: its OpenCL driver is mesa-opencl-icd." ;;
        0x10de) found+=$'\n' && say "NVIDIA graphics: OpenCL comes with NVIDIA's own driver, which is left to you." ;;
        esac
    done
    if [[ -z $found ]]; then
        found='pocl-opencl-icd driver pocl'
        say "No graphics with an OpenCL package: pocl-opencl-icd makes the CPU an OpenCL device."
    fi
    echo "$found"
}

useful_to() { # bench, test or check
    echo "$useful_to_bench"
    case $1 in
    test) echo "$useful_to_test" ;;
    check) echo "$useful_to_check" ;;
    esac
    drivers
}

# A driver without the right to its device lists nothing, and does not say why.
explain_rights() {
    local node user
    user=$(id -un)
    for node in "$root"/dev/dri/renderD*; do
        [[ ! -e $node || -w $node ]] ||
            say "$user may not use $node; root can change that: usermod -aG $(stat -c %G "$node") $user"
    done
}

as_root() {
    if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

apt_install() { # PACKAGE...
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 \
        install --no-install-recommends "$@" >>"$log" 2>&1 </dev/null
}

last_words() { # what apt said last that explains a failure
    grep '^E:' "$log" | tail -n 1 | cut -c 4- || true
}

# Required packages must come; each of the others may stay away, and that is said.
install() {
    local package
    say "Installing with apt-get: ${all[*]}"
    as_root apt-get -q -o APT::Update::Error-Mode=any update >>"$log" 2>&1 || say "The package lists could not all be refreshed; using those at hand."
    if ((${#needed[@]})) && ! apt_install "${needed[@]}"; then
        die "Cannot go on without ${needed[*]}; apt-get said: $(last_words)"
    fi
    if ((${#useful[@]} == 0)) || apt_install "${useful[@]}"; then return; fi
    for package in "${useful[@]}"; do
        apt_install "$package" || say "Going on without $package; apt-get said: $(last_words)"
    done
}

# Installs what is missing, or ends with the one command that does; not again where it went on without them before.
provide() { # STAMP
    local -a all=("${needed[@]}" "${useful[@]}")
    if [[ ${BENCH_SETUP:-} == no ]]; then
        say "Not here, and not installed as BENCH_SETUP is no: ${all[*]}"
    elif ! command -v apt-get >/dev/null; then
        say "There is no apt-get here; please install what Debian calls ${all[*]}"
    elif as_root true 2>/dev/null; then
        install
        return
    elif [[ -e $1 ]] && ((${#needed[@]} == 0)); then
        say "Going on without ${useful[*]}; installing them needs root."
    else
        say "Some packages are missing, and installing them needs root. Please run this once, then start again:"
        say "    sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends ${all[*]}'"
        die "To go on with what is there instead, set BENCH_SETUP=no."
    fi
    ((${#needed[@]} == 0)) || die "Cannot go on without ${needed[*]}."
}

# What set_up remembers in the build folder: the rows of the packages that did not come, nothing when all is there. It
# holds until one of them is there, or the distribution's lists of packages or the tables above have changed.
# Where nothing was missing, no command is run to find that out.
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

# One line about what set_up went on without.
recall() { # bench, test or check
    local -a left
    [[ ${BENCH_SETUP:-} != no && -s $build/set-up.$1 ]] || return 0
    mapfile -t left <"$build/set-up.$1"
    say "Still without ${left[*]%% *}."
}

# Version 0.1 built the program as a file where there is a folder now.
remove_old_program() { # BUILD-FOLDER
    [[ ! -f $1/bench ]] || rm "$1/bench"
}

# Looks for what this purpose needs. BENCH_SETUP=no is not remembered: the first start without it sets up.
set_up() { # bench, test or check
    local stamp=$build/set-up.$1 table
    local -a needed useful
    remove_old_program "$build"
    if is_set_up "$1"; then
        recall "$1"
        return
    fi
    table=$(useful_to "$1")
    mapfile -t needed < <(missing "$required")
    mapfile -t useful < <(missing "$table" | sort -u)
    needed=("${needed[@]%% *}") useful=("${useful[@]%% *}")
    ((${#needed[@]} + ${#useful[@]} == 0)) || provide "$stamp"
    if [[ -e $build/build.ninja ]]; then
        logged meson setup --reconfigure "$build" "$here"
        rm -f "$build/built"
    fi
    explain_rights
    [[ ${BENCH_SETUP:-} == no ]] || missing "$table" | sort -u >"$stamp"
}

# Passes its input on; a line in the name of bench is said, and on a terminal one line shows what goes on.
watched() {
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

logged() { # COMMAND...: quiet when it succeeds, but for what it says itself
    local failed=
    "$@" 2>&1 </dev/null | watched >"$log.step" || failed=yes
    cat "$log.step" >>"$log"
    [[ -n $failed ]] || return 0
    tail -n 40 "$log.step" >&2
    die "'$1' failed; all of it is in $log"
}

compile() { # TARGET...
    [[ -e $build/build.ninja ]] || logged meson setup "$build" "$here"
    logged ninja -C "$build" "$@"
}

# Two starts at once take turns, and the second finds the work done.
one_at_a_time() { # COMMAND...
    mkdir -p "$build"
    (
        flock 9
        "$@" 9>&-
    ) 9>"$build/lock"
}
