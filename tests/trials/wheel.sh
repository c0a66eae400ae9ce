#!/usr/bin/env bash
# Source archive and wheel, the wheel made from the archive, as `python -m build` makes them; it is
# tried in a fresh environment, with the library's own dependencies only, from an empty folder.
# README's lines for the installed library are run there. With an argument, archive and wheel are
# kept in that folder, and nothing is tried. Versions are those of requirements.lock; packages come from wherever pip is set to look.
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
sed -n '/^<!-- installed -->$/,/^<!-- \/installed -->$/p' README.md > "$there/readme"
cd "$there/empty"
unset PYTHONPATH RANKSTABILITY_DATA
"$there/venv/bin/rankstability" formats > formats.txt
grep -q '^long (DA)' formats.txt
lines=$(sed -n '/^rankstability /s/ *#.*//p' "$there/readme")
test "$(wc -l <<< "$lines")" -ge 2
PATH="$there/venv/bin:$PATH" bash -euxc "$lines" > said.txt
cat said.txt
test -s results/ratings/00_verdict/xx-yy/verdict.html
if command -v uvx > /dev/null; then
  uvx --quiet --from "$(echo "$there"/*.whl)" rankstability verdict ratings.csv output_dir=by-uvx
fi
"$there/venv/bin/python" -c 'from companion.legacy.rankstability import load; print(len(load("ratings.csv").good), "judgments")'
