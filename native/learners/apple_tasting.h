// Apple tasting: the label is seen only where 1 was predicted. Predict as the Perceptron; where that says 0, predict 1 all the same with
// probability p, by a coin of the seed and the number of labels so far. Where the Perceptron erred on a label that was seen, add y·x.
#pragma once
#include <algorithm>
#include "../core/coin.h"
#include "perceptron.h"

namespace littlestone {

struct AppleTasting {
    static constexpr bool scored = false;
    enum { gained, lost, idle, missed, squares, largest_square, widest };  // the places in sums

    struct Predicted : Prediction {
        bool likes = false;
    };

    Perceptron rule;
    double taste;
    std::int64_t seed;
    Column<std::int64_t> labels;  // so far, seen or not
    Column<double> sums;

    Predicted predict(const Row& x) const {
        const bool likes = rule.score(x) >= 0.0;
        return {{answer(likes || coin(seed, labels[0]) < taste)}, likes};
    }
    bool update(const Row& x, bool label, const Predicted& predicted, double) {
        ++labels[0];
        if (predicted.answer == Answer::no) {  // the label is not seen; it is only counted
            if (label) sums[missed] += 1.0;
            return false;
        }
        if (predicted.likes == label) {
            if (!label) sums[idle] += 1.0;  // it was a taste, and the row was bad
            return false;
        }
        rule.step(x, label ? 1.0 : -1.0);
        const double square = squared_length(x) + rule.rho2;
        sums[label ? gained : lost] += 1.0;
        sums[squares] += square;
        sums[largest_square] = std::max(sums[largest_square], square);
        sums[widest] = std::max(sums[widest], static_cast<double>(x.size()));
        return true;
    }
};

}  // namespace littlestone
