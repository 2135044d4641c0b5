"""The code of the paper skipgrams: measures, figures, bench."""
