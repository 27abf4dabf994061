// Coins that can be tossed again.
#pragma once
#include <cstdint>

namespace littlestone {

// A number in [0, 1) that depends on seed and k alone: splitmix64 of the two.
inline double coin(std::int64_t seed, std::int64_t k) {
    std::uint64_t x = static_cast<std::uint64_t>(seed) * 0xD1342543DE82EF95u + static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u + 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    return static_cast<double>(x >> 11) * 0x1p-53;
}

}  // namespace littlestone
