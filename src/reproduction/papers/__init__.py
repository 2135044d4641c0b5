"""The code of each paper in a folder of its own, its measures and figures; beside them what all figures share."""
