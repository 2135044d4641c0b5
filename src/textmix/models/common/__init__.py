"""What several families of estimators share: checks, frames, kernels over counts."""
