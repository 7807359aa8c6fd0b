#!/usr/bin/env bash
# 'bench explain': what a person may type (test_glossary.c has the terms), every note of the source, every name of the JSON,
# results/glossary.md and results/figures.md. Prints TAP.
# Usage: explain.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"
root=$(cd "$tests/.." && pwd)

explains() { call explain "$@" && exits 0 && [ ! -s "$work/err" ]; }
fits() { [ "$(wc -L <"$work/out")" -le "$1" ]; } # columns
terms() { grep -c '^[^ ].* (\(column\|metric\|outcome\|note\|word\))$' "$work/out"; }

# --- asked by name
expect 'a term is explained' explains 'of peak'
expect 'with its name and kind, and what to do' eval "prints '^of peak % (column)$' && prints '^  What to do: '"
expect 'a name needs no quotes' eval "explains of peak && prints '^of peak % (column)$' && [ \$(terms) -eq 1 ]"
expect 'several terms are explained one by one' eval "explains pinned mapped && [ \$(terms) -eq 2 ]"
expect 'and without quotes' \
    eval "explains the governor is powersave, so the clock follows the load && prints '^governor (note)$' && [ \$(terms) -eq 1 ]"
expect 'figures are those of the CSV and the JSON' eval "explains figures && [ \$(terms) -gt 10 ] && ! prints '(note)'"
expect 'without a TERM all terms are listed' eval "explains && prints 'too-slow' && prints 'GFLOP/s per W' && fits 100"
expect '--width limits the lines' eval "explains --width 60 columns && fits 60 && explains --width 60 && fits 60"
leads_to() { explains "$1" && [ "$(terms)" -eq 1 ] && prints "^$2 ("; } # TEXT TERM: it means this term alone
call explain 3
expect 'the number of a note is refused' eval "exits 2 && says 'some words of the note'"

call explain bandwith
expect 'an unknown term is refused' exits 2
expect 'and the nearest name suggested' says "'bandwith' is not in the glossary; did you mean 'bandwidth'?"
expect 'and nothing printed' test ! -s "$work/out"
call explain 'the governor hummed'
expect 'one word of several is suggested' eval "exits 2 && says \"'the governor hummed' is not in the glossary; did you mean 'governor'?\""
expect 'words of several notes name these' eval "explains 'measure again' && prints 'This may be any of' && prints 'too noisy'"
call explain pinned xyzzy
expect 'an unknown term among others is refused' eval "exits 2 && says \"'xyzzy' is not in the glossary\" && prints '^pinned (word)$'"
call explain xyzzy pinned plugh 3.14 mapped
expect 'each known term is explained, and each unknown one named, but for numbers' \
    eval "exits 2 && says \"explain: 'xyzzy', 'plugh' are not in the glossary;\" && [ \$(terms) -eq 2 ]"
call explain "$(printf 'a\033[31mb')"
expect 'the message has no control characters of the term' eval "exits 2 && ! grep -q \$'\\033' '$work/err'"
call explain ''
expect 'the empty text is refused' eval "exits 2 && says 'the empty text is not a TERM'"

# --- every note of the source
explains_note() { explains -- "$1" && [ "$(terms)" -gt 0 ] && ! grep -q '^[^ ].* (\(column\|metric\|outcome\|word\))$' "$work/out"; }
unexplained() { # FOLDER: the notes of its source without an entry
    python3 "$tests/program/notes_of_source.py" "$1" >"$work/notes"
    local text
    while IFS= read -r text; do
        explains_note "$text" || printf '%s\n' "$text"
    done <"$work/notes"
}
unexplained "$root" >"$work/unexplained"
expect 'the source has notes' test "$(wc -l <"$work/notes")" -gt 40
for text in 'never verified' 'only what it had measured until then' 'are left out: their baseline is' 'a new one continued'; do
    expect "one of them is '... $text ...'" grep -qF "$text" "$work/notes"
done
cp "$work/unexplained" "$work/out"
expect 'each of them is explained' test ! -s "$work/unexplained"

mkdir -p "$work/tree/harness/report/content" "$work/tree/bench"
cat >"$work/tree/harness/report/content/notes.c" <<'END'
static void note_gnomes(struct notes *notes)
{
    note(notes, SEVERITY_WARNING, "gnomes sat %u deep on the frobnicator, so it hummed", 7);
}
END
cat >"$work/tree/bench/gnome.c" <<'END'
static void end_gnome(struct run_log *run_log, const char *name)
{
    char text[64];
    snprintf(text, sizeof text, "%s the gnome went home early", name);
    run_log_note(run_log, "", text);
}
END
unexplained "$work/tree" >"$work/unexplained"
cp "$work/unexplained" "$work/out"
expect 'a planted note without an entry is reported' prints 'gnomes sat 3 deep on the frobnicator, so it hummed'
expect 'also one of the run log' prints 'the gnome went home early'

# --- every name of the JSON
names_of() { jq -r '[.. | objects | .properties? // empty | keys[]] | unique[]' "$1"; } # schema
unknown_names() {
    names_of "$1" | while IFS= read -r name; do
        explains -- "$name" || printf '%s\n' "$name"
    done
}
expect 'the JSON has names' test "$(names_of "$root/results/report.schema.json" | wc -l)" -gt 100
unknown_names "$root/results/report.schema.json" >"$work/unknown"
cp "$work/unknown" "$work/out"
expect 'each of them is explained' test ! -s "$work/unknown"
echo '{"properties": {"flux_kg": {}, "cell": {}}}' >"$work/made.json"
expect 'a planted one without an entry is reported' test "$(unknown_names "$work/made.json")" = flux_kg

# --- results/glossary.md; UPDATE_GOLDEN=1 writes it anew
"$tests/program/glossary_page.py" "$bench" >"$work/out"
if [ "${UPDATE_GOLDEN:-}" ]; then cp "$work/out" "$root/results/glossary.md"; fi
# A workload's own row may be missing there: adding a workload changes no file of results.
names=$("$bench" workloads | sed -n 's/^\([a-z]\S*\): .*/\1/p')
# shellcheck disable=SC2086
rows=$(printf '^| %s |\n' $names)
expect 'results/glossary.md is what the program prints' \
    cmp <(grep -v "$rows" "$work/out") <(grep -v "$rows" "$root/results/glossary.md")
"$tests/program/glossary_page.py" "$bench" "$root/results/figures.md" >"$work/figures"
if [ "${UPDATE_GOLDEN:-}" ]; then cp "$work/figures" "$root/results/figures.md"; fi
expect 'results/figures.md has the columns of the program' cmp "$work/figures" "$root/results/figures.md"
for workload in $names; do
    expect "$workload is explained" leads_to "$workload" "$workload"
done

finish
