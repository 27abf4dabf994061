// As many integers of 32 bits as a vector register holds, worked on together. What comes out does not depend on how many they are.
#pragma once
#include <cstdint>
#include <cstring>

namespace littlestone {

#if defined(__GNUC__) || defined(__clang__)
#ifdef __AVX2__
inline constexpr std::size_t ints_together = 8;
#else
inline constexpr std::size_t ints_together = 4;
#endif
using Ints = std::int32_t __attribute__((vector_size(4 * ints_together)));  // truths are -1 and 0

// The last one of those before, and all but the last of these.
inline Ints shifted_in(const Ints& before, const Ints& now) {
#if defined(__clang__) && defined(__AVX2__)
    return __builtin_shufflevector(before, now, 7, 8, 9, 10, 11, 12, 13, 14);
#elif defined(__clang__)
    return __builtin_shufflevector(before, now, 3, 4, 5, 6);
#elif defined(__AVX2__)
    return __builtin_shuffle(before, now, Ints{7, 8, 9, 10, 11, 12, 13, 14});
#else
    return __builtin_shuffle(before, now, Ints{3, 4, 5, 6});
#endif
}
inline Ints chosen(const Ints& truths, const Ints& a, const Ints& b) { return truths ? a : b; }
#else
inline constexpr std::size_t ints_together = 4;
struct Ints {
    std::int32_t lane[ints_together];
    std::int32_t& operator[](std::size_t k) { return lane[k]; }
    std::int32_t operator[](std::size_t k) const { return lane[k]; }
};
template <class Do>
Ints each_int(Do lane) {
    return {{lane(0), lane(1), lane(2), lane(3)}};
}
inline Ints operator+(const Ints& a, std::int32_t b) { return each_int([&](int k) { return a[k] + b; }); }
inline Ints operator&(const Ints& a, const Ints& b) { return each_int([&](int k) { return a[k] & b[k]; }); }
inline Ints operator&(const Ints& a, std::int32_t b) { return each_int([&](int k) { return a[k] & b; }); }
inline Ints operator|(const Ints& a, const Ints& b) { return each_int([&](int k) { return a[k] | b[k]; }); }
inline Ints operator~(const Ints& a) { return each_int([&](int k) { return ~a[k]; }); }
inline Ints operator<(const Ints& a, std::int32_t b) { return each_int([&](int k) { return -(a[k] < b); }); }
inline Ints operator>(const Ints& a, const Ints& b) { return each_int([&](int k) { return -(a[k] > b[k]); }); }
inline Ints operator>(const Ints& a, std::int32_t b) { return each_int([&](int k) { return -(a[k] > b); }); }
inline Ints operator==(const Ints& a, std::int32_t b) { return each_int([&](int k) { return -(a[k] == b); }); }
inline Ints shifted_in(const Ints& before, const Ints& now) { return {{before[3], now[0], now[1], now[2]}}; }
inline Ints chosen(const Ints& truths, const Ints& a, const Ints& b) { return (truths & a) | (~truths & b); }
#endif

inline Ints ints(const void* from) {
    Ints numbers;
    std::memcpy(&numbers, from, sizeof numbers);
    return numbers;
}
// 0, 1, 2, and so on.
inline Ints counted() {
    Ints numbers{};
    for (std::size_t k = 0; k < ints_together; ++k) numbers[k] = static_cast<std::int32_t>(k);
    return numbers;
}
// The bits of so many numbers as floats.
inline Ints float_bits(const float* from) { return ints(from); }
inline Ints float_bits(const double* from) {
    float rounded[ints_together];
    for (std::size_t k = 0; k < ints_together; ++k) rounded[k] = static_cast<float>(from[k]);
    return ints(rounded);
}
inline bool any(const Ints& truths) {
    std::uint64_t words[ints_together / 2], together = 0;
    std::memcpy(words, &truths, sizeof words);
    for (const std::uint64_t word : words) together |= word;
    return together != 0;
}

}  // namespace littlestone
