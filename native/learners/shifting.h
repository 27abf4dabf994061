// The shifting Perceptron (after Cavallanti, Cesa-Bianchi, Gentile 2007): what was learned fades as mistakes are made.
// Predict 1 when w·x ≥ 0; mistake k replaces w by (1-λ_k)·w + y·x, λ_k = λ/(λ+k).
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/ordered_sum.h"

namespace littlestone {

struct Shifting {
    static constexpr bool scored = true;

    double lambda;
    double rho2;
    Column<double> v;      // w = g·v
    Column<double> bias;   // one entry, divided by g, too
    Column<double> tally;  // g, mistakes, |w|², the largest |w|, Σ λ_k|w|, the largest |x|² of a mistake

    double score(const Row& x) const { return tally[0] * (dot(v, x) + rho2 * bias[0]); }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        const double sign = label ? 1.0 : -1.0, square = squared_length(x) + rho2;
        tally[1] += 1.0;
        const double keep = tally[1] / (lambda + tally[1]);
        tally[4] += (1.0 - keep) * std::sqrt(tally[2]);
        tally[2] = std::max(0.0, keep * keep * tally[2] + 2.0 * keep * sign * predicted.score + square);
        tally[3] = std::max(tally[3], std::sqrt(tally[2]));
        tally[5] = std::max(tally[5], square);
        tally[0] *= keep;
        if (tally[0] < 0.5) take_in_scale(v, bias, tally);  // seldom: g falls like a power of the number of mistakes
        const double step = sign / tally[0];
        add(v, x, step);
        bias[0] += step;
        return true;
    }
};

}  // namespace littlestone
