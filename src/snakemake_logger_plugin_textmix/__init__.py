"""The name by which Snakemake finds the log handler of this workflow (``logger: textmix`` in profiles/default)."""

from reproduction.plan.terminal import LogHandler

__all__ = ["LogHandler"]
