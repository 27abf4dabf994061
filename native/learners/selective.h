// Selective sampling (Cesa-Bianchi, Gentile, Zaniboni 2006): a Perceptron that looks at a label with probability b/(b + |w·x|) only.
// The coin of a round depends on the seed and on the number of labelled rounds before it, so a run can be repeated.
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/coin.h"
#include "../core/ordered_sum.h"

namespace littlestone {

struct Selective {
    static constexpr bool scored = true;

    double b;
    double rho2;
    std::int64_t seed;
    Column<double> weight;
    Column<double> bias;   // one entry
    Column<double> tally;  // labelled rounds, labels asked, Σ b/(b + |s|), the largest |x|² of them, Σ (1 + |s|/b) over the updates, updates

    double score(const Row& x) const { return dot(weight, x) + rho2 * bias[0]; }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    bool update(const Row& x, bool label, Prediction predicted, double) {
        const double size = std::abs(predicted.score);
        const bool asked = coin(seed, static_cast<std::int64_t>(tally[0])) * (b + size) < b;
        tally[0] += 1.0;
        tally[2] += b / (b + size);
        tally[3] = std::max(tally[3], squared_length(x) + rho2);
        if (!asked) return true;
        tally[1] += 1.0;
        if (predicted.answer != answer(label)) {
            const double step = label ? 1.0 : -1.0;
            add(weight, x, step);
            bias[0] += step;
            tally[4] += 1.0 + size / b;
            tally[5] += 1.0;
        }
        return true;
    }
};

}  // namespace littlestone
