// The p-norm Perceptron (Grove, Littlestone, Schuurmans 1997): θ collects y·x over the mistakes; predict 1 when Σ x_i·w_i ≥ 0,
// w_i = sign(θ_i)|θ_i|^(p-1). The weights are kept beside θ, all divided by a power of two that moves when one nears what a double can hold.
#pragma once
#include <cmath>
#include "../core/ordered_sum.h"
#include "../core/whole_powers.h"

namespace littlestone {

struct PNorm {
    static constexpr bool scored = true;

    std::int64_t p;
    double far;  // the largest |θ_i|·scale whose power is taken
    Column<double> theta, weight;
    Column<double> scale;  // one entry, 0 before the first mistake

    double score(const Row& x) const { return dot(weight, x); }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        if (predicted.answer == answer(label)) return false;
        const double step = label ? round_weight : -round_weight;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            theta[i] += step * x.value(k);
            if (theta[i] != 0.0 && (scale[0] == 0.0 || std::abs(theta[i]) * scale[0] > far)) rescale(theta[i]);
            weight[i] = weight_of(i);
        }
        return true;
    }
    double weight_of(std::size_t i) const { return signed_power(theta[i] * scale[0], p - 1); }

    // Takes every θ_i in units of the power of two just above the largest.
    void rescale(double largest) {
        int exponent;
        std::frexp(largest, &exponent);
        scale[0] = std::ldexp(1.0, -exponent);
        for (std::size_t i = 0; i < theta.size(); ++i) weight[i] = weight_of(i);
    }
};

}  // namespace littlestone
