"""Style and elements of figures, and figures that several papers share."""
