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
finish() {
    echo "1..$number"
    exit "$((failures > 0))"
}
