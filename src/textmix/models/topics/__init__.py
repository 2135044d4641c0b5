"""Topic models of labelled documents."""
