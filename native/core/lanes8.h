// Eight doubles that are worked on together, lane by lane, with the same result on every machine: as many vectors as the machine needs
// for them, or an array where the compiler knows no vectors. What is written for doubles alone takes eight of them, too.
#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

namespace littlestone {

inline constexpr std::size_t lanes = 8;

namespace vectors {

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector) && __has_builtin(__builtin_convertvector)
#define LITTLESTONE_VECTORS
#endif
#endif

#ifdef LITTLESTONE_VECTORS
#ifdef __AVX__
inline constexpr std::size_t bytes = 32;
#else
inline constexpr std::size_t bytes = 16;
#endif
inline constexpr std::size_t width = bytes / sizeof(double);
using Doubles = double __attribute__((vector_size(bytes)));
using Truths = std::int64_t __attribute__((vector_size(bytes)));
using Floats = float __attribute__((vector_size(bytes)));
using Bits = std::uint32_t __attribute__((vector_size(bytes)));

template <class Vector, class T, std::size_t... k>
Vector everywhere(T x, std::index_sequence<k...>) {
    return Vector{(static_cast<void>(k), x)...};
}
// Of as many floats as a vector holds two vectors of doubles are made.
template <std::size_t... k>
void widen(Floats x, Doubles& low, Doubles& high, std::index_sequence<k...>) {
    using Wide = double __attribute__((vector_size(2 * bytes)));
    const Wide wide = __builtin_convertvector(x, Wide);
    low = __builtin_shufflevector(wide, wide, k...);
    high = __builtin_shufflevector(wide, wide, (width + k)...);
}
inline void widen(Floats x, Doubles& low, Doubles& high) { widen(x, low, high, std::make_index_sequence<width>{}); }
inline Bits bits_of(Floats x) { return reinterpret_cast<Bits>(x); }
inline Doubles shifted_bits(Doubles x, int places, std::uint64_t more) {
    using Words = std::uint64_t __attribute__((vector_size(bytes)));
    return reinterpret_cast<Doubles>((reinterpret_cast<Words>(x) << places) + more);
}
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
#if __has_builtin(__builtin_elementwise_fma)
    return __builtin_elementwise_fma(a, b, c);
#elif defined(__FMA__) && __has_builtin(__builtin_ia32_vfmaddpd256)
    return __builtin_ia32_vfmaddpd256(a, b, c);
#else
    return [&]<std::size_t... k>(std::index_sequence<k...>) { return Doubles{std::fma(a[k], b[k], c[k])...}; }(std::make_index_sequence<width>{});
#endif
}
inline Doubles select(Truths where, Doubles a, Doubles b) { return where ? a : b; }
inline Floats awake_or_zero(Floats x) { return reinterpret_cast<Floats>(reinterpret_cast<Bits>(x) & reinterpret_cast<Bits>(x == x)); }
inline Doubles magnitude(Doubles x) { return reinterpret_cast<Doubles>(reinterpret_cast<Truths>(x) & INT64_MAX); }
#else
inline constexpr std::size_t width = 4, bytes = width * sizeof(double);

template <class T, std::size_t count>
struct Array {
    T lane[count];
    T& operator[](std::size_t k) { return lane[k]; }
    T operator[](std::size_t k) const { return lane[k]; }
};
struct Doubles : Array<double, width> {};
struct Truths : Array<bool, width> {};
struct Floats : Array<float, 2 * width> {};
struct Bits : Array<std::uint32_t, 2 * width> {};

template <class Result, class F>
Result each(F f) {
    Result result{};
    for (std::size_t k = 0; k < std::size(result.lane); ++k) result[k] = f(k);
    return result;
}
template <class Vector, class T, std::size_t... k>
Vector everywhere(T x, std::index_sequence<k...>) {
    return each<Vector>([&](std::size_t) { return x; });
}
inline Doubles operator+(Doubles a, Doubles b) { return each<Doubles>([&](auto k) { return a[k] + b[k]; }); }
inline Doubles operator-(Doubles a, Doubles b) { return each<Doubles>([&](auto k) { return a[k] - b[k]; }); }
inline Doubles operator*(Doubles a, Doubles b) { return each<Doubles>([&](auto k) { return a[k] * b[k]; }); }
inline Truths operator==(Doubles a, Doubles b) { return each<Truths>([&](auto k) { return a[k] == b[k]; }); }
inline Truths operator<(Doubles a, Doubles b) { return each<Truths>([&](auto k) { return a[k] < b[k]; }); }
inline Floats operator*(Floats a, Floats b) { return each<Floats>([&](auto k) { return a[k] * b[k]; }); }
inline Bits operator|(Bits a, Bits b) { return each<Bits>([&](auto k) { return a[k] | b[k]; }); }
inline Bits operator^(Bits a, Bits b) { return each<Bits>([&](auto k) { return a[k] ^ b[k]; }); }
inline Bits operator-(Bits a, Bits b) { return each<Bits>([&](auto k) { return a[k] - b[k]; }); }
inline void widen(Floats x, Doubles& low, Doubles& high) {
    low = each<Doubles>([&](auto k) { return static_cast<double>(x[k]); });
    high = each<Doubles>([&](auto k) { return static_cast<double>(x[width + k]); });
}
inline Doubles shifted_bits(Doubles x, int places, std::uint64_t more) {
    return each<Doubles>([&](auto k) { return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x[k]) << places) + more); });
}
inline Doubles fma(Doubles a, Doubles b, Doubles c) { return each<Doubles>([&](auto k) { return std::fma(a[k], b[k], c[k]); }); }
inline Bits bits_of(Floats x) { return each<Bits>([&](auto k) { return std::bit_cast<std::uint32_t>(x[k]); }); }
inline Doubles select(Truths where, Doubles a, Doubles b) { return each<Doubles>([&](auto k) { return where[k] ? a[k] : b[k]; }); }
inline Floats awake_or_zero(Floats x) { return each<Floats>([&](auto k) { return x[k] == x[k] ? x[k] : 0.0f; }); }
inline Doubles magnitude(Doubles x) { return each<Doubles>([&](auto k) { return std::abs(x[k]); }); }
#endif

