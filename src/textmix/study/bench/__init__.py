"""Peers timed side by side in one run: what `snakemake bench` prints."""
