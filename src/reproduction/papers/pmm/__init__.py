"""The code of the paper pmm: measures and figures."""
