#!/bin/bash
# scripts/check must be able to fail: a small tree without a violation, then one planted violation at a time. TAP.
# shellcheck disable=SC2016 # violations are evaluated
set -uo pipefail
here=$(readlink -f "${BASH_SOURCE[0]%/*}/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
number=0

clean_tree() {
    rm -rf "${scratch:?}"/*
    mkdir -p "$scratch"/{bench/workloads,bench/backends,harness/base,kernels,tests/{program,bench,harness/base},scripts,.ci,build/{bench,harness,kernels}}
    cp "$here"/scripts/{check,setup.sh} "$scratch/scripts"
    cp "$here/.clang-format" "$scratch"
    printf '#!/bin/bash\ntrue\n' | tee "$scratch/.ci/run" >"$scratch/tests/program/x.sh"
    printf 'int x(int y);\n' >"$scratch/harness/base/x.h"
    touch "$scratch"/tests/harness/base/test_{x,x_part,base_x}.c
    allowed_includes
    printf 'int y(void)\n{\n    puts("this is its business");\n    exit(1);\n}\n' >"$scratch/bench/main.c"
    printf '#include "harness/base/x.h"\n\nint x(int y)\n{\n    return y;\n}\n' >"$scratch/harness/base/x.c"
    echo 'int x(int y); const char *const z = "z"; int x(int y) { return y; }' | cc -c -fPIE -x c - -o "$scratch/build/bench/x.c.o"
    echo 'int x(int y); int w(int y); int w(int y) { return x(y); }' | cc -c -fPIE -x c - -o "$scratch/build/bench/w.c.o"
    touch "$scratch"/{README.md,meson.build,build/config.h}
}

allowed_includes() { # one of each kind
    mkdir -p "$scratch"/bench/{backends/cpu,cli,commands} "$scratch"/harness/{base,journal}
    printf '#include "%s"\n' bench/backends/backend.h bench/backends/cpu/cpu.h bench/workloads/workload.h \
        harness/base/x.h kernels/k.h >"$scratch/bench/backends/cpu/own.c"
    printf '\n#include <CL/cl.h>\n' >>"$scratch/bench/backends/cpu/own.c"
    printf '#include "%s"\n' bench/workloads/workload.h harness/base/x.h kernels/k.h >"$scratch/bench/workloads/own.c"
    printf '#include "%s"\n' config.h harness/base/x.h harness/journal/x.h >"$scratch/harness/journal/own.c"
    printf '\n' >>"$scratch/harness/journal/own.c"
    printf '#include <%s>\n' jansson.h sys/stat.h >>"$scratch/harness/journal/own.c"
}

check() { # RULE SENTENCE VIOLATION: the rule holds on the clean tree, and is broken after VIOLATION was evaluated
    local rule=$1 name="${1//_/ }: $2" violation=$3 before after
    number=$((number + 1))
    clean_tree
    before=$(BENCH_BUILD=$scratch/build "$scratch/scripts/check" "$rule" 2>&1)
    if [[ $before == skipped* ]]; then
        echo "ok $number - $name # SKIP ${before%%$'\n'*}"
        return
    fi
    (cd "$scratch" && eval "$violation")
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

check layout "two blanks" 'echo "int  z(void);" >>harness/base/x.h'
check headers_stand_alone "the first header lacks an include" 'echo "size_t z(void);" >harness/base/a.h'
check headers_stand_alone "the last header lacks an include" 'echo "size_t z(void);" >harness/base/z.h'
check headers_stand_alone "a header of kernels lacks an include" 'echo "size_t z(void);" >kernels/z.h'
check headers_stand_alone "a header of tests lacks an include" 'echo "size_t z(void);" >tests/z.h'
up=folders_include_only_folders_below
check $up "harness includes bench" 'echo "#include \"bench/cli/y.h\"" >>harness/base/x.c'
check $up "a room includes one above it" 'echo "#include \"harness/journal/x.h\"" >>harness/base/x.c'
check $up "a room is not in the list" 'mkdir bench/attic && echo "#include \"harness/base/x.h\"" >bench/attic/x.c'
check $up "harness includes bench by a path with dots" 'echo "#include \"../../bench/cli/y.h\"" >>harness/base/x.c'
check $up "harness includes bench by a way through itself" 'echo "#include \"harness/base/../../bench/y.h\"" >>harness/base/x.c'
check $up "harness includes bench as if that were a library" 'echo "#include <bench/cli/y.h>" >>harness/base/x.c'
check $up "harness includes bench, written loosely" 'printf " #\tinclude \"bench/cli/y.h\"\n" >>harness/base/x.c'
check $up "harness includes what a macro names" 'echo "#include Y" >>harness/base/x.c'
check $up "kernels include harness" 'echo "#include \"harness/base/x.h\"" >kernels/k.c'
check $up "a kernel text includes harness" 'echo "#include \"harness/base/x.h\"" >kernels/k.cl'
check $up "a workload includes backends" 'echo "#include \"bench/backends/backend.h\"" >bench/workloads/w.c'
check $up "a workload includes the rig" 'echo "#include \"bench/worker/rig.h\"" >bench/workloads/w.c'
check $up "a backend includes a workload" 'echo "#include \"bench/workloads/w.h\"" >bench/backends/cpu/b.c'
check $up "a backend includes another backend" 'echo "#include \"bench/backends/cuda/c.h\"" >bench/backends/cpu/b.c'
check $up "a backend includes the rig" 'echo "#include \"bench/worker/rig.h\"" >bench/backends/cpu/b.c'
check $up "a command includes the inside of a backend" 'echo "#include \"bench/backends/cpu/b.h\"" >bench/commands/y.c'
compile_pair() { # two files that call each other
    echo 'int f(void); int g(void); int f(void) { return g(); }' | cc -c -fPIE -x c - -o build/bench/f.c.o
    echo 'int f(void); int g(void); int g(void) { return f(); }' | cc -c -fPIE -x c - -o build/bench/g.c.o
}
while IFS='|' read -r sentence line file; do
    check systems_differ_in_twins_only "$sentence" "printf '%s\\n' '$line' >>$file"
done <<'END'
a header of one system outside the twins|#include <sys/mman.h>|harness/journal/own.c
one of the other system|#include <windows.h>|bench/workloads/own.c
one between blanks in a backend|#  include <sys/mman.h>|bench/backends/cpu/own.c
a condition on the system|#ifdef _WIN32|harness/journal/own.c
one without an underscore|#if defined(WIN32)|harness/journal/own.c
one in another branch|#elif defined __linux__|harness/base/x.c
END
check no_circles "two files call each other" compile_pair
check no_circles "two headers include each other" 'echo "#include \"harness/base/b.h\"" >harness/base/a.h
    echo "#include \"harness/base/a.h\"" >harness/base/b.h'
check no_circles "nothing was built" 'rm build/bench/*.o'
for line in 'printf("y");' 'puts("y");' 'fprintf(stderr, "y");' 'fputs("y", stdout);' 'perror("y");' 'exit(1);' \
    '_exit(1);' 'abort();'; do
    check nobody_else_prints_or_exits "$line" "echo '$line' >>harness/base/x.c"
done
check nobody_else_prints_or_exits "a backend exits" 'echo "exit(1);" >bench/backends/cpu/b.c'
check nobody_else_prints_or_exits "a workload prints" 'echo "puts(name);" >bench/workloads/w.c'
check only_backends_know_an_api "bench includes OpenCL" 'echo "#include <CL/cl.h>" >bench/cli/y.c'
check only_backends_know_an_api "a workload includes CUDA" 'echo "#include <cuda.h>" >bench/workloads/w.c'
check no_loose_ends "a document promises" 'printf "%s%s: later\n" TO DO >>README.md'
check no_loose_ends "a comment promises" 'printf "/* %s%s */\n" FIX ME >>harness/base/x.c'
check functions_fit_on_a_screen "a body of 71 lines" \
    '{ printf "int z(int y)\n{\n"; lines 71; echo "}"; } >harness/base/y.c'
check texts_are_held "a pointer keeps a text" 'echo "const char *z = text_bytes(1).text;" >>harness/base/x.c'
check texts_are_held "a function returns one" 'echo "return text_bytes(1).text;" >>harness/base/x.c'
check long_files_say_why "a file of 701 lines" '{ printf "int z(void);\n"; lines 700; } >harness/base/y.c'
check globals_are_const "a variable" 'echo "int z = 1;" | cc -c -x c - -o build/bench/z.c.o'
check globals_are_const "a variable of a function" \
    'echo "int z(void) { static int y; return y++; }" | cc -c -x c - -o build/bench/z.c.o'
check globals_are_const "a pointer that could be set" 'echo "const char *z = \"z\";" | cc -c -x c - -o build/bench/z.c.o'
check globals_are_const "nothing was built" 'rm build/bench/*.o'
check tests_have_a_source "a test of no file" 'touch tests/harness/base/test_y.c'
check tests_have_a_source "a test of a file of another room" 'touch tests/bench/test_x.c'
check scripts_are_clean "a word without quotes" 'echo "rm \$1" >>tests/program/x.sh'

number=$((number + 1))
clean_tree
message=$(BENCH_BUILD=$scratch/build "$scratch/scripts/check" layout nonsense 2>&1)
if [[ $? == 2 && $message == "there is no rule 'nonsense'; the rules are:"$'\n'layout$'\n'*$'\n'planted_faults_fit ]]; then
    echo "ok $number - an unknown rule is an error, with a list of the rules"
else
    echo "not ok $number - an unknown rule is an error, with a list of the rules"
    printf "# %s\n" "${message//$'\n'/$'\n# '}"
    failed=yes
fi

echo "1..$number"
[[ -z ${failed:-} ]]
