#!/usr/bin/env bash
# The batch script in a real Slurm: four virtual nodes on this machine, of which one is slow and one loses its job in the
# middle. Prints TAP; SKIPs without Slurm or root.
# Usage: slurm.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}
for tool in slurmctld slurmd munged srun sbatch scontrol; do
    PATH=$PATH:/usr/sbin command -v $tool >/dev/null || skip "$tool is not installed (slurm-wlm, munge)"
done
[ "$(id -u)" = 0 ] || skip 'slurmd needs root'
! pgrep -x slurmctld >/dev/null || skip 'a Slurm runs here'
PATH=$PATH:/usr/sbin
bench_program=$(realpath "$1")
export SLURM_CONF=$work/slurm.conf
mkdir "$work/state"
started=()
stop_slurm() {
    scancel --quiet --user root 2>/dev/null
    for pid in "$work"/*.pid; do
        [ ! -s "$pid" ] || kill "$(cat "$pid")" 2>/dev/null
    done
    ((${#started[@]} == 0)) || wait "${started[@]}" 2>/dev/null
    rm -rf "$work"
}
trap stop_slurm EXIT
head -c 1024 /dev/urandom >"$work/munge.key"
chmod 600 "$work/munge.key"
chmod 755 "$work"
cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=17100
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=5
NodeName=n[1-8] NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=[17001-17008] CPUs=1 RealMemory=1000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
    --log-file="$work/munged.log" --seed-file="$work/munge.seed" >"$work/munged.txt" 2>&1 &
started+=($!)
wait_until test -S "$work/munge.socket"
slurmctld -D >"$work/slurmctld.txt" 2>&1 &
started+=($!)
for i in 1 2 3 4 5 6 7 8; do
    slurmd -D -N "n$i" >"$work/slurmd-n$i.txt" 2>&1 &
    started+=($!)
done
all_idle() { [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 8 ]; }
wait_until all_idle || skip "no Slurm could be started: $(tail -n 1 "$work/slurmctld.log")"

# A stand-in for the archive of scripts/bundle: the program, with the device of the node. All nodes differ a little; n3 is
# slow; n6 measures until it is killed.
mkdir "$work/bench-archive"
cat >"$work/bench-archive/bench" <<SCRIPT
#!/bin/sh
export BENCH_FAKE=$work/\$SLURMD_NODENAME.json
[ "\$1" = run ] || exec $bench_program "\$@"
if [ "\$SLURMD_NODENAME" = n6 ]; then
    echo \$PPID >$work/task-of-n6
    exec $bench_program "\$@" --size 1M --budget 60s --precision 0.1%
fi
exec $bench_program "\$@" --budget 3s
SCRIPT
chmod +x "$work/bench-archive/bench"
tar -C "$work" -cJf "$work/bench-archive.tar.xz" bench-archive
for i in 1 2 3 4 5 6 7 8; do
    factor=1.00$i
    [ $i != 3 ] || factor=1.5
    jq --argjson factor $factor '.devices[1].run = [.devices[1].run[] | . * $factor]' "$tests/program/fake/pair.json" \
        >"$work/n$i.json"
done
jq '.devices[1] += {upload_rate: 1e10, download_rate: 1e10, run: [range(500) | 0.0018 + . % 100 * 4e-6]}' \
    "$tests/program/fake/pair.json" >"$work/n6.json"

export BENCH_BUNDLE=$work/bench-archive.tar.xz BENCH_RESULTS=$work/results TMPDIR=$work
export BENCH_OPTIONS='--device fake --baseline fake:0 --workload multiply --size n=1000 --no-peaks'
sbatch --wait --nodes=8 --output="$work/job.txt" --chdir="$work" "$tests/../scripts/slurm/bench.sbatch" >"$work/out" 2>"$work/err" &
batch=$!
runs_on_n6() { [ -s "$work/task-of-n6" ] && has_journal_on_n6; }
has_journal_on_n6() { grep -q '"slice"' "$work"/bench.*/journal/n6.jsonl 2>/dev/null; }
wait_until runs_on_n6
n6_is_copied() { [ -s "$work/results/n6.jsonl" ]; }
wait_until n6_is_copied
others_are_done() { [ "$(echo "$work"/results/n[1-57-8].jsonl | wc -w)" = 7 ]; }
wait_until others_are_done
victim=$(cat "$work/task-of-n6")
kill -KILL "$victim" $(pgrep -P "$victim")
wait $batch
status=$?
cp "$work/job.txt" "$work/out" 2>/dev/null
expect 'the job fails, since a node is slow' exits 1
expect 'every node of the job is listed' eval "[ \"\$(tr '\n' ' ' <'$work/results/nodes.txt')\" = 'n1 n2 n3 n4 n5 n6 n7 n8 ' ]"
expect 'a journal for each node, also for the one that died' eval "[ \"\$(cd '$work/results' && echo n*.jsonl | wc -w)\" -eq 8 ]"
expect 'nothing but journals is left' eval "! ls -A '$work/results' | grep -v '^n.*\.jsonl$\|^nodes.txt$'"
expect 'and nothing on the local disks but for the node that died' eval "[ \$(ls -d '$work'/bench.?????? | wc -l) -eq 1 ]"
call fleet "$work/results" --format json --fail-on slow,missing
expect 'the health check fails' exits 1
expect 'the slow node is named, and no other' jq -e '[.findings[] | select(.state == "slow") | .node] | unique == ["n3"]' "$work/out"
expect 'what the killed one had measured is used' jq -e '.nodes[] | select(.name == "n6") | .missing | test("did not reach its end")' "$work/out"
expect 'the one whose step was killed is missing, and no other' jq -e '[.findings[] | select(.state == "missing") | .node] == ["n6"]' "$work/out"
expect 'no node failed' jq -e '.count.failed == 0' "$work/out"
SLURM_JOB_ID=1 bash "$tests/../scripts/slurm/bench.sbatch" >"$work/out" 2>"$work/err"
status=$?
expect 'a folder with journals of an earlier job is refused' eval "exits 2 && says 'journals of an earlier job'"

# As at the time limit: the steps get SIGTERM (#SBATCH --signal), the batch shell goes on.
export BENCH_RESULTS=$work/stopped
sbatch --wait --nodelist=n6 --output="$work/stopped.txt" --chdir="$work" "$tests/../scripts/slurm/bench.sbatch" >"$work/out" 2>"$work/err" &
batch=$!
n6_measures() { grep -q '"slice"' "$work/stopped/n6.jsonl" 2>/dev/null; }
wait_until n6_measures
scancel --signal=TERM "$(squeue --noheader --format=%i)"
wait $batch
status=$?
expect 'a job that is stopped fails' exits 1
expect 'its nodes end their journals' jq -es 'last | .line == "end" and .status == "interrupted"' "$work/stopped/n6.jsonl"
expect 'and it reports what it has' grep -q 'missing  *n6  *its run did not reach its end' "$work/stopped.txt"
expect 'it leaves nothing on the local disk' eval "[ \$(ls -d '$work'/bench.?????? | wc -l) -eq 1 ]"

touch "$work/bench-0.1.tar.xz"
cd "$work" && BENCH_BUNDLE='' bash "$tests/../scripts/slurm/bench.sbatch" >"$work/out" 2>"$work/err"
status=$?
expect 'of several archives none is chosen' eval "exits 2 && says 'several archives here (bench-0.1.tar.xz bench-archive.tar.xz)'"
finish
