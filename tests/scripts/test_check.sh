#!/bin/bash
# scripts/check must be able to fail: a small tree that keeps every rule, then one planted breach of each. TAP.
# shellcheck disable=SC2016 # breaches are evaluated
set -uo pipefail
here=$(readlink -f "${BASH_SOURCE[0]%/*}/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
number=0

clean_tree() {
    rm -rf "${scratch:?}"/*
    mkdir -p "$scratch"/{bench/workloads,bench/backends,harness,kernels,tests,tools,scripts,.ci,build}
    cp "$here"/scripts/{check,setup.sh} "$scratch/scripts"
    cp "$here/.clang-format" "$scratch"
    printf '#!/bin/bash\ntrue\n' | tee "$scratch/.ci/run" >"$scratch/tests/test_x.sh"
    printf 'int x(int y);\n' >"$scratch/harness/x.h"
    allowed_includes
    printf 'int y(void)\n{\n    puts("this is its business");\n    exit(1);\n}\n' >"$scratch/bench/main.c"
    printf '#include "harness/x.h"\n\nint x(int y)\n{\n    return y;\n}\n' >"$scratch/harness/x.c"
    echo 'int x(int y); const char *const z = "z"; int x(int y) { return y; }' | cc -c -fPIE -x c - -o "$scratch/build/x.c.o"
    touch "$scratch"/{README.md,meson.build,build/config.h}
}

allowed_includes() { # one of each kind, where they may stand
    mkdir "$scratch/bench/backends/own"
    printf '#include "%s"\n' bench/backend.h bench/backends/own/api.h bench/workload.h harness/x.h kernels/k.h \
        >"$scratch/bench/backends/own/own.c"
    printf '\n#include <CL/cl.h>\n' >>"$scratch/bench/backends/own/own.c"
    printf '#include "%s"\n' bench/workload.h harness/x.h kernels/k.h >"$scratch/bench/workloads/own.c"
    printf '#include "%s"\n' config.h harness/reports/x.h >"$scratch/harness/own.c"
    printf '\n' >>"$scratch/harness/own.c"
    printf '#include <%s>\n' hwloc.h sys/wait.h >>"$scratch/harness/own.c"
}

check() { # RULE SENTENCE BREACH: holds on the clean tree, and is broken once BREACH was evaluated there
    local rule=$1 name="${1//_/ }: $2" breach=$3 before after
    number=$((number + 1))
    clean_tree
    before=$(BENCH_BUILD=$scratch/build "$scratch/scripts/check" "$rule" 2>&1)
    if [[ $before == skipped* ]]; then
        echo "ok $number - $name # SKIP ${before%%$'\n'*}"
        return
    fi
    (cd "$scratch" && eval "$breach")
    after=$(BENCH_BUILD=$scratch/build "$scratch/scripts/check" "$rule" 2>&1)
    if [[ $before == "ok "*"0 rules broken, 0 skipped" && $after == "BROKEN "*"1 rules broken, 0 skipped" ]]; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        printf 'before:\n%s\nafter:\n%s\n' "$before" "$after" | sed 's/^/# /'
        failed=yes
    fi
}

lines() { # COUNT
    local line
    for ((line = 0; line < $1; line++)); do echo '    y++;'; done
}

check layout "two blanks" 'echo "int  z(void);" >>harness/x.h'
check headers_stand_alone "the first header lacks an include" 'echo "size_t z(void);" >harness/a.h'
check headers_stand_alone "the last header lacks an include" 'echo "size_t z(void);" >harness/z.h'
check headers_stand_alone "a header of kernels lacks an include" 'echo "size_t z(void);" >kernels/z.h'
check headers_stand_alone "a header of tests lacks an include" 'echo "size_t z(void);" >tests/z.h'
check folders_keep_their_distance "harness knows bench" 'echo "#include \"bench/y.h\"" >>harness/x.c'
check folders_keep_their_distance "harness knows bench by a path with dots" 'echo "#include \"../bench/y.h\"" >>harness/x.c'
check folders_keep_their_distance "harness knows bench by a way through itself" \
    'echo "#include \"harness/../bench/y.h\"" >>harness/x.c'
check folders_keep_their_distance "harness knows bench as if that were a library" \
    'echo "#include <bench/y.h>" >>harness/x.c'
check folders_keep_their_distance "harness knows bench, written loosely" \
    'printf " #\tinclude \"bench/y.h\"\n" >>harness/x.c'
check folders_keep_their_distance "harness knows what a macro names" 'echo "#include Y" >>harness/x.c'
check folders_keep_their_distance "kernels know harness" 'echo "#include \"harness/x.h\"" >kernels/k.c'
check folders_keep_their_distance "a kernel text knows harness" 'echo "#include \"harness/x.h\"" >kernels/k.cl'
check folders_keep_their_distance "a workload knows backends" \
    'echo "#include \"bench/backend.h\"" >bench/workloads/w.c'
check folders_keep_their_distance "a workload knows the rig" 'echo "#include \"bench/rig.h\"" >bench/workloads/w.c'
check folders_keep_their_distance "a backend knows a workload" \
    'echo "#include \"bench/workloads/w.h\"" >bench/backends/b.c'
check folders_keep_their_distance "a backend knows another backend" \
    'mkdir bench/backends/b && echo "#include \"bench/backends/c/c.h\"" >bench/backends/b/b.c'
check folders_keep_their_distance "a backend knows the rig" \
    'mkdir bench/backends/b && echo "#include \"bench/rig.h\"" >bench/backends/b/b.c'
check folders_keep_their_distance "the command knows the inside of a backend" \
    'echo "#include \"bench/backends/b/b.h\"" >bench/y.c'
for line in 'printf("y");' 'puts("y");' 'fprintf(stderr, "y");' 'fputs("y", stdout);' 'perror("y");' 'exit(1);' \
    '_exit(1);' 'abort();'; do
    check nobody_else_prints_or_exits "$line" "echo '$line' >>harness/x.c"
done
check nobody_else_prints_or_exits "a backend exits" 'echo "exit(1);" >bench/backends/b.c'
check nobody_else_prints_or_exits "a workload prints" 'echo "puts(name);" >bench/workloads/w.c'
check only_backends_know_an_api "bench knows OpenCL" 'echo "#include <CL/cl.h>" >bench/y.c'
check only_backends_know_an_api "a workload knows CUDA" 'echo "#include <cuda.h>" >bench/workloads/w.c'
check no_loose_ends "a document promises" 'printf "%s%s: later\n" TO DO >>README.md'
check no_loose_ends "a comment promises" 'printf "/* %s%s */\n" FIX ME >>harness/x.c'
check files_are_short "501 lines" 'lines 501 >harness/y.c'
check functions_fit_on_a_screen "a body of 71 lines" \
    '{ printf "int z(int y)\n{\n"; lines 71; echo "}"; } >harness/y.c'
check globals_are_const "a variable" 'echo "int z = 1;" | cc -c -x c - -o build/z.c.o'
check globals_are_const "a variable of a function" \
    'echo "int z(void) { static int y; return y++; }" | cc -c -x c - -o build/z.c.o'
check globals_are_const "a pointer that could be set" 'echo "const char *z = \"z\";" | cc -c -x c - -o build/z.c.o'
check globals_are_const "nothing was built" 'rm build/x.c.o'
check scripts_are_clean "a word without quotes" 'echo "rm \$1" >>tests/test_x.sh'

echo "1..$number"
[[ -z ${failed:-} ]]
