# make                set up .venv and reproduce the papers that config/config.yaml selects
# make full           also run the experiments that are marked as expensive (config/full.yaml)
# make setup          install the packages of a run into .venv (requirements.lock)
# make test           install the packages for development (requirements-bench.lock, requirements-dev.lock), run the tests
# make check          check formatting, lint and types
# make retry          retry downloads that failed, and run again
# make clean          delete all results and logs; downloaded data and packages stay
# make tiny           reproduce one paper from data in packages
# make bench          benchmark against other libraries (takes hours)
# make bench-check    run each benchmark once on few documents, without timing
# make docs           build the documentation in docs/_build/html; warnings are errors
# make site           build the documentation, with the report of a run in run/
# make docs-data      fetch the data sets of the examples from the package index
# make axe            install axe-core for the accessibility tests (needs npm and a browser)
# make fuzz           test readers, configuration and saved models on CASES random inputs each
# make forms          test every estimator on matrices of every format and on extreme values
# make chaos          run for MINUTES with random faults, and compare all results after each
# make mutants        mutation tests of kernels and metrics (MUTANTS='textmix.models.pmm.*': some of them)
# make check-project  lint the GitHub workflows, the Dockerfile and the rules
# make audit          look up known vulnerabilities of the locked packages
# make lowest         test the estimators with the lowest supported versions
# make release-check  build wheel and sdist; install each with each Python of PYTHONS, and run the documented code
# make image          build textmix.sif, the container image for jobs (needs docker and apptainer)
# make slurm          submit the jobs to a Slurm cluster (SLURM_PROFILE, SLURM_PLUGIN)
# STRICT=1            fail if a data set is not available

PYTHON ?= python3
PYTHONS ?= python3.11 python3.12 python3.13
BIN := .venv/bin
CORES ?= all
SNAKEMAKE := $(BIN)/python -m snakemake --cores $(CORES)
OPTIONS := $(if $(STRICT),--config strict=true)

# Packages of a run, more for benchmarks, and more for development.
LOCKS := requirements.lock requirements-bench.lock requirements-dev.lock

TOOLS := .venv-tools/bin
SITE := .venv-docs/bin
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' src/textmix/__init__.py)

TINY := --config max_trials=1 'papers=[naive_bayes]'
DOCS_DATA := imdb_wheel newsgroups_parts newsgroups_wheel r52_wheel yeast_wheel

CASES ?= 5000
MINUTES ?= 20

.PHONY: all slurm clean full test bench bench-check develop axe fuzz forms chaos mutants check retry setup check-project audit docs docs-data tiny image lowest site
.DELETE_ON_ERROR:

# Planning takes some seconds without output; a first run also compiles the code.
PLANNING = $(CHECK_FOLDER); echo 'Planning the run (up to a minute)'
# Snakemake would report this with a traceback.
CHECK_FOLDER = @test -w . || { \
  echo "The folder $(CURDIR) is not writable: change its permissions, or clone the repository into another one."; exit 1; }

all: setup
	$(PLANNING)
	$(SNAKEMAKE) $(OPTIONS)

full: setup
	$(PLANNING)
	$(SNAKEMAKE) --configfile config/full.yaml $(OPTIONS)

