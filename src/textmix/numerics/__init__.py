"""Parts that all kernels share: compilation, threads, prefetching, vector lanes and random numbers."""
