// Rosenblatt's Perceptron: predict 1 when w·x ≥ 0; on a mistake add y·x to w.
// A bias feature of value ρ stands in every row; its weight is kept as a number of steps b, and adds b·ρ² to the score.
#pragma once
#include "../core/ordered_sum.h"

namespace littlestone {

struct Perceptron {
    static constexpr bool scored = true;

    double rho2;
    Column<double> weight;
    Column<double> bias;  // one entry

    double score(const Row& x) const { return dot(weight, x) + rho2 * bias[0]; }

    Prediction predict(const Row& x) const { return by_score(score(x)); }
    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        if (predicted.answer == answer(label)) return false;
        step(x, label ? round_weight : -round_weight);
        return true;
    }
    void step(const Row& x, double size) {
        add(weight, x, size);
        if (rho2 > 0.0) bias[0] += size;
    }
};

}  // namespace littlestone
