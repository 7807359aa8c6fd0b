#!/usr/bin/env bash
# The manual page, the completion of bash, and the help: all made from the tables of verbs and options.
# Usage: completion.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "${2%/}/program/lib.sh"

mapfile -t verbs < <("$bench" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]\{1,\}\)  .*/\1/p')
expect "the help names the commands" test "${#verbs[@]}" -ge 7

# --- completion

"$bench" completion >"$work/completion.bash"
expect "completion is a script that bash reads" bash -n "$work/completion.bash"
# shellcheck disable=SC1091
source "$work/completion.bash"
mkdir "$work/bin" "$work/files"
ln -s "$(readlink -f "$bench")" "$work/bin/bench"
touch "$work/files/one.jsonl" "$work/files/only.txt"

completions() { # LINE: what a TAB at its end offers, sorted, on one line
    COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("$work/bin/bench")
    _bench
    printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' '
}

offers() { # LINE WORD...: exactly these
    local line=$1
    shift
    [ "$(completions "$line")" = "$(printf '%s\n' "$@" | sort -u | tr '\n' ' ')" ] ||
        { completions "$line" >"$work/err" && false; }
}

offers_among() { # LINE WORD...: these, and perhaps more
    local line=$1 word offered
    offered=" $(completions "$line")"
    echo "$offered" >"$work/err"
    shift
    for word; do
        case $offered in *" $word "*) ;; *) return 1 ;; esac
    done
}

offers_not() { # LINE WORD
    case " $(completions "$1")" in *" $2 "*) return 1 ;; esac
}

expect "the first word is a command" offers "bench wo" workloads
expect "hidden commands are not offered" offers_not "bench " worker
expect "each command of the help is offered" offers_among "bench " "${verbs[@]}"
expect "options are those of the command" offers "bench sweep --thres" --thresholds
expect "and not of another" offers_not "bench report --" --thresholds
expect "words of an option are offered" offers "bench run --suite qu" quick
expect "words of an option by its letter are offered" offers "bench run -s qu" quick
expect "words after = are offered without the option" offers "bench run --suite=st" standard
expect "words of lists are offered one by one" offers "bench run --dtype f32,f6" f32,f64
expect "a word of a list is not offered again" offers_not "bench run --memory pinned," pinned,pinned
expect "the other words of the list are" offers_among "bench run --memory pinned," pinned,pageable pinned,all
expect "terms are offered to explain" offers_among "bench explain " notes baseline too-slow
expect "words of a list after = as well" offers "bench run --dtype=f32,f6" f32,f64
expect "an option that takes any text offers nothing" offers "bench run --budget " ""
expect "after an option without a value, options are offered" offers "bench run --cold --suit" --suite
expect "workloads are offered to a sweep" offers_among "bench sweep " multiply matmul conv
expect "but not those that cannot be swept" offers_not "bench sweep " transfer
expect "files are offered to a report" offers "bench report $work/files/o" "$work/files/one.jsonl" "$work/files/only.txt"
expect "files are offered to an option that takes one" offers "bench run --journal $work/files/one" "$work/files/one.jsonl"
expect "and to an option with =" offers "bench run --journal=$work/files/one" "$work/files/one.jsonl"
unset _bench_found
expect "the devices of this machine are offered" offers_among "bench run --device " all cpu gpu
_bench_found=$'opencl:0\nopencl:1'
expect "of a device only the part after the colon is offered" offers "bench run --device opencl:" 0 1
expect "in a list as well" offers "bench run --device cpu,opencl:" 0 1
expect "a baseline may be none" offers "bench run --baseline no" none
unset _bench_found

# --- zsh and fish: the same answers, by their own means

answers() { # WORDS... -- ANSWER: on one line
    local asked=()
    while [ "$1" != -- ]; do asked+=("$1") && shift; done
    [ "$("$bench" completion -- words "${asked[@]}" | cut -f1 | tr '\n' ' ')" = "${2:+$2 }" ]
}
expect 'the scripts are told the commands' answers -- "one ${verbs[*]}"
expect 'the words of an option' answers run --suite -- 'one quick standard full uhd620'
expect 'by its letter' answers run -t -- 'list f32 f64 f16 bf16 tf32 i8'
expect 'that it takes a file' answers run --journal -- file
expect 'that it takes any text, or nothing' eval 'answers run --budget -- text && answers run --cold -- none'
expect 'that a value may be left out' eval 'answers run --sustained -- none && answers sweep --wait-quiet -- none'
expect 'nothing of what is no option' eval "answers report --suite -- '' && answers run -tx -- ''"
for verb in report compare publish; do
    expect "and that $verb takes files" eval '"$bench" completion -- words $verb | head -1 | grep -qx file'
