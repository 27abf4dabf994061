// The log-loss of a rule whose score is the logarithm of the odds of a 1.
#pragma once
#include <algorithm>
#include "hyperbolic.h"
#include "row.h"

namespace littlestone {

// The probabilities of the true label and of the other.
struct Chances {
    double right, wrong;
};

// A score beyond 600 is taken for that: no product of two probabilities can vanish.
inline Chances chances(double score, bool label) {
    const double e = exp(-std::min(std::abs(score), 600.0));
    const double likely = 1.0 / (1.0 + e);
    if ((score >= 0.0) != label) return {e * likely, likely};
    return {likely, e * likely};
}

// Counts the loss of a round. `sums`: Π of the true labels' probabilities as a·2^-b (two numbers; a product needs no logarithm, and powers
// of two scale it without loss), the log-loss of rounds of other weights than 1, Σ weights.
inline void count_loss(const Column<double>& sums, double right, double round_weight) {
    sums[3] += round_weight;
    if (round_weight != 1.0) {
        sums[2] -= round_weight * log(right);
        return;
    }
    sums[0] *= right;
    while (sums[0] < 0x1p-100) {
        sums[0] *= 0x1p100;
        sums[1] += 100.0;
    }
}

}  // namespace littlestone
