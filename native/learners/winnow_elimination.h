// Winnow with elimination: predict 1 when w·x ≥ θ. A missed 1 doubles the weights of the row's features, a false 1 sets them to 0, for good.
// Weights and θ are whole numbers, so every sum is exact.
#pragma once
#include "../core/row.h"

namespace littlestone {

struct WinnowElimination {
    static constexpr bool scored = false;

    std::int64_t theta;
    Column<std::int64_t> weight;

    Prediction predict(const Row& x) const {
        std::uint64_t sum = 0;  // unsigned: a sum beyond 2^63 wraps
        for (const std::uint32_t i : x.indices) sum += static_cast<std::uint64_t>(weight[i]);
        return {answer(static_cast<std::int64_t>(sum) >= theta)};
    }
    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        const std::uint64_t factor = label ? 2 : 0;
        for (const std::uint32_t i : x.indices) weight[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(weight[i]) * factor);
        return true;
    }
};

}  // namespace littlestone