inline constexpr std::size_t parts = lanes / width;

template <class Vector, class T>
Vector everywhere(T x) {
    return everywhere<Vector>(x, std::make_index_sequence<sizeof(Vector) / sizeof(T)>{});
}

// f(0), f(1), ...; written out, so that no vector goes through memory.
template <std::size_t count = parts, class F>
inline void each_part(F f) {
    [&]<std::size_t... k>(std::index_sequence<k...>) { (f(k), ...); }(std::make_index_sequence<count>{});
}

}  // namespace vectors

struct EightTruths {
    vectors::Truths part[vectors::parts];
};

struct Eight {
    vectors::Doubles part[vectors::parts];

    Eight() : Eight(0.0) {}
    Eight(double x) {
        vectors::each_part([&](std::size_t k) { part[k] = vectors::everywhere<vectors::Doubles>(x); });
    }
    static Eight load(const double* from) {
        Eight x;
        vectors::each_part([&](std::size_t k) { std::memcpy(&x.part[k], from + k * vectors::width, sizeof x.part[k]); });
        return x;
    }
    static Eight load(const float* from) {
        Eight x;
        vectors::each_part<vectors::parts / 2>([&](std::size_t k) {
            vectors::Floats floats;
            std::memcpy(&floats, from + 2 * k * vectors::width, sizeof floats);
            vectors::widen(floats, x.part[2 * k], x.part[2 * k + 1]);
        });
        return x;
    }
    void store(double* to) const {
        vectors::each_part([&](std::size_t k) { std::memcpy(to + k * vectors::width, &part[k], sizeof part[k]); });
    }
    double operator[](std::size_t k) const { return part[k / vectors::width][k % vectors::width]; }
};

template <class Result, class F>
Result by_parts(F f) {
    Result x;
    vectors::each_part([&](std::size_t k) { x.part[k] = f(k); });
    return x;
}

inline Eight operator+(const Eight& a, const Eight& b) {
    return by_parts<Eight>([&](std::size_t k) { return a.part[k] + b.part[k]; });
}
inline Eight operator-(const Eight& a, const Eight& b) {
    return by_parts<Eight>([&](std::size_t k) { return a.part[k] - b.part[k]; });
}
inline Eight operator*(const Eight& a, const Eight& b) {
    return by_parts<Eight>([&](std::size_t k) { return a.part[k] * b.part[k]; });
}
inline EightTruths operator==(const Eight& a, const Eight& b) {
    return by_parts<EightTruths>([&](std::size_t k) { return vectors::Truths(a.part[k] == b.part[k]); });
}
inline EightTruths operator<(const Eight& a, const Eight& b) {
    return by_parts<EightTruths>([&](std::size_t k) { return vectors::Truths(a.part[k] < b.part[k]); });
}
inline Eight select(const EightTruths& where, const Eight& a, const Eight& b) {
    return by_parts<Eight>([&](std::size_t k) { return vectors::select(where.part[k], a.part[k], b.part[k]); });
}
inline Eight magnitude(const Eight& x) {
    return by_parts<Eight>([&](std::size_t k) { return vectors::magnitude(x.part[k]); });
}
inline Eight fma(const Eight& a, const Eight& b, const Eight& c) {
    return by_parts<Eight>([&](std::size_t k) { return vectors::fma(a.part[k], b.part[k], c.part[k]); });
}
// The bits, moved to the left, and more.
inline Eight shifted_bits(const Eight& x, int places, std::uint64_t more) {
    return by_parts<Eight>([&](std::size_t k) { return vectors::shifted_bits(x.part[k], places, more); });
}

// The same of one number.
inline double select(bool where, double a, double b) { return where ? a : b; }
inline double magnitude(double x) { return std::abs(x); }
inline double fma(double a, double b, double c) { return std::fma(a, b, c); }
inline double shifted_bits(double x, int places, std::uint64_t more) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) << places) + more);
}

// Joins the lanes in pairs, neighbours first.
template <class Join>
double joined(const Eight& x, Join join) {
    return join(join(join(x[0], x[1]), join(x[2], x[3])), join(join(x[4], x[5]), join(x[6], x[7])));
}
inline double total(const Eight& x) {
    return joined(x, [](double a, double b) { return a + b; });
}

// Eight floats, and their bits.
struct EightBits {
    vectors::Bits part[vectors::parts / 2] = {};

    std::uint32_t any() const {
        std::uint32_t bits = 0;
        for (const vectors::Bits& some : part)
            for (std::size_t k = 0; k < 2 * vectors::width; ++k) bits |= some[k];
        return bits;
    }
};

// Does the same to eight numbers at a time, and to the rest one by one: f takes where they begin, and one or eight as its type.
template <class F>
void for_each_lane(std::size_t n, F f) {
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) f.template operator()<Eight>(i);
    for (; i < n; ++i) f.template operator()<double>(i);
}

template <class Real, class Number>
Real load(const Number* from) {
    if constexpr (std::is_same_v<Real, Eight>) {
        return Eight::load(from);
    } else {
        return static_cast<double>(*from);
    }
}
inline void store(double* to, const Eight& x) { x.store(to); }
inline void store(double* to, double x) { *to = x; }

}  // namespace littlestone
