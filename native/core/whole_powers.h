// Whole powers of doubles, by squarings: products alone, and so the same on every machine.
#pragma once
#include <cstdint>

namespace littlestone {

inline double power(double a, std::int64_t m) {
    double result = 1.0;
    while (m > 0) {
        if (m & 1) result *= a;
        m >>= 1;
        if (m > 0) a *= a;
    }
    return result;
}

// sign(a)·|a|^m
inline double signed_power(double a, std::int64_t m) { return a < 0.0 ? -power(-a, m) : power(a, m); }

}  // namespace littlestone
