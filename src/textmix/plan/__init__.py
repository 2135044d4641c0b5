"""What the workflow asks while it is parsed: papers, methods, data, suites; no NumPy."""
