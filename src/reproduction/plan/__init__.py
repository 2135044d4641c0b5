"""The plan of a run, made while Snakemake parses the workflow: papers, methods, data; it imports no NumPy."""
