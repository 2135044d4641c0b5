"""Configuration, execution plan, inputs and parameters of rules, job context and stored results."""
