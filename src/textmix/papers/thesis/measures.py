"""The measures of the other methods of Madsen's thesis, by name; each subject has a module of its own."""
