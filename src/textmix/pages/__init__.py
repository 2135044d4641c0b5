"""The tools of all pages and figures: styles, templates, drawings inside a page, and the data of a figure."""
