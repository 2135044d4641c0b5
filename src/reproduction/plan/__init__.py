"""The plan of a run, made while Snakemake parses the workflow: papers, methods, data, suites; it imports no NumPy."""
