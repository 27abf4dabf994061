// ALMA for p = 2 (Gentile 2001): nearly the largest margin, by rates that fall as corrections are made.
// Instances are taken at length 1. Correction k is made where y·w·x/|x| ≤ (1-α)γ_k: add η_k·y·x/|x|, and scale w back into the unit ball.
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/ordered_sum.h"

namespace littlestone {

struct Alma {
    static constexpr bool scored = true;

    double edge;  // (1-α)·√8/α
    double rho2;
    Column<double> v;      // w = g·v
    Column<double> bias;   // one entry, divided by g, too
    Column<double> tally;  // g, |w|², k of the next correction, (1-α)γ_k, and the largest |x|² of a correction

    double score(const Row& x) const { return tally[0] * (dot(v, x) + rho2 * bias[0]); }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    bool update(const Row& x, bool label, Prediction predicted, double) {
        const double sign = label ? 1.0 : -1.0, square = squared_length(x) + rho2, size = std::sqrt(square);
        if (!(sign * predicted.score <= tally[3] * size)) return false;
        const double eta = std::sqrt(2.0) / std::sqrt(tally[2]);
        tally[2] += 1.0;
        tally[3] = edge / std::sqrt(tally[2]);
        tally[4] = std::max(tally[4], square);
        if (size > 0.0) {
            const double step = sign * eta / (tally[0] * size);
            add(v, x, step);
            if (rho2 > 0.0) bias[0] += step;
            tally[1] = std::max(0.0, tally[1] + 2.0 * eta * sign * predicted.score / size + eta * eta);
            if (tally[1] > 1.0) {  // outside the ball
                tally[0] /= std::sqrt(tally[1]);
                tally[1] = 1.0;
            }
            if (tally[0] < 0.5) take_in_scale(v, bias, tally);  // seldom: g falls like a power of the number of corrections
        }
        return true;
    }
};

}  // namespace littlestone
