"""GPU kernels, in Triton; each module is imported when it is used, because Triton is optional."""
