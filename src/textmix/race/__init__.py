"""Methods raced on the user's own texts within a time: one command, from a table to a model and a page."""
