#!/usr/bin/env bash
# Snakemake runs this in the new environment: textmix itself, from the folder that the Snakefile names.
set -euo pipefail
python -m pip install --no-deps --no-build-isolation --editable "${TEXTMIX_SOURCE:?is set by workflow/rules/common.smk}"
