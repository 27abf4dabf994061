"""Whole powers of doubles, by squarings: products alone, and so the same on every machine."""

from littlestone.kernels.compiler import jit_lent


@jit_lent
def power(a, m):
    """a^m by squarings."""
    result = 1.0
    while m > 0:
        if m & 1:
            result *= a
        m >>= 1
        if m > 0:
            a *= a
    return result


@jit_lent
def signed_power(a, m):
    """sign(a)·|a|^m."""
    return -power(-a, m) if a < 0.0 else power(a, m)
