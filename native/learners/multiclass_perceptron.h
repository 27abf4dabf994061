// The Perceptron over several classes: predict the class with the largest score W_c·x; on a mistake add x to W_y and subtract it from that of
// the class predicted. A class that appears for the first time is only registered.
#pragma once
#include "class_scores.h"

namespace littlestone {

struct MulticlassPerceptron {
    ClassScores scores;
    Column<std::int64_t> seen;  // how many classes there are

    ClassPrediction predict(const Row& x) { return scores.predict(x, seen[0]); }

    bool update(const Row& x, std::int32_t label, const ClassPrediction& predicted, double weight) {
        if (label == seen[0]) {
            ++seen[0];
        } else if (label != predicted.answer) {
            for (std::size_t p = 0; p < x.size(); ++p) {
                const Column<double> row = scores.weights[x.indices[p]];
                const double step = weight * x.value(p);
                row[static_cast<std::size_t>(label)] += step;
                row[static_cast<std::size_t>(predicted.answer)] -= step;
            }
        }
        return label != predicted.answer;
    }
};

}  // namespace littlestone
