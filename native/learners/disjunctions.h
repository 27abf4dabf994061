// Elimination: predict 1 when some feature of the row has not been struck out. A false 1 strikes out its features, for good.
#pragma once
#include <algorithm>
#include "../core/row.h"

namespace littlestone {

struct Disjunctions {
    static constexpr bool scored = false;

    Column<std::int8_t> gone;

    Prediction predict(const Row& x) const {
        return {answer(std::any_of(x.indices.begin(), x.indices.end(), [&](std::uint32_t i) { return gone[i] == 0; }))};
    }
    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        if (!label) {
            for (const std::uint32_t i : x.indices) gone[i] = 1;
        }
        return true;
    }
};

}  // namespace littlestone
