"""The code of the paper pmm: measures, figures, bench."""
