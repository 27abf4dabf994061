// The Banditron (Kakade, Shalev-Shwartz, Tewari 2008): several classes, and the learner is told only whether it was right.
// With ŷ the class of the largest score, name any class with probability e by a coin, else ŷ. If the class named was right, add x/P to its
// weights, P the chance with which it was named; right or wrong, subtract x from those of ŷ. A new class is only registered.
#pragma once
#include "../core/coin.h"
#include "../core/ordered_sum.h"
#include "class_scores.h"

namespace littlestone {

struct Banditron {
    struct Predicted : ClassPrediction {
        std::int32_t greedy = -1;
    };

    double explore;
    std::int64_t seed;
    ClassScores scores;
    Column<std::int64_t> labels;  // so far
    Column<double> longest;       // the largest |x|² among them
    Column<std::int64_t> seen;

    Predicted predict(const Row& x) {
        const ClassPrediction best = scores.predict(x, seen[0]);
        const double u = coin(seed, labels[0]);
        if (seen[0] == 0 || u >= explore) return {best, best.answer};
        const auto named = static_cast<std::int32_t>(u / explore * static_cast<double>(seen[0]));
        return {{std::min(named, static_cast<std::int32_t>(seen[0]) - 1), best.scores}, best.answer};
    }
    bool update(const Row& x, std::int32_t label, const Predicted& predicted, double) {
        ++labels[0];
        longest[0] = std::max(longest[0], squared_length(x));
        if (label == seen[0]) {
            ++seen[0];
            return true;
        }
        const bool right = label == predicted.answer;
        const double chance = explore / static_cast<double>(seen[0]) + (predicted.answer == predicted.greedy ? 1.0 - explore : 0.0);
        const double step = 1.0 / chance;
        for (std::size_t p = 0; p < x.size(); ++p) {
            const Column<double> row = scores.weights[x.indices[p]];
            if (right) row[static_cast<std::size_t>(predicted.answer)] += step * x.value(p);
            row[static_cast<std::size_t>(predicted.greedy)] -= x.value(p);
        }
        return true;
    }
};

}  // namespace littlestone
