"""The code of the paper multinomial: measures and figures."""
