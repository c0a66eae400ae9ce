#!/usr/bin/env bash
# The same bytes with 1, 2 and 4 jobs, and after a run that is killed half-way; a second run does nothing.
# `bash tests/trials/jobs.sh` takes some minutes; another campaign: `bash tests/trials/jobs.sh demo-srpdc`.
# Everything is written to a scratch folder, and only what is started here is stopped.
set -euo pipefail
cd "$(dirname "$0")/../.."
VENV=$(realpath "${VENV:-.venv}")
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
mkdir "$T/tree"
git archive HEAD | tar -x -C "$T/tree"
cd "$T/tree"
export PYTHONPATH=$T/tree/lib
unset RANKSTABILITY_DATA
CAMPAIGN=${1:-demo-rr}
BATCH=("$VENV/bin/snakemake" --rerun-triggers mtime params --config "campaigns=[$CAMPAIGN]")
sums() { find figures -type f ! -path '*/.*' -exec sha256sum {} + | sort -k2; }

for jobs in 1 2 4; do
  rm -rf build .snakemake "figures/$CAMPAIGN"
  "${BATCH[@]}" --cores $jobs >"$T/log" 2>&1 || { tail -n 30 "$T/log"; exit 1; }
  sums >"$T/$jobs.sums"
  cmp "$T/1.sums" "$T/$jobs.sums"
done
echo "the same bytes with 1, 2 and 4 jobs: $(wc -l <"$T/1.sums") files"

"${BATCH[@]}" --cores 2 >"$T/log" 2>&1
grep -q "Nothing to be done" "$T/log" || { tail -n 30 "$T/log"; exit 1; }
echo "a second run does nothing"

find build/stamps -name '*.done' -delete
setsid "${BATCH[@]}" --cores 2 >"$T/log" 2>&1 &
RUNNING=$!
for _ in $(seq 600); do
  compgen -G "figures/$CAMPAIGN/*/.partial-*" >/dev/null && break
  sleep 0.2
done
compgen -G "figures/$CAMPAIGN/*/.partial-*" >/dev/null || { echo "no job was seen running"; tail -n 30 "$T/log"; exit 1; }
kill -KILL -- -$RUNNING
wait $RUNNING 2>/dev/null || true
sums >"$T/killed.sums"
cmp "$T/1.sums" "$T/killed.sums"
"${BATCH[@]}" --unlock >"$T/log" 2>&1
"${BATCH[@]}" --cores 2 >"$T/log" 2>&1 || { tail -n 30 "$T/log"; exit 1; }
sums >"$T/again.sums"
cmp "$T/1.sums" "$T/again.sums"
if compgen -G "figures/$CAMPAIGN/*/.partial-*" >/dev/null; then
  echo "a killed run's folder is still there"
  exit 1
fi
echo "a run killed half-way left the results as they were, and the next run gives the same bytes"
