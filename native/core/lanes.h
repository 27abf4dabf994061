// Four doubles that are worked on together, lane by lane, in the same order on every machine.
// GCC and Clang keep them in vector registers; elsewhere they are an array.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace littlestone {

#if defined(__GNUC__) || defined(__clang__)
using Four = double __attribute__((vector_size(32)));
using FourFloats = float __attribute__((vector_size(16)));
using FourWords = std::int64_t __attribute__((vector_size(32)));  // truths are -1 and 0
using FourTruths = FourWords;

inline Four four(double a, double b, double c, double d) { return Four{a, b, c, d}; }
inline Four four(const float* from) {
    FourFloats values;
    std::memcpy(&values, from, sizeof values);
    return __builtin_convertvector(values, Four);
}
inline Four chosen(const FourTruths& truths, const Four& a, const Four& b) { return truths ? a : b; }
inline Four magnitude(const Four& a) {
    FourWords words;
    std::memcpy(&words, &a, sizeof words);
    words &= INT64_MAX;
    Four sizes;
    std::memcpy(&sizes, &words, sizeof sizes);
    return sizes;
}
#else
struct Four {
    double lane[4];
    double operator[](int k) const { return lane[k]; }
    double& operator[](int k) { return lane[k]; }
};
struct FourTruths {
    bool lane[4];
    bool operator[](int k) const { return lane[k]; }
};
inline Four four(double a, double b, double c, double d) { return {{a, b, c, d}}; }
inline Four four(const float* from) { return {{from[0], from[1], from[2], from[3]}}; }

template <class Do>
auto each_lane(Do lane) {
    using Result = decltype(lane(0));
    if constexpr (std::is_same_v<Result, bool>) {
        return FourTruths{{lane(0), lane(1), lane(2), lane(3)}};
    } else {
        return Four{{lane(0), lane(1), lane(2), lane(3)}};
    }
}
inline Four operator+(const Four& a, const Four& b) { return each_lane([&](int k) { return a[k] + b[k]; }); }
inline Four operator-(const Four& a, const Four& b) { return each_lane([&](int k) { return a[k] - b[k]; }); }
inline Four operator*(const Four& a, const Four& b) { return each_lane([&](int k) { return a[k] * b[k]; }); }
inline Four operator/(const Four& a, const Four& b) { return each_lane([&](int k) { return a[k] / b[k]; }); }
inline Four operator+(const Four& a, double b) { return a + four(b, b, b, b); }
inline Four operator*(double a, const Four& b) { return four(a, a, a, a) * b; }
inline Four operator/(double a, const Four& b) { return four(a, a, a, a) / b; }
inline Four& operator+=(Four& a, const Four& b) { return a = a + b; }
inline FourTruths operator<(const Four& a, const Four& b) { return each_lane([&](int k) { return a[k] < b[k]; }); }
inline FourTruths operator<(const Four& a, double b) { return each_lane([&](int k) { return a[k] < b; }); }
inline FourTruths operator>(const Four& a, double b) { return each_lane([&](int k) { return a[k] > b; }); }
inline FourTruths operator!=(const Four& a, double b) { return each_lane([&](int k) { return a[k] != b; }); }
inline FourTruths operator&(const FourTruths& a, const FourTruths& b) { return each_lane([&](int k) { return a[k] && b[k]; }); }
inline Four chosen(const FourTruths& truths, const Four& a, const Four& b) { return each_lane([&](int k) { return truths[k] ? a[k] : b[k]; }); }
inline Four magnitude(const Four& a) { return each_lane([&](int k) { return std::abs(a[k]); }); }
#endif

inline Four four(double a) { return four(a, a, a, a); }
inline Four root(const Four& a) {
    double roots[4];
    for (int k = 0; k < 4; ++k) roots[k] = std::sqrt(a[k]);
    return four(roots[0], roots[1], roots[2], roots[3]);
}
inline bool any(const FourTruths& truths) { return ((truths[0] | truths[1]) | (truths[2] | truths[3])) != 0; }
inline double total(const Four& sums) { return (sums[0] + sums[1]) + (sums[2] + sums[3]); }

// What is written for four lanes is good for one number, too: these are the same functions of doubles.
inline double chosen(bool truth, double a, double b) { return truth ? a : b; }
inline double magnitude(double a) { return std::abs(a); }
inline double root(double a) { return std::sqrt(a); }
inline bool any(bool truth) { return truth; }

inline Four chosen(const FourTruths& truths, const Four& a, double b) { return chosen(truths, a, four(b)); }
inline Four chosen(const FourTruths& truths, double a, const Four& b) { return chosen(truths, four(a), b); }

// The larger of two, where they are equal or not comparable the first.
template <class Lanes>
Lanes larger(const Lanes& a, const Lanes& b) {
    return chosen(a < b, b, a);
}

inline constexpr int lanes(const Four&) { return 4; }
inline constexpr int lanes(double) { return 1; }
inline double lane(const Four& a, int k) { return a[k]; }
inline double lane(double a, int) { return a; }

// total + the first lane + the second, and so on.
template <class Lanes>
double add_in_order(double total, const Lanes& a) {
    for (int k = 0; k < lanes(a); ++k) total += lane(a, k);
    return total;
}

}  // namespace littlestone
