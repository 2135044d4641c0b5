"""What all kernels share: compilation, threads, prefetching, vector lanes and random numbers."""
