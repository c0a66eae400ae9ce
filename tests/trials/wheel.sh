#!/usr/bin/env bash
# Source archive and wheel, the wheel made from the archive, as `python -m build` makes them; it is
# tried in a fresh environment, with the library's own dependencies only, from an empty folder.
# Versions are those of requirements.lock; packages come from wherever pip is set to look.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=$(realpath -s "${PYTHON:-.venv/bin/python}")
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT

mkdir "$there/source" "$there/empty"
git ls-files lib pyproject.toml README.md LICENSE | tar -cT - | tar -xC "$there/source"
(cd "$there/source" && "$python" -c 'import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])' "$there" > "$there/log")
"$python" -m pip wheel -qq --no-deps --no-build-isolation -w "$there" "$there"/rankstability-*.tar.gz
grep -oE '^[a-z0-9.-]+(\[[a-z,-]+\])?==[^ ]+( ; [^\\]+)?' requirements.lock | sed 's/\[[a-z,-]*\]//' > "$there/versions"
"$python" -m venv "$there/venv"
"$there/venv/bin/pip" install -qq --disable-pip-version-check -c "$there/versions" "$there"/*.whl

cp data/demo/ratings.csv "$there/empty"
cd "$there/empty"
unset PYTHONPATH RANKSTABILITY_DATA
"$there/venv/bin/rankstability" formats > formats.txt
grep -q '^long (DA)' formats.txt
"$there/venv/bin/rankstability" verdict ratings.csv > said.txt
cat said.txt
test -s "$(sed -n 's/^  //p' said.txt)"
"$there/venv/bin/python" -c 'from rankstability import load; print(len(load("ratings.csv").good), "judgments")'
