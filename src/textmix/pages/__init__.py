"""The templates of all pages, and a display of the words of a classifier."""
