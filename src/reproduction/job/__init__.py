"""The surroundings of a job of the workflow: its recipe, its record, its log, its commit."""
