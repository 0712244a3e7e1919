"""GPU kernels for stacked encoders; imported only where there is a GPU."""