done
expect 'terms of one word, as a shell would split others' \
    eval '"$bench" completion -- words explain >"$work/out" && prints "^baseline$" && ! grep -v "^-" "$work/out" | grep -q "[^A-Za-z0-9_-]"'
for shell in zsh fish; do
    "$bench" completion "$shell" >"$work/completion.$shell"
    if command -v "$shell" >/dev/null; then
        expect "$shell reads it" "$shell" -n "$work/completion.$shell"
    else
        tap ok "$shell reads it # SKIP $shell is not installed"
    fi
done
if command -v fish >/dev/null; then
    fish_offers() { PATH=$work/bin:$PATH fish -N -c "source '$work/completion.fish'; complete -C '$1'" | cut -f1 | grep -qx -- "$2"; }
    expect 'fish offers commands' fish_offers 'bench wo' workloads
    expect 'words of an option' fish_offers 'bench run --suite q' quick
    expect 'and words of lists' fish_offers 'bench run --dtype f32,f6' f32,f64
else
    tap ok 'fish offers commands # SKIP fish is not installed'
fi

# --- the manual page

"$bench" manual >"$work/bench.1"
if command -v groff >/dev/null; then
    groff -man -ww -z "$work/bench.1" >"$work/out" 2>"$work/err"
    expect "the manual page has no warnings of groff" test ! -s "$work/err"
elif command -v man >/dev/null; then
    MANWIDTH=80 man --warnings -l "$work/bench.1" >"$work/out" 2>"$work/err"
    expect "the manual page has no warnings of man" test ! -s "$work/err"
else
    tap ok "the manual page has no warnings of groff or man # SKIP neither groff nor man is installed"
fi
has_all() { # COMMAND...: the manual page has each
    local each
    for each; do
        grep -q "^\.SS bench $each\b" "$work/bench.1" || return 1
    done
}
expect "the manual page has each command" has_all "${verbs[@]}"
expect "and no other" test "$(grep -c '^\.SS bench ' "$work/bench.1")" -eq "${#verbs[@]}"
expect "and their options" grep -q '\\-\\-thresholds' "$work/bench.1"
expect "a dash can be copied to a shell" eval '! grep -v "^[.]TH" "$work/bench.1" | grep -q "[^\\]-"'
expect "rows of tables are texts" eval '! grep -q "|$" "$work/bench.1"'
# shellcheck disable=SC2016 # these are backquotes of Markdown
mapfile -t variables < <(sed -n '/^## Environment/,/^## /p' "$tests/../docs/troubleshooting.md" | sed -n 's/^| \(`.*`\).* | .*/\1/p' |
    grep -o '`[A-Z_]*' | tr -d '`')
has_environment() {
    local name
    for name in "${variables[@]}"; do
        sed -n '/^.SH ENVIRONMENT/,$p' "$work/bench.1" | grep -q "$name" || return 1
    done
}
expect "the page has variables" test "${#variables[@]}" -ge 8
expect "the manual page has each of them" has_environment
expect "the manual page is the same each time" sh -c "'$bench' manual | cmp - '$work/bench.1'"

# --- the help

call help
expect "'bench help' is its help" eval "exits 0 && cmp -s '$work/out' <('$bench' --help)"
call help run
expect "'bench help run' is that of run" eval "exits 0 && cmp -s '$work/out' <('$bench' run --help)"
call help gnome
expect "an unknown command has no help" eval "exits 2 && says \"command 'gnome' is unknown\""
for line in '-- worker' 'help worker'; do
    # shellcheck disable=SC2086 # several words
    call $line
    expect "the worker is no command for users: $line" eval "exits 2 && says \"command 'worker' is unknown\""
done
call --help
expect "the help names the manual page and the completion" \
    eval "prints 'bench manual | man' && prints 'bench completion'"
expect "the manual page has the status of a comparison of nothing" grep -q 'or nothing to compare' "$work/bench.1"
call
expect "without a command it shows the short help" says "^Usage: bench COMMAND"
expect "on standard error, because it is no report" test ! -s "$work/out"
expect "with the status of a mistake" exits 2
call --quiet
expect "options without a command are refused with a sentence" says "the command comes first, as in 'bench run --quiet'"

finish
