#!/usr/bin/env bash
# Makes the Debian package, unpacks it and looks at what is in it. Prints TAP.
# Usage: test_package.sh PATH-OF-CHECKOUT BUILD-FOLDER
checkout=$1
# A less optimised program is built faster.
export CFLAGS=-O1 BENCH_BUILD=$2/bundle BENCH_SETUP=no LC_ALL=C DEBFULLNAME=Nobody DEBEMAIL=nobody@debian.org
# shellcheck source=tests/scripts/lib.sh
source "$checkout/tests/scripts/lib.sh"

if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
    echo '1..0 # SKIP dpkg-deb or dpkg-shlibdeps is not installed'
    exit 0
fi
expect 'invalid arguments are refused' sh -c "! $checkout/scripts/package --nonsense 2>/dev/null"
expect 'a package is made' "$checkout/scripts/package" --deb "$work/packages"
package=$(echo "$work"/packages/bench-gpu_*.deb)
field() { dpkg-deb -f "$package" "$1"; }
expect 'its name is that of no other package' test "$(field Package)" = bench-gpu
expect 'it names its maintainer' test "$(field Maintainer)" = 'Nobody <nobody@debian.org>'
expect 'it needs what the program is linked to' grep -q 'libjansson4' <<<"$(field Depends)"
dpkg-deb -x "$package" "$work/unpacked"
while read -r file text; do
    expect "it has $file" sh -c "zcat -f '$work/unpacked/usr/share/$file' | grep -q -- '$text'"
done <<'FILES'
man/man1/bench.1.gz ^.TH
bash-completion/completions/bench.bash ^complete
zsh/vendor-completions/_bench ^#compdef
fish/vendor_completions.d/bench.fish ^complete
doc/bench-gpu/copyright Permission
doc/bench-gpu/changelog.gz ^bench-gpu
FILES
expect 'the links of its documents lead to files' test -z "$(dead_links "$work/unpacked/usr/share/doc/bench-gpu" || echo no links)"
for argument in --version devices; do
    expect "its program answers $argument" env -i PATH=/usr/bin:/bin HOME="$work" "$work/unpacked/usr/bin/bench" $argument
done
expect 'its files are intact' sh -c "dpkg-deb --ctrl-tarfile '$package' | tar -xO ./md5sums | (cd '$work/unpacked' && md5sum -c --quiet)"
if command -v lintian >/dev/null; then
    lintian --fail-on error,warning "$package" >"$work/out" 2>&1
    expect 'lintian has no objection' test $? = 0
else
    echo "ok $((++number)) - lintian has no objection # SKIP lintian is not installed"
fi
finish
