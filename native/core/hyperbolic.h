// exp, log, sinh and cosh from +, -, ×, ÷ and √ alone, as `reference/hyperbolic.py` defines them: a system's own may differ from another's
// in the last bit, and one bit can turn a prediction. Eight at a time they are loops without a branch, which a compiler makes vectors of.
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include "lanes.h"

namespace littlestone {

inline constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;  // the first 33 bits exact
inline constexpr double log2_e = 1.4426950408889634;

// The first fourteen terms of e^r, paired so that few of them wait for another.
inline double exp_near_zero(double r) {
    const double square = r * r, fourth = square * square;
    const double first = (1.0 + r) + square * (1.0 / 2.0 + r * (1.0 / 6.0));
    const double second = (1.0 / 24.0 + r * (1.0 / 120.0)) + square * (1.0 / 720.0 + r * (1.0 / 5040.0));
    const double third = (1.0 / 40320.0 + r * (1.0 / 362880.0)) + square * (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) +
                         fourth * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0));
    return first + fourth * (second + fourth * third);
}

// e^x for |x| < 700: ⌊y⌋ by way of a 32-bit integer and 2^k by its bits, so that no call stands in the way of vectors.
inline double exp_of_moderate(double x) {
    const double y = x * log2_e + 0.5;
    const auto truncated = static_cast<std::int32_t>(y);
    const std::int32_t k = truncated - (static_cast<double>(truncated) > y ? 1 : 0);
    const double whole = k, power = std::bit_cast<double>(static_cast<std::uint64_t>(std::int64_t{k} + 1023) << 52);
    return exp_near_zero((x - whole * ln2_high) - whole * ln2_low) * power;
}

inline double exp(double x) {
    if (std::abs(x) < 700.0) return exp_of_moderate(x);
    if (x < -745.0) return 0.0;
    if (!(x < 1000.0)) return x > 0.0 ? std::numeric_limits<double>::infinity() : x;  // or it is not a number
    const double k = std::floor(x * log2_e + 0.5);
    return std::ldexp(exp_near_zero((x - k * ln2_high) - k * ln2_low), static_cast<int>(k));
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

// sinh a for |a| < 1, where e^a - e^-a would lose digits: its series.
inline double sinh_near_zero(double a) {
    const double square = a * a;
    double p = 1.0;
    for (int m = 8; m > 0; --m) p = 1.0 + square * p / (2.0 * m * (2.0 * m + 1.0));
    return a * p;
}

inline double sinh(double a) {
    if (std::abs(a) < 1.0) return sinh_near_zero(a);
    const double e = exp(std::abs(a)), half = 0.5 * (e - 1.0 / e);
    return a > 0.0 ? half : -half;
}

inline double cosh(double a) {
    if (std::abs(a) < 1.0) {
        const double s = sinh_near_zero(a);
        return std::sqrt(1.0 + s * s);
    }
    const double e = exp(std::abs(a));
    return 0.5 * (e + 1.0 / e);
}

using Eight = std::array<double, 8>;

// e^|a| of those of |a| from 1 to 700, and of the others something that is not used; false where all are others.
inline bool exp_of_far(const Eight& a, Eight& e) {
    bool far = false;
    for (const double x : a) far |= std::abs(x) >= 1.0;
    if (far) {
        for (std::size_t j = 0; j < a.size(); ++j) e[j] = exp_of_moderate(std::abs(a[j]) >= 1.0 ? std::abs(a[j]) : 1.0);
    }
    return far;
}

// The same of eight numbers, none beyond ±700.
inline Eight sinh(const Eight& a) {
    Eight result, e;
    for (std::size_t j = 0; j < a.size(); ++j) result[j] = sinh_near_zero(a[j]);
    if (exp_of_far(a, e)) {
        for (std::size_t j = 0; j < a.size(); ++j) {
            const double half = 0.5 * (e[j] - 1.0 / e[j]), signed_half = a[j] > 0.0 ? half : -half;
            result[j] = std::abs(a[j]) >= 1.0 ? signed_half : result[j];
        }
    }
    return result;
}

inline Eight cosh(const Eight& a) {
    Eight result, e;
    for (std::size_t j = 0; j < a.size(); ++j) {
        const double s = sinh_near_zero(std::abs(a[j]) >= 1.0 ? 0.0 : a[j]);
        result[j] = std::sqrt(1.0 + s * s);
    }
    if (exp_of_far(a, e)) {
        for (std::size_t j = 0; j < a.size(); ++j) result[j] = std::abs(a[j]) >= 1.0 ? 0.5 * (e[j] + 1.0 / e[j]) : result[j];
    }
    return result;
}

}  // namespace littlestone
