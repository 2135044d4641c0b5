"""Infrastructure of the kernels: compilation, threads, prefetching, SIMD lanes and random numbers."""
