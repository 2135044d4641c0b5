"""Methods compared on many data sets, and on the user's own data."""
