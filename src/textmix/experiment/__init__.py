"""What runs in a job: splits, trials, tuning, predictions, scoring, and how results are read."""
