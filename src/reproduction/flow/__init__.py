"""From the configuration to results: the plan, what the rules ask of it, the surroundings of a job, stored results."""
