// exp and log from +, -, ×, ÷ and √ alone, as `reference/hyperbolic.py` defines them: a system's own may differ from another's in the
// last bit, and one bit can turn a prediction.
#pragma once
#include <bit>
#include <cmath>
#include <limits>
#include "lanes.h"

namespace littlestone {

inline constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;  // the first 33 bits exact

// The first fourteen terms of e^r, paired so that few of them wait for another.
inline double exp_near_zero(double r) {
    const double square = r * r, fourth = square * square;
    const double first = (1.0 + r) + square * (1.0 / 2.0 + r * (1.0 / 6.0));
    const double second = (1.0 / 24.0 + r * (1.0 / 120.0)) + square * (1.0 / 720.0 + r * (1.0 / 5040.0));
    const double third = (1.0 / 40320.0 + r * (1.0 / 362880.0)) + square * (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) +
                         fourth * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0));
    return first + fourth * (second + fourth * third);
}

inline double exp(double x) {
    if (x < -745.0) return 0.0;
    const double k = std::floor(x * 1.4426950408889634 + 0.5);
    const double near = exp_near_zero((x - k * ln2_high) - k * ln2_low);
    if (std::abs(x) < 700.0) return near * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
    return std::ldexp(near, k < 4096.0 ? static_cast<int>(k) : 4096);
}

// e·ln 2 + 2·artanh((m-1)/(m+1)) for m·2^e, m from 1/2 to 1; doubles, or lanes of them.
template <class Number>
Number log_of_parts(Number m, Number e) {
    const auto low = m < 0.7071067811865476;
    m = chosen(low, 2.0 * m, m);
    e = chosen(low, e + -1.0, e);
    const Number s = (m + -1.0) / (m + 1.0), square = s * s;
    Number p = 0.0 * square + 1.0 / 25;
    for (int j = 23; j > 0; j -= 2) p = square * p + 1.0 / j;
    return ln2_high * e + (ln2_low * e + 2.0 * s * p);
}

inline double log(double x) {
    if (x >= std::numeric_limits<double>::min() && x < std::numeric_limits<double>::infinity()) {  // by its bits: the same, and no call
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) | 0x3FE0000000000000);
        return log_of_parts(m, static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1022));
    }
    int e = 0;
    const double m = std::frexp(x, &e);
    return log_of_parts(m, static_cast<double>(e));
}

// The same for four numbers, none of them tiny.
inline Four log(const Four& x) {
    double parts[4], exponents[4];
    for (int k = 0; k < 4; ++k) {
        const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(x[k]));
        parts[k] = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) | 0x3FE0000000000000);
        exponents[k] = static_cast<double>(static_cast<std::int32_t>(bits >> 52) - 1022);
    }
    return log_of_parts(four(parts[0], parts[1], parts[2], parts[3]), four(exponents[0], exponents[1], exponents[2], exponents[3]));
}

}  // namespace littlestone
