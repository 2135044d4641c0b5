"""Published beside rebuilt: comparison, tables, figures and the page."""
