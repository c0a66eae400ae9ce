#!/usr/bin/env bash
# Build the source archive and, from it, the wheel; install the wheel into a fresh environment with
# the library's own dependencies only, and judge a file with it from an empty folder. With an
# argument, archive and wheel are kept in that folder, and nothing is tried.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=$(realpath -s "${PYTHON:-.venv/bin/python}")
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT

mkdir "$there/source" "$there/empty"
git ls-files lib pyproject.toml README.md LICENSE | tar -cT - | tar -xC "$there/source"
(cd "$there/source" && "$python" -c 'import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])' "$there" > "$there/log")
"$python" -m pip wheel -qq --no-deps --no-build-isolation -w "$there" "$there"/rankstability-*.tar.gz
if [ $# = 1 ]; then
  mkdir -p "$1" && cp "$there"/rankstability-*.tar.gz "$there"/rankstability-*.whl "$1/" && ls "$1"
  exit
fi
grep -oE '^[a-z0-9.-]+(\[[a-z,-]+\])?==[^ ]+( ; [^\\]+)?' requirements.lock | sed 's/\[[a-z,-]*\]//' > "$there/versions"
"$python" -m venv "$there/venv"
"$there/venv/bin/pip" install -qq --disable-pip-version-check -c "$there/versions" "$there"/*.whl

cp data/demo/ratings.csv "$there/empty"
cd "$there/empty"
unset PYTHONPATH RANKSTABILITY_DATA
"$there/venv/bin/rankstability" formats > formats.txt
"$there/venv/bin/rankstability" verdict ratings.csv > said.txt
cat said.txt
find . -name verdict.html -size +10k | grep -q .
"$there/venv/bin/python" -c 'import rankstability as rs; print(len(rs.read("ratings.csv").table), "judgments")'
if "$there/venv/bin/python" -c 'import companion' 2> "$there/log"; then
  echo "the wheel holds the companion" >&2
  exit 1
fi
