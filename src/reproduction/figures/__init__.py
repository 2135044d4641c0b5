"""Style and elements of figures, and the figures that several papers draw."""
