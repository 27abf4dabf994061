// Features of several columns of a table, as rows.
#pragma once
#include "../core/row.h"

namespace littlestone::blocks {

// Puts the features of one column where each row goes on, `at`, and moves those places. Row t has the next counts[t] of the codes.
inline void place_features(const Column<const std::int32_t>& counts, const Column<const std::int32_t>& codes, std::int32_t shift,
                           const float* values, const Column<std::int64_t>& at, const Column<std::int32_t>& indices,
                           const Column<float>& out) {
    std::size_t k = 0;
    for (std::size_t row = 0; row < counts.size(); ++row) {
        auto p = static_cast<std::size_t>(at[row]);
        for (std::int32_t left = counts[row]; left > 0; --left, ++p, ++k) {
            indices[p] = codes[k] + shift;
            out[p] = values ? values[k] : 1.0f;
        }
        at[row] = static_cast<std::int64_t>(p);
    }
}

// Numbers codes anew, in place, by first appearance; `rank` comes full of -1. Returns how many there are; `order` lists the old ones.
inline std::int32_t number_by_appearance(const Column<std::int32_t>& codes, const Column<std::int32_t>& rank,
                                         const Column<std::int32_t>& order) {
    std::int32_t count = 0;
    for (std::int32_t& code : codes) {
        const auto old = static_cast<std::size_t>(code);
        if (rank[old] < 0) {
            order[static_cast<std::size_t>(count)] = code;
            rank[old] = count++;
        }
        code = rank[old];
    }
    return count;
}

}  // namespace littlestone::blocks
