// Buckets of hashed names: what fell into each, and rows in which one stands twice.
#pragma once
#include "names.h"

namespace littlestone::text {

constexpr std::uint64_t hash_seed = 0x9E3779B97F4A7C15;  // of the hash that says where a name's bucket is

struct BucketsMet {
    std::int64_t repeats = 0;  // features that stand in a bucket that their row has already
    std::uint32_t top = 0, bottom = 0xFFFFFFFF;
};

// Notes features in their buckets: 32 bits of occurrences, 31 of the first name's print, and one: has another print come?
// Rows of more than `compared` features use stamps.
inline BucketsMet note_buckets(const Column<const std::int64_t>& indptr, const Column<const std::uint32_t>& indices,
                               const Column<const std::uint32_t>& prints, const Column<std::uint64_t>& table,
                               const Column<std::uint32_t>& stamp, std::uint32_t tick, std::int64_t compared) {
    constexpr std::uint64_t one = std::uint64_t{1} << half;
    BucketsMet met;
    for (std::size_t k = 0; k < indices.size(); ++k) {
        std::uint64_t& entry = table[indices[k]];
        const std::uint64_t print = std::max<std::uint64_t>(prints[k] & ~std::uint32_t{1}, 2);
        if (entry == 0) entry = print;
        entry |= (entry & (low_half - 1)) != print;
        if (entry >> half != low_half) entry += one;
        met.top = std::max(met.top, indices[k]);
        met.bottom = std::min(met.bottom, indices[k]);
    }
    for (std::size_t row = 0; row + 1 < indptr.size(); ++row, ++tick) {
        const auto lo = static_cast<std::size_t>(indptr[row]), hi = static_cast<std::size_t>(indptr[row + 1]);
        const bool few = static_cast<std::int64_t>(hi - lo) <= compared;
        for (std::size_t k = lo; k < hi; ++k) {
            bool twice = false;
            if (few) {
                for (std::size_t j = lo; j < k; ++j) twice |= indices[j] == indices[k];
            } else {
                twice = stamp[indices[k]] == tick;
                stamp[indices[k]] = tick;
            }
            met.repeats += twice;
        }
    }
    return met;
}

// The hash of the decimal digits of each number.
inline void hash_decimals(const Column<const std::uint32_t>& numbers, const Column<std::uint64_t>& hashes) {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        Byte text[24] = {};
        std::size_t begin = 10;
        std::uint32_t left = numbers[k];
        do {
            text[--begin] = static_cast<Byte>('0' + left % 10);
            left /= 10;
        } while (left > 0);
        hashes[k] = hash_of(hash_seed, {text + begin, 10 - begin}).value;
    }
}

}  // namespace littlestone::text
