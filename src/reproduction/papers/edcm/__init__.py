"""The code of the paper edcm: measures, figures, bench."""
