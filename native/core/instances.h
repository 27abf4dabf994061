// Rows that were seen, with a table to find them by: open addressing, linear probing, exact comparison.
// Rows are the same instance when they have the same nonzero values in the same places, in whatever order: a row's code is a sum over its
// entries, and zeros are left out. Stored rows are sorted. The table holds r + 1, or 0 where it is empty; its length is a power of two, at
// least twice the rows there is room for. Room is made before a row is kept.
#pragma once
#include <algorithm>
#include <cstring>
#include "row.h"

namespace littlestone {

// A number below 2^62 for one entry of a row, from its index and the bits of its value.
inline std::uint64_t mixed(std::uint64_t index, std::uint64_t bits) {
    std::uint64_t z = index * 0x7FEB352D + bits * 0x68E31DA5;  // odd numbers, below 2^31: they only have to scatter
    z ^= z >> 32;
    z = (z & 0xFFFFFFFF) * 0x5851F42D + (z >> 32);
    return (z ^ (z >> 32)) & ((std::uint64_t{1} << 62) - 1);
}

inline std::uint64_t code_of(const Row& x) {
    std::uint64_t code = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const float value = x.values ? x.values[k] : 1.0f;
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        if (value != 0.0f) code = (code + mixed(x.indices[k], bits)) & ((std::uint64_t{1} << 62) - 1);
    }
    return code;
}

// Where in a table of codes the search for one begins.
inline std::size_t home_of(std::uint64_t code, std::size_t table_length) {
    return static_cast<std::size_t>((code ^ (code >> 32)) & (table_length - 1));
}

// Notes in a table that row r has this code.
inline void enter(const Column<std::int64_t>& table, std::uint64_t code, std::size_t r) {
    std::size_t slot = home_of(code, table.size());
    while (table[slot] != 0) slot = (slot + 1) & (table.size() - 1);
    table[slot] = static_cast<std::int64_t>(r) + 1;
}

// Fills an empty table with the codes in their order: the same table however it came to its length.
inline void enter_all(Column<std::int64_t> table, Column<const std::uint64_t> codes, std::size_t rows) {
    for (std::size_t r = 0; r < rows; ++r) enter(table, codes[r], r);
}

struct Instances {
    Column<std::int64_t> table;
    Column<std::uint64_t> codes;
    Column<std::int64_t> starts;
    Column<std::uint32_t> indices;
    Column<float> values;

    bool has_room(std::size_t rows, const Row& x) const {
        return rows < codes.size() && static_cast<std::size_t>(starts[rows]) + x.size() <= indices.size();
    }

    // The number of the stored row that this one is, or -1.
    std::int64_t find(const Row& x) const {
        const std::uint64_t code = code_of(x);
        for (std::size_t slot = home_of(code, table.size()); table[slot] != 0; slot = (slot + 1) & (table.size() - 1)) {
            const auto r = static_cast<std::size_t>(table[slot] - 1);
            if (codes[r] == code && same(r, x)) return static_cast<std::int64_t>(r);
        }
        return -1;
    }

    // Stores a row as number r, sorted and without its zeros.
    void keep(std::size_t r, const Row& x) const {
        const auto begin = static_cast<std::size_t>(starts[r]);
        std::size_t end = begin;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const float value = x.values ? x.values[k] : 1.0f;
            if (value == 0.0f) continue;
            indices[end] = x.indices[k];
            values[end++] = value;
        }
        sort(begin, end);
        starts[r + 1] = static_cast<std::int64_t>(end);
        codes[r] = code_of(x);
        enter(table, codes[r], r);
    }

private:
    // Entry by entry where the row is sorted as the stored one is, by bisection where not.
    bool same(std::size_t r, const Row& x) const {
        const auto begin = static_cast<std::size_t>(starts[r]), end = static_cast<std::size_t>(starts[r + 1]);
        std::size_t place = begin, entries = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const float value = x.values ? x.values[k] : 1.0f;
            if (value == 0.0f) continue;
            ++entries;
            if (place >= end || indices[place] != x.indices[k]) {
                place = static_cast<std::size_t>(std::lower_bound(indices.data + begin, indices.data + end, x.indices[k]) - indices.data);
                if (place >= end || indices[place] != x.indices[k]) return false;
            }
            if (values[place] != value) return false;
            ++place;
        }
        return entries == end - begin;
    }

    // Shell's sort: in place, and one pass where the row is sorted already.
    void sort(std::size_t begin, std::size_t end) const {
        std::size_t gap = 1;
        while (gap < (end - begin) / 3) gap = 3 * gap + 1;
        for (; gap > 0; gap /= 3) {
            for (std::size_t k = begin + gap; k < end; ++k) {
                const std::uint32_t index = indices[k];
                const float value = values[k];
                std::size_t place = k;
                for (; place >= begin + gap && indices[place - gap] > index; place -= gap) {
                    indices[place] = indices[place - gap];
                    values[place] = values[place - gap];
                }
                indices[place] = index;
                values[place] = value;
            }
        }
    }
};

}  // namespace littlestone
