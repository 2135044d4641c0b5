"""Create the folder of a new paper."""
