// Littlestone's Winnow on boolean rows: predict 1 when w·x ≥ θ.
// A missed 1 multiplies the weights of the row's features by α, a false 1 divides them by α; a correct round changes nothing.
// The state is the exponents, w_i = α^e_i, so it is exact however long the run.
#pragma once
#include "../core/powers.h"

namespace littlestone {

struct Winnow {
    static constexpr bool scored = false;

    double theta;
    Powers powers;
    Column<std::int32_t> exponent;

    Prediction predict(const Row& x) const { return {powers.reaches(theta, exponent, x)}; }

    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        shift(exponent, x, label ? 1 : -1, powers.highest());
        return true;
    }
};

}  // namespace littlestone
