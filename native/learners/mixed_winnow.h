// Winnow over a shard of rows: its weights are doubles, since the mean of exponents is no whole number (reference/mixing.py).
#pragma once
#include <algorithm>
#include "../core/ordered_sum.h"

namespace littlestone {

struct MixedWinnow {
    static constexpr bool scored = false;
    static constexpr double tiny = 0x1p-1000;  // no weight is smaller

    double alpha, theta;
    Column<double> weight;

    Prediction predict(const Row& x) const {
        return {answer(ordered_sum(x.size(), [&](std::size_t k) { return weight[x.indices[k]]; }) >= theta)};
    }
    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        for (const std::uint32_t i : x.indices) weight[i] = label ? weight[i] * alpha : std::max(weight[i] / alpha, tiny);
        return true;
    }
};

}  // namespace littlestone
