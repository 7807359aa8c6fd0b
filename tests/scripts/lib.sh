# shellcheck shell=bash
# What the tests of scripts/bundle and scripts/gpu share: TAP of conditions. Sourced; $work is the test's own folder.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failures=0

expect() { # name condition...
    local name=$1 outcome=ok
    shift
    number=$((number + 1))
    if ! "$@" >"$work/seen" 2>&1; then
        outcome='not ok'
        failures=$((failures + 1))
    fi
    echo "$outcome $number - $name"
    [ "$outcome" = ok ] || sed 's/^/# /' "$work/seen" "$work/out" "$work/err" 2>/dev/null | tail -n 30
}
# Prints the links in Markdown files that name no file. Fails where there are none at all.
dead_links() { # FOLDER
    local file link
    find "$1" -name '*.md' | while read -r file; do
        grep -o ']([^)#]*)' "$file" | grep -v '://' | while read -r link; do
            link=${link:2:-1}
            test -e "$(dirname "$file")/$link" || echo "$file: $link"
        done
    done
    grep -rq ']([a-z]' "$1"
}
finish() {
    echo "1..$number"
    exit "$((failures > 0))"
}
