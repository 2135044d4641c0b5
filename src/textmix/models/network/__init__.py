"""Networks with a hidden layer."""
