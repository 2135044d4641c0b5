# The software of the workflow in one image, from the same lock as `make`.  `make image` turns it into textmix.sif, which
# snakemake --software-deployment-method apptainer runs every job in.  A checkout on a volume runs with its own code by
# PYTHONPATH=<checkout>/src, which stands before the installed one.
FROM python:3.12-slim-bookworm

LABEL org.opencontainers.image.title="textmix" \
      org.opencontainers.image.licenses="MIT"

# LightGBM computes with this library of GCC.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1=12.2.0-* \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/textmix
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements.lock

COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation --editable . \
    && useradd --create-home --uid 1000 reader

USER 1000
WORKDIR /home/reader
RUN textmix warm
CMD ["snakemake", "--snakefile", "/opt/textmix/workflow/Snakefile", "--list-target-rules"]
