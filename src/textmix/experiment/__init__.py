"""The steps that run in a job: splits, trials, tuning, predictions, scoring, and the reading of results."""
