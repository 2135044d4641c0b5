"""The code of the paper thesis: measures and figures."""
