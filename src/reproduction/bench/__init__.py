"""Own texts beside an expert's pipeline."""
