// Logistic regression with a falling rate for each coordinate (AdaGrad; Duchi, Hazan, Singer 2011).
// The score w·x is the logarithm of the odds of a 1. With g_i = (p - y)·x_i, p the probability of a 1: G_i += g_i², w_i -= η·g_i/√G_i.
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/features.h"
#include "../core/log_loss.h"
#include "../core/ordered_sum.h"

namespace littlestone {

struct Adaptive {
    static constexpr bool scored = true;

    double eta, rho;
    Column<double> weight, squares, top;  // w, G, and the largest |w_i| so far
    Column<double> bias, bias_squares, bias_top;
    Column<double> losses;  // see `count_loss`

    double score(const Row& x) const { return dot(weight, x) + rho * bias[0]; }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        if (round_weight == 0.0) return true;
        const auto [right, wrong] = chances(predicted.score, label);
        count_loss(losses, right, round_weight);
        const double pull = label ? round_weight * wrong : -round_weight * wrong;
        for_each_feature(x, [&](auto place, auto value) {
            const auto g = pull * value;
            const auto sum = read(squares, place) + g * g;
            const auto before = read(weight, place);
            const auto moved = chosen(sum > 0.0, before + eta * g / root(sum), before);
            write(squares, place, sum);
            write(weight, place, moved);
            write(top, place, larger(read(top, place), magnitude(moved)));
        });
        if (rho > 0.0) {
            const double g = pull * rho;
            bias_squares[0] += g * g;
            if (bias_squares[0] > 0.0) {
                bias[0] += eta * g / std::sqrt(bias_squares[0]);
                bias_top[0] = std::max(bias_top[0], std::abs(bias[0]));
            }
        }
        return true;
    }
};

}  // namespace littlestone
