// Normalized: each feature is divided by the largest value that it learned from, and has its own falling rate; no unit has to be chosen.
// z_i = x_i/s_i; predict 1 when v·z ≥ 0. Where the margin m = y·v·z is below 1: G_i += g²z_i² and v_i += ε·τ·y·z_i/√G_i, with
// ε = η·√(k/Σ|z|²) over the k updates so far, and τ such that no step goes beyond a margin of 1.
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/features.h"
#include "../core/hyperbolic.h"

namespace littlestone {

struct Normalized {
    static constexpr bool scored = true;

    double eta, rho;
    bool squared;  // the loss is the square of the hinge loss
    Column<double> weight, squares, scale;  // v, G, s
    Column<double> extra;                   // v and G of the bias, k, Σ|z|²
    Column<double> sums;                    // the losses of the run, updates

    double score(const Row& x) const {
        double s = rho * extra[0];
        for_each_feature(x, [&](auto place, auto value) {
            const auto v = read(weight, place);  // a feature that was learned from has a scale
            s = add_in_order(s, chosen(v != 0.0, v * (value / larger(read(scale, place), magnitude(value))), -0.0));
        });
        return s;
    }
    Prediction predict(const Row& x) const { return by_score(score(x)); }

    bool update(const Row& x, bool label, Prediction predicted, double round_weight) {
        const double sign = label ? 1.0 : -1.0, loss = 1.0 - sign * predicted.score;
        if (!(loss > 0.0) || !(round_weight > 0.0)) return false;
        sums[0] += squared ? round_weight * loss * loss : round_weight * loss;
        sums[1] += 1.0;
        const double length2 = take_in(x, squared ? 2.0 * round_weight * loss : round_weight);
        if (!(length2 > 0.0)) return true;  // a row of nothing teaches nothing
        extra[2] += 1.0;
        extra[3] += length2;
        const double rate = eta * std::sqrt(extra[2] / extra[3]);
        double gain = rho > 0.0 ? rho * rho * (rate / std::sqrt(extra[1])) : 0.0;
        for_each_feature(x, [&](auto place, auto value) {
            const auto z = value / read(scale, place), G = read(squares, place);
            gain = add_in_order(gain, chosen(G > 0.0, z * z * (rate / root(G)), 0.0));
        });
        if (!(gain > 0.0)) return true;
        const double tau = squared ? loss * (1.0 - exp(-2.0 * round_weight * gain)) / gain : std::min(round_weight, loss / gain);
        const double step = sign * (rate * tau);
        if (rho > 0.0) extra[0] += step * rho / std::sqrt(extra[1]);
        for_each_feature(x, [&](auto place, auto value) {
            const auto z = value / read(scale, place), G = read(squares, place), before = read(weight, place);
            write(weight, place, chosen(G > 0.0, before + step * z / root(G), before));
        });
        return true;
    }
    // Brings the scales and G up to date; returns Σ|z|² of the row.
    double take_in(const Row& x, double g) {
        double length2 = rho * rho;
        for_each_feature(x, [&](auto place, auto value) {
            const auto size = larger(read(scale, place), magnitude(value));
            const auto z = chosen(value != 0.0, value / size, 0.0);
            length2 = add_in_order(length2, z * z);
            write(scale, place, size);
            write(squares, place, read(squares, place) + (g * z) * (g * z));
        });
        if (length2 > 0.0) extra[1] += (g * rho) * (g * rho);
        return length2;
    }
};

}  // namespace littlestone
