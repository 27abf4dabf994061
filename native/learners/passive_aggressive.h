// Passive-Aggressive (Crammer et al. 2006): change the weights as little as makes this round right by a margin of 1.
// Where the loss ℓ = 1 - y·w·x is positive, add τ·y·x with τ = min(C, ℓ/|x|²) (variant I) or ℓ/(|x|² + 1/(2C)) (variant II).
#pragma once
#include <algorithm>
#include "../core/ordered_sum.h"

namespace littlestone {

struct PassiveAggressive {
    static constexpr bool scored = true;

    double rho2;
    double C;  // infinite where there is no limit
    bool second;
    Column<double> weight;
    Column<double> bias;  // one entry
    Column<double> sums;  // Στ, Στ²/c, updates, mistakes that no τ covers, and Σc²q over the others, c the weight of a round

    double score(const Row& x) const { return dot(weight, x) + rho2 * bias[0]; }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        const double sign = label ? 1.0 : -1.0, loss = 1.0 - sign * predicted.score;
        if (!(loss > 0.0 && round_weight > 0.0)) return false;
        const double limit = round_weight * C, square = squared_length(x) + rho2;
        const double q = second ? square + 0.5 / limit : std::max(square, 1.0 / limit);
        double tau;
        if (second) {
            tau = loss / q;
        } else if (square > 0.0) {
            tau = std::min(limit, loss / square);
        } else {  // a row without features; without C, nothing can be learned of it
            tau = q > 0.0 ? limit : 0.0;
        }
        if ((predicted.score >= 0.0) != label) {
            if (q > 0.0) {
                sums[4] += round_weight * round_weight * q;
            } else {
                sums[3] += round_weight;
            }
        }
        add(weight, x, sign * tau);
        if (rho2 > 0.0) bias[0] += sign * tau;
        sums[0] += tau;
        sums[1] += tau * tau / round_weight;
        sums[2] += 1.0;
        return true;
    }
};

}  // namespace littlestone
