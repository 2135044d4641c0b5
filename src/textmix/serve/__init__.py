"""The persisted model: fit it, save it, load it, label new texts with it."""
