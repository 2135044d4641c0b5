"""From scores to label sets."""
