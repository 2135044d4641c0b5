"""textmix: the tables, curves and numbers of five documents on text categorisation, rebuilt from raw data."""

__version__ = "0.1.0"
