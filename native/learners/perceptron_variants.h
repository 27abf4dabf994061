// The Perceptron with a margin β, which also updates where y·(w·x) ≤ β, and the averaged one (Freund, Schapire 1999).
#pragma once
#include <algorithm>
#include "perceptron.h"

namespace littlestone {

struct PerceptronVariant {
    static constexpr bool scored = true;

    Perceptron rule;
    double beta;
    Column<double> average;  // Σ (clock at the update)·step·x; empty unless averaged
    Column<double> tally;    // clock, the same Σ for the bias; of the updates Σ1, Σc, Σc²|x|², max c|x|², c the weight of a round

    double score(const Row& x) const { return rule.score(x); }
    Prediction predict(const Row& x) const { return rule.predict(x); }

    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        const double sign = label ? 1.0 : -1.0;
        if (!average.empty()) tally[0] += round_weight;
        const bool narrow = beta > 0.0 && sign * predicted.score <= beta;
        if (predicted.answer == answer(label) && !narrow) return false;
        rule.step(x, sign * round_weight);
        account(x, sign * round_weight, round_weight);
        return true;
    }
    void account(const Row& x, double step, double round_weight) {
        if (!average.empty()) {
            add(average, x, tally[0] * step);
            tally[1] += tally[0] * step;
        }
        if (beta > 0.0) {
            const double square = squared_length(x) + rule.rho2;
            tally[2] += 1.0;
            tally[3] += round_weight;
            tally[4] += round_weight * round_weight * square;
            tally[5] = std::max(tally[5], round_weight * square);
        }
    }
};

}  // namespace littlestone
