"""The code of the paper multinomial: measures, figures, bench."""
