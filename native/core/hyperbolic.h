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
// exp, log, sinh and cosh from +, -, ×, ÷ and √ alone, as reference/hyperbolic.py defines them: the same bits on every machine, which a
// system's own functions do not promise. Eight at a time they are loops without a branch, which a compiler makes vectors of.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace littlestone::hyperbolic {

inline constexpr double log2_e = 1.4426950408889634;
inline constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;  // ln 2, the first 33 bits exact

// 1/j!; the quotients of whole numbers below 2^53, so they are rounded once.
constexpr double share_of(int j) {
    double factorial = 1.0;
    for (int k = 2; k <= j; ++k) factorial *= k;
    return 1.0 / factorial;
}

// The first fourteen terms of e^r, paired so that few of them wait for another.
inline double taylor(double r) {
    constexpr double c2 = share_of(2), c3 = share_of(3), c4 = share_of(4), c5 = share_of(5), c6 = share_of(6), c7 = share_of(7);
    constexpr double c8 = share_of(8), c9 = share_of(9), c10 = share_of(10), c11 = share_of(11), c12 = share_of(12), c13 = share_of(13);
    const double square = r * r, fourth = square * square;
    const double first = (1.0 + r) + square * (c2 + r * c3);
    const double second = (c4 + r * c5) + square * (c6 + r * c7);
    const double third = (c8 + r * c9) + square * (c10 + r * c11) + fourth * (c12 + r * c13);
    return first + fourth * (second + fourth * third);
}

inline double from_bits(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline std::uint64_t to_bits(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// e^x for |x| < 700: ⌊y⌋ by way of a 32-bit integer and 2^k by its bits, so that no call stands in the way of vectors.
inline double near_exp(double x) {
    const double y = x * log2_e + 0.5;
    const auto truncated = static_cast<std::int32_t>(y);
    const std::int32_t k = truncated - (static_cast<double>(truncated) > y ? 1 : 0);
    const auto whole = static_cast<double>(k);
    const double power = from_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
    return taylor((x - whole * ln2_high) - whole * ln2_low) * power;
}

inline double exp(double x) {
    if (std::abs(x) < 700.0) return near_exp(x);
    if (x < -745.0) return 0.0;
    if (!(x < 1000.0)) return x > 0.0 ? std::numeric_limits<double>::infinity() : x;  // or it is not a number
    const double k = std::floor(x * log2_e + 0.5);
    return std::ldexp(taylor((x - k * ln2_high) - k * ln2_low), static_cast<int>(k));
}

// e·ln 2 + 2·artanh((m - 1)/(m + 1)) for x = m·2^e, m between √½ and √2.
inline double log_of_parts(double m, double e) {
    const bool low = m < 0.7071067811865476;
    m = low ? 2.0 * m : m;
    e = low ? e - 1.0 : e;
    const double s = (m - 1.0) / (m + 1.0), square = s * s;
    double p = 0.0;
    for (int j = 25; j > 0; j -= 2) p = 1.0 / j + square * p;
    return e * ln2_high + (e * ln2_low + 2.0 * s * p);
}

// The same for a number that is positive, finite and not tiny, by its bits and without a call.
inline double near_log(double x) {
    constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1, half = std::uint64_t{1022} << 52;
    const std::uint64_t bits = to_bits(x);
    return log_of_parts(from_bits((bits & fraction) | half), static_cast<double>(static_cast<std::int32_t>(bits >> 52) - 1022));
}

inline double log(double x) {
    if (x >= std::numeric_limits<double>::min() && x < std::numeric_limits<double>::infinity()) return near_log(x);
    int e = 0;
    const double m = std::isfinite(x) ? std::frexp(x, &e) : x;
    return log_of_parts(m, e);
}

// sinh a for |a| < 1, where e^a - e^-a would lose digits: its series.
inline double near_sinh(double a) {
    const double square = a * a;
    double p = 1.0;
    for (int m = 8; m > 0; --m) p = 1.0 + square * p / (2.0 * m * (2.0 * m + 1.0));
    return a * p;
}

inline double sinh(double a) {
    if (std::abs(a) < 1.0) return near_sinh(a);
    const double e = exp(std::abs(a)), half = 0.5 * (e - 1.0 / e);
    return a > 0.0 ? half : -half;
}

inline double cosh(double a) {
    if (std::abs(a) < 1.0) {
        const double s = near_sinh(a);
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
        for (std::size_t j = 0; j < a.size(); ++j) e[j] = near_exp(std::abs(a[j]) >= 1.0 ? std::abs(a[j]) : 1.0);
    }
    return far;
}

// The same of eight numbers, none beyond ±700.
inline Eight sinh(const Eight& a) {
    Eight result, e;
    for (std::size_t j = 0; j < a.size(); ++j) result[j] = near_sinh(a[j]);
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
        const double s = near_sinh(std::abs(a[j]) >= 1.0 ? 0.0 : a[j]);
        result[j] = std::sqrt(1.0 + s * s);
    }
    if (exp_of_far(a, e)) {
        for (std::size_t j = 0; j < a.size(); ++j) result[j] = std::abs(a[j]) >= 1.0 ? 0.5 * (e[j] + 1.0 / e[j]) : result[j];
    }
    return result;
}

}  // namespace littlestone::hyperbolic
