"""The code of the paper skipgrams: measures and figures."""
