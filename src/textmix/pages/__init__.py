"""What all pages and figures are made with: style, templates, rendering."""