retry: setup
	grep -L '"status": "had"' resources/*/fetch.json | xargs -r rm
	$(PLANNING)
	$(SNAKEMAKE) $(OPTIONS)

# Without the plugin, Snakemake would print its usage on 200 lines.
SLURM_PROFILE ?= profiles/slurm
SLURM_PLUGIN ?= snakemake-executor-plugin-cluster-generic
slurm: setup
	@$(BIN)/python -m pip show --quiet $(SLURM_PLUGIN) 2>/dev/null || { \
	  echo "$(SLURM_PROFILE) needs $(SLURM_PLUGIN): run $(BIN)/python -m pip install $(SLURM_PLUGIN)"; exit 1; }
	$(BIN)/python -m snakemake --profile $(SLURM_PROFILE)

test: develop
	$(BIN)/python -m pytest --outcomes

bench: .venv/.bench
	$(SNAKEMAKE) bench

bench-check: .venv/.bench
	$(BIN)/python -m pytest benchmarks --benchmark-disable --shares 0.02

axe:
	npm ci --prefix tests/pages/axe

# Kernels are compiled with bounds checking, in a separate cache.
fuzz: develop
	TEXTMIX_FUZZ=$(CASES) NUMBA_BOUNDSCHECK=1 TEXTMIX_CACHE=.fuzz-cache $(BIN)/python -m pytest \
	  tests/data/test_readers_fuzz.py tests/data/test_new_texts_fuzz.py tests/flow/test_files_fuzz.py \
	  tests/serve/test_model_fuzz.py

forms: develop
	$(BIN)/python -m tests.attacks.forms

chaos: develop
	$(BIN)/python -m tests.attacks.chaos --minutes $(MINUTES)

# mutmut skips decorated functions, so the copy has kernels without decorators, and the compiler is off.
mutants: develop
	rm -rf .mutants && mkdir .mutants && git archive HEAD | tar --extract --directory .mutants
	grep --recursive --files-with-matches '^@njit' .mutants/src | xargs sed --in-place '/^@njit/d'
	cd .mutants && NUMBA_DISABLE_JIT=1 ../$(BIN)/mutmut run $(MUTANTS)

check: develop
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/yamllint -s config workflow profiles environment.yml .pre-commit-config.yaml .github

# Set PYTHONS to the interpreters that are installed.
release-check:
	rm -rf build dist .venv-release && $(PYTHON) -m venv .venv-release/tools
	.venv-release/tools/bin/python -m pip install --quiet --require-hashes --requirement .github/release.lock
	.venv-release/tools/bin/python -m build
	.venv-release/tools/bin/twine check --strict dist/*
	.venv-release/tools/bin/check-wheel-contents dist/*.whl
	.venv-release/tools/bin/cffconvert --validate --infile CITATION.cff
	grep --quiet "^version: $(VERSION)$$" CITATION.cff
	set -e; for python in $(PYTHONS); do for package in dist/*.whl dist/*.tar.gz; do \
	  rm -rf .venv-release/clean; \
	  $$python -m venv .venv-release/clean; \
	  .venv-release/clean/bin/python -m pip install --quiet $$package; \
	  .venv-release/clean/bin/python -P tests/release/example.py; \
	  .venv-release/clean/bin/python -P tests/release/documented.py; \
	  .venv-release/clean/bin/python -m pip install --quiet "$$package[compare]"; \
	  .venv-release/clean/bin/python -P tests/release/compared.py; \
	done; done

# The lowest version is the lower bound in pyproject.toml.
lowest:
	rm -rf .venv-lowest && $(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet uv pytest pytest-xdist hypothesis jsonschema liac-arff
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct \
	  '.[data,compare,tables,boosting,lemmas,tags,plot]'
	PYTHONPATH=src .venv-lowest/bin/python -m pytest tests/models tests/text tests/metrics tests/serve tests/data tests/compare

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

docs-data: .venv-docs/.ready
	$(SITE)/python -c "import sys; from textmix import datasets; [datasets.load(name) for name in sys.argv[1:]]" $(DOCS_DATA)

# results/README.md is part of the repository.
clean:
	mkdir -p results && find results -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} +
	rm -rf logs .snakemake

tiny: setup
	$(PLANNING)
	$(SNAKEMAKE) naive_bayes report $(TINY)
	$(SNAKEMAKE) verify $(TINY)

image: setup
	docker build --tag textmix:$(VERSION) .
	apptainer build --force textmix.sif docker-daemon://textmix:$(VERSION)

setup: .venv/.ready

# pip would only report that no version of a package fits.
CHECK_PYTHON = import sys; sys.version_info >= (3, 11) or sys.exit(\
  f'textmix needs Python 3.11 or later; this is {sys.version.split()[0]}: run make PYTHON=python3.12')

# The stamp is written last, so that an interrupted setup is repeated.
.venv/.ready: requirements.lock pyproject.toml
	$(CHECK_FOLDER)
	@$(PYTHON) -c "$(CHECK_PYTHON)"
	@echo 'Setting up .venv (once, about two minutes)'
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

# The documentation imports textmix, so its environment has the packages of both locks.
.venv-docs/.ready: requirements.lock docs/requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv-docs
	$(SITE)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(SITE)/python -m pip install --quiet --require-hashes -r docs/requirements.lock
	$(SITE)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
