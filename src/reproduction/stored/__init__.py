"""Results on disk: measures, single fits, and the values that locators name."""
