"""The few compiled pieces that several rooms share. Kernels take arrays and numbers, never functions; they never validate."""
