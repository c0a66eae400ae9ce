#!/usr/bin/env bash
# The sweep on a real Slurm of one node, as root, from Debian's packages slurm-wlm and munge:
# the same bytes as locally, also when a job is killed half-way. Nothing outside a
# scratch folder is written but a link to its configuration while it runs, and only what is started here is stopped.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in slurmctld slurmd munged sbatch; do
  command -v $tool >/dev/null || { echo "not here: $tool (apt-get install slurm-wlm munge)"; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo "must run as root"; exit 1; }
VENV=$(realpath "${VENV:-.venv}")
T=$(mktemp -d); STARTED=() LINKED=
finish() {
  scancel --user root 2>/dev/null || true
  for pid in "${STARTED[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  [ -n "$LINKED" ] && rm -f /etc/slurm/slurm.conf
  rm -rf "$T"
}
trap finish EXIT

mkdir -p "$T"/{state,spool,log,tree}; chmod 755 "$T"
head -c 1024 /dev/urandom >"$T/munge.key"; chmod 400 "$T/munge.key"
NODE=$(hostname -s); MEMORY=$(awk '/MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
cat >"$T/slurm.conf" <<CONF
ClusterName=trial
SlurmctldHost=$NODE(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$T/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
ReturnToService=2
MinJobAge=3600
StateSaveLocation=$T/state
SlurmdSpoolDir=$T/spool
SlurmctldPidFile=$T/ctld.pid
SlurmdPidFile=$T/d.pid
NodeName=$NODE NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$MEMORY State=UNKNOWN
PartitionName=trial Nodes=$NODE Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$T/slurm.conf
# jobs lose this variable and look in the usual place
[ -e /etc/slurm/slurm.conf ] && { echo "a Slurm is set up here (/etc/slurm/slurm.conf): not tried"; exit 1; }
ln -s "$T/slurm.conf" /etc/slurm/slurm.conf && LINKED=1
munged --foreground --force --key-file="$T/munge.key" --socket="$T/munge.socket" \
  --pid-file="$T/munge.pid" --log-file="$T/log/munge" --seed-file="$T/seed" & STARTED+=($!)
sleep 1
slurmctld -D >"$T/log/ctld" 2>&1 & STARTED+=($!)
slurmd -D >"$T/log/d" 2>&1 & STARTED+=($!)
for _ in $(seq 60); do sinfo -h -o %T 2>/dev/null | grep -q idle && break; sleep 1; done
sinfo -h -o %T | grep -q idle || { tail -n 5 "$T"/log/*; exit 1; }
echo "Slurm $(sinfo --version | cut -d' ' -f2) on $NODE, $(nproc) processors"

git archive HEAD | tar -x -C "$T/tree"
cd "$T/tree"; ln -s "$VENV" .venv
export PYTHONPATH=$T/tree/lib OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
unset RANKSTABILITY_DATA RANKSTABILITY_REQUIRE_DATA
GOALS=(build/stamps/demo-srdc/03b_campaign/all.done --config "campaigns=[demo-srdc]")
results() { (cd "$T/tree/figures" && find demo-srdc -type f ! -name '*.ipynb' ! -path '*/.*' -exec sha256sum {} + | sort -k2); }
again() { rm -rf figures/demo-srdc build .snakemake; }
slurm() {
  "$VENV/bin/snakemake" "${GOALS[@]}" --workflow-profile none --executor slurm --jobs 10 --latency-wait 30 --retries 2 \
    --slurm-no-account --slurm-status-command squeue --default-resources slurm_partition=trial \
    --seconds-between-status-checks 5 --quiet progress rules >"$T/log/$1" 2>&1
}

"$VENV/bin/snakemake" "${GOALS[@]}" --workflow-profile none --cores "$(nproc)" --quiet progress rules >"$T/log/local" 2>&1 ||
  { tail -n 20 "$T/log/local"; exit 1; }
results >"$T/local.sums"; again

slurm first || { tail -n 40 "$T/log/first" "$T"/log/ctld; exit 1; }
results >"$T/slurm.sums"; again
cmp "$T/local.sums" "$T/slurm.sums"
echo "the same bytes as locally: $(wc -l <"$T/local.sums") files"

slurm killed & RUNNING=$!
VICTIM=
for _ in $(seq 240); do  # a job that has begun to write
  if compgen -G "figures/demo-srdc/*/.partial-*" >/dev/null; then
    VICTIM=$(squeue -h -t R -o %A | head -1); [ -n "$VICTIM" ] && break
  fi
  sleep 0.5
done
[ -n "$VICTIM" ] || { echo "no job was seen running"; tail -n 20 "$T/log/killed"; exit 1; }
scancel --signal=KILL --full "$VICTIM"
wait $RUNNING || { tail -n 30 "$T/log/killed"; exit 1; }
results >"$T/killed.sums"
cmp "$T/local.sums" "$T/killed.sums"
echo "job $VICTIM killed half-way ran again: nothing lost, nothing doubled, the same bytes"
