// A store of pairs of features, with a table to find them by: open addressing, linear probing, exact comparison.
//
// Pair number r, in order of arrival, stands in entries[4r] to entries[4r + 3]: the smaller column, the larger one (the same where it is a
// square), its weight, and its sum of squares. The table holds r + 1, or 0 where it is empty; its length is a power of two, at least twice
// the pairs there is room for. Whoever calls `enter` has made room before. The code of a pair, the sum of those of its features, says only
// where to look first.
//
// A table at work has tags: ten bits of the code above the number, so that hardly ever is a pair looked at that is another. Behind its end
// its first sixteen places stand once more; by that its length tells it from a plain one, the form in which it is kept and compared.
#pragma once
#include <algorithm>
#include <bit>
#include "prefetch.h"
#include "row.h"

namespace littlestone {

// The code of one feature, below 2^62.
inline std::uint64_t code_of(std::uint32_t index) {
    std::uint64_t z = index * std::uint64_t{0x7FEB352D} + std::uint64_t{0x3F800000} * 0x68E31DA5;
    z ^= z >> 32;
    z = (z & 0xFFFFFFFF) * 0x5851F42D + (z >> 32);
    return (z ^ (z >> 32)) & ((std::uint64_t{1} << 62) - 1);
}

struct PairStore {
    static constexpr std::int64_t unknown = -1, untold = -2;
    static constexpr std::size_t probes = 16;  // the entries of a line of the cache
    static constexpr std::int32_t number_bits = 21, number = (1 << number_bits) - 1;

    Column<std::int32_t> table;
    Column<double> entries;

    double* pair(std::int64_t r) const { return entries.data + 4 * r; }
    double& weight(std::int64_t r) const { return pair(r)[2]; }
    double& squares(std::int64_t r) const { return pair(r)[3]; }
    bool is_pair(std::int64_t r, double low, double high) const { return pair(r)[0] == low && pair(r)[1] == high; }

    bool is_tagged() const { return !std::has_single_bit(table.size()) && !table.empty(); }
    std::size_t places() const { return table.size() - (is_tagged() ? probes : 0); }
    static std::int32_t tag_of(std::uint64_t code) { return static_cast<std::int32_t>((code >> 52) & 1023); }

    // Where the search for a pair of this code begins.
    static std::size_t first_place(std::uint64_t code, std::size_t places) { return (code ^ (code >> 32)) & (places - 1); }

    // What a table with tags holds in the line of the cache where a search begins: the number of a pair that has this tag, for which the
    // memory is asked, `unknown` where there is none, `untold` where the search goes on in another line.
    std::int64_t likely(std::size_t place, std::uint64_t code) const {
        const std::size_t into_line = (reinterpret_cast<std::uintptr_t>(table.data + place) % 64) / sizeof(std::int32_t);
        const std::size_t begin = place - std::min(place, into_line);
        const std::uint32_t ends = ends_of_search(table.data + begin, tag_of(code)) >> (place - begin);
        if (ends == 0) return untold;
        const std::int64_t r = (table[place + static_cast<std::size_t>(std::countr_zero(ends))] & number) - 1;
        prefetch(entries.data + 4 * std::max<std::int64_t>(r, 0));
        return r;
    }

    // Which of sixteen entries are empty or have this tag, as bits.
    static std::uint32_t ends_of_search(const std::int32_t* line, std::int32_t tag) {
        std::uint32_t ends = 0;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 1  // unrolled, it would no longer be worked out in vectors
#endif
        for (std::size_t j = 0; j < probes; ++j) ends |= static_cast<std::uint32_t>((line[j] == 0) | (line[j] >> number_bits == tag)) << j;
        return ends;
    }

    // The number of the pair of columns low ≤ high, place by place.
    std::int64_t find(std::uint64_t code, double low, double high) const {
        const std::size_t size = places();
        const std::int32_t part = is_tagged() ? number : INT32_MAX;
        for (std::size_t place = first_place(code, size); table[place] != 0; place = (place + 1) & (size - 1)) {
            const std::int64_t r = (table[place] & part) - 1;
            if (is_pair(r, low, high)) return r;
        }
        return unknown;
    }

    void enter(std::uint64_t code, std::int64_t r, double low, double high) const {
        pair(r)[0] = low;
        pair(r)[1] = high;
        const std::size_t size = places();
        std::size_t place = first_place(code, size);
        while (table[place] != 0) place = (place + 1) & (size - 1);
        table[place] = static_cast<std::int32_t>(r + 1);
        if (is_tagged()) {
            table[place] |= tag_of(code) << number_bits;
            if (place < probes) table[size + place] = table[place];
        }
    }
};

// Fills an empty table with the first so many pairs, in their order.
inline void enter_pairs(const Column<std::int32_t>& table, const Column<double>& entries, std::int64_t known) {
    const PairStore store{table, entries};
    for (std::int64_t r = 0; r < known; ++r) {
        const double low = store.pair(r)[0], high = store.pair(r)[1];
        store.enter(code_of(static_cast<std::uint32_t>(low)) + code_of(static_cast<std::uint32_t>(high)), r, low, high);
    }
}

// How many pairs and squares the rows of at most `most` features have, those that are 0 not counted.
inline std::int64_t count_pairs(const Column<const std::int64_t>& starts, const float* values, std::int64_t most) {
    std::int64_t total = 0;
    for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
        std::int64_t features = starts[t + 1] - starts[t];
        for (std::int64_t k = starts[t]; values && k < starts[t + 1]; ++k) features -= values[k] == 0.0F;
        if (features <= most) total += features * (features + 1) / 2;
    }
    return total;
}

}  // namespace littlestone
