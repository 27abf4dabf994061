// exp, log, sinh and cosh from +, -, ×, ÷ and √ alone, as `reference/hyperbolic.py` defines them: a system's own may differ from another's
// in the last bit, and one bit can turn a prediction.
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include "lanes.h"

namespace littlestone {

inline constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;  // the first 33 bits exact
inline constexpr double log2_e = 1.4426950408889634;

// The first fourteen terms of e^r, paired so that few of them wait for another.
template <class Number>  // doubles, or lanes of them
Number exp_near_zero(Number r) {
    const Number square = r * r, fourth = square * square;
    const Number first = (r + 1.0) + square * ((1.0 / 6.0) * r + 1.0 / 2.0);
    const Number second = ((1.0 / 120.0) * r + 1.0 / 24.0) + square * ((1.0 / 5040.0) * r + 1.0 / 720.0);
    const Number third = ((1.0 / 362880.0) * r + 1.0 / 40320.0) + square * ((1.0 / 39916800.0) * r + 1.0 / 3628800.0) +
                         fourth * ((1.0 / 6227020800.0) * r + 1.0 / 479001600.0);
    return first + fourth * (second + fourth * third);
}

// 2^k for a whole k from -1022 to 1023, by its bits.
inline double power_of_two(std::int64_t k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

// ⌊y⌋ for |y| < 2^31, without a call.
inline std::int32_t whole_below(double y) {
    const auto truncated = static_cast<std::int32_t>(y);
    return truncated - (static_cast<double>(truncated) > y ? 1 : 0);
}

inline double exp_of_moderate(double x) {
    const std::int32_t k = whole_below(x * log2_e + 0.5);
    return exp_near_zero((x - k * ln2_high) - k * ln2_low) * power_of_two(k);
}

// e^x of four numbers, none beyond ±700.
inline Four exp(const Four& x) {
    const Four y = log2_e * x + 0.5;
    double k[4], powers[4];
    for (int j = 0; j < 4; ++j) {
        const std::int32_t whole = whole_below(y[j]);
        k[j] = whole;
        powers[j] = power_of_two(whole);
    }
    const Four wholes = four(k[0], k[1], k[2], k[3]);
    return exp_near_zero((x - ln2_high * wholes) - ln2_low * wholes) * four(powers[0], powers[1], powers[2], powers[3]);
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

template <class Number>
Number everywhere(double x) {
    if constexpr (std::is_same_v<Number, double>) {
        return x;
    } else {
        return four(x);
    }
}

// sinh a for |a| < 1, where e^a - e^-a would lose digits: its series.
template <class Number>  // doubles, or lanes of them
Number sinh_near_zero(Number a) {
    const Number square = a * a;
    Number p = square / everywhere<Number>(2.0 * 8 * (2.0 * 8 + 1.0)) + 1.0;
    for (int m = 7; m > 0; --m) p = square * p / everywhere<Number>(2.0 * m * (2.0 * m + 1.0)) + 1.0;
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

inline FourTruths are_far(const Four& a) { return magnitude(a) > 1.0 - 0x1p-53; }  // |a| ≥ 1

// The same of four numbers, none beyond ±700.
inline Four sinh(const Four& a) {
    const FourTruths far = are_far(a);
    const Four near = sinh_near_zero(a);
    if (!any(far)) return near;
    const Four e = exp(chosen(far, magnitude(a), 1.0)), half = 0.5 * (e - 1.0 / e);
    return chosen(far, chosen(a > 0.0, half, four(0.0) - half), near);
}

inline Four cosh(const Four& a) {
    const FourTruths far = are_far(a);
    const Four s = sinh_near_zero(chosen(far, 0.0, a)), near = root(s * s + 1.0);
    if (!any(far)) return near;
    const Four e = exp(chosen(far, magnitude(a), 1.0));
    return chosen(far, 0.5 * (e + 1.0 / e), near);
}

using Eight = std::array<double, 8>;

template <class Function>
Eight by_fours(const Eight& a, Function function) {
    const Four low = function(four(a[0], a[1], a[2], a[3])), high = function(four(a[4], a[5], a[6], a[7]));
    return {low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
}

inline Eight sinh(const Eight& a) {
    return by_fours(a, [](const Four& part) { return sinh(part); });
}
inline Eight cosh(const Eight& a) {
    return by_fours(a, [](const Four& part) { return cosh(part); });
}

}  // namespace littlestone
