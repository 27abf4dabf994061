// Sorts the features of one row by column. A feature is one word, the column above the bits of its value; no column stands twice in a row.
// The columns of a row come in no order that a processor could guess, so neither way takes a branch on a comparison.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace littlestone {

inline std::uint64_t feature_word(std::uint32_t column, float value) {
    return std::uint64_t{column} << 32 | std::bit_cast<std::uint32_t>(value);
}
inline std::uint32_t column_of(std::uint64_t feature) { return static_cast<std::uint32_t>(feature >> 32); }
inline float value_of(std::uint64_t feature) { return std::bit_cast<float>(static_cast<std::uint32_t>(feature)); }

// Puts each feature where as many stand before it as have a smaller column; at most 64 of them.
inline void sort_short_row(std::vector<std::uint64_t>& features, std::vector<std::uint64_t>& sorted) {
    std::array<std::uint32_t, 64> columns;
    for (std::size_t k = 0; k < features.size(); ++k) columns[k] = column_of(features[k]);
    for (std::size_t k = 0; k < features.size(); ++k) {
        std::uint32_t smaller = 0;
        for (std::size_t j = 0; j < features.size(); ++j) smaller += columns[j] < columns[k];
        sorted[smaller] = features[k];
    }
    features.swap(sorted);
}

// Digit by digit, from the lowest to the highest that is used.
inline void sort_long_row(std::vector<std::uint64_t>& features, std::vector<std::uint64_t>& sorted, std::uint32_t bits_used) {
    constexpr unsigned bits = 6, digits = 1u << bits;
    for (unsigned shift = 0; shift < 32 && bits_used >> shift; shift += bits) {
        const auto digit = [shift](std::uint64_t feature) { return column_of(feature) >> shift & (digits - 1); };
        std::array<std::uint32_t, digits + 1> place{};  // of the next feature with each digit
        for (const std::uint64_t feature : features) ++place[digit(feature) + 1];
        for (unsigned d = 0; d < digits; ++d) place[d + 1] += place[d];
        for (const std::uint64_t feature : features) sorted[place[digit(feature)]++] = feature;
        features.swap(sorted);
    }
}

// `spare` is room of the caller's that the features may change places with.
inline void sort_row(std::vector<std::uint64_t>& features, std::vector<std::uint64_t>& spare) {
    if (std::is_sorted(features.begin(), features.end())) return;
    spare.resize(features.size());
    if (features.size() <= 64) return sort_short_row(features, spare);
    std::uint32_t bits_used = 0;
    for (const std::uint64_t feature : features) bits_used |= column_of(feature);
    sort_long_row(features, spare, bits_used);
}

}  // namespace littlestone
