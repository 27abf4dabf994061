// Features that stand more than once in their row, found by stamps: a number for each column, in which each row leaves its own.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include "../core/row.h"

namespace littlestone::blocks {

// Notes the rows in which an index stands twice; returns how many they are.
inline std::int64_t find_repeats(const Column<const std::int64_t>& indptr, const Column<const std::uint32_t>& indices,
                                 const Column<std::uint32_t>& stamp, std::uint32_t tick, const Column<std::int64_t>& bad) {
    std::size_t bads = 0;
    for (std::size_t row = 0; row + 1 < indptr.size(); ++row, ++tick) {
        bool twice = false;
        for (auto k = static_cast<std::size_t>(indptr[row]); k < static_cast<std::size_t>(indptr[row + 1]); ++k) {
            twice |= stamp[indices[k]] == tick;
            stamp[indices[k]] = tick;
        }
        if (twice) bad[bads++] = static_cast<std::int64_t>(row);
    }
    return static_cast<std::int64_t>(bads);
}

struct AddedUp {
    std::int64_t features, bad;  // how many features remain, and how many rows have a sum beyond float32
};

// Adds up features that stand more than once in their row, at their first place, in doubles, rounded once; rows are moved together.
// Rows with a sum beyond float32 are noted in `bad`. `place` has an entry for each stamp, `sums` one for each feature of the longest row.
inline AddedUp add_up(const Column<std::int64_t>& indptr, const Column<std::uint32_t>& indices, const Column<float>& values,
                      const Column<std::uint32_t>& stamp, const Column<std::uint32_t>& place, std::uint32_t tick,
                      const Column<std::int64_t>& bad, const Column<double>& sums) {
    std::size_t to = 0, bads = 0;
    auto lo = static_cast<std::size_t>(indptr[0]);
    for (std::size_t row = 0; row + 1 < indptr.size(); ++row, ++tick) {
        const auto hi = static_cast<std::size_t>(indptr[row + 1]);
        const std::size_t begin = to;
        for (std::size_t k = lo; k < hi; ++k) {
            const std::uint32_t i = indices[k];
            const auto value = static_cast<double>(values[k]);
            if (stamp[i] == tick) {
                sums[place[i]] += value;
            } else {
                stamp[i] = tick;
                place[i] = static_cast<std::uint32_t>(to - begin);
                sums[to - begin] = value;
                indices[to++] = i;
            }
        }
        double worst = 0.0;
        for (std::size_t j = 0; j < to - begin; ++j) {
            worst = std::max(worst, std::abs(sums[j]));
            values[begin + j] = std::abs(sums[j]) <= std::numeric_limits<float>::max() ? static_cast<float>(sums[j])
                                                                                         : std::numeric_limits<float>::infinity();
        }
        if (worst > std::numeric_limits<float>::max()) bad[bads++] = static_cast<std::int64_t>(row);
        indptr[row + 1] = static_cast<std::int64_t>(to);
        lo = hi;
    }
    return {static_cast<std::int64_t>(to), static_cast<std::int64_t>(bads)};
}

}  // namespace littlestone::blocks
