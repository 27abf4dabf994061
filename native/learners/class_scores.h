// Scores of several classes from weights that lie by features: weights[i] has those of feature i, one for each class, side by side.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>
#include "../play.h"

namespace littlestone {

struct ClassScores {
    Matrix<double> weights;
    std::vector<double> sums = std::vector<double>(weights.columns);

    // The first class with the largest of the scores of classes 0 to k - 1, each added up in the order of the row.
    ClassPrediction predict(const Row& x, std::int64_t k) {
        const auto classes = static_cast<std::size_t>(k);
        std::fill_n(sums.begin(), classes, 0.0);
        for (std::size_t p = 0; p < x.size(); ++p) {
            const double* row = weights[x.indices[p]].data;
            const double value = x.value(p);
            for (std::size_t c = 0; c < classes; ++c) sums[c] += row[c] * value;
        }
        std::int32_t best = k > 0 ? 0 : -1;
        for (std::size_t c = 1; c < classes; ++c) {
            if (sums[c] > sums[static_cast<std::size_t>(best)]) best = static_cast<std::int32_t>(c);
        }
        return {best, {sums.data(), classes}};
    }
};

}  // namespace littlestone
