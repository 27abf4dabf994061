// Winnow for "at least k of r" variables when neither k nor r is known: guess g = 1 and play Winnow with α = 1 + 1/(2g), θ = n.
// More mistakes than the theorem allows prove the guess too small; then all weights are 1 again and g doubles. The last guess is kept.
#pragma once
#include "../core/powers.h"

namespace littlestone {

struct WinnowDoubling {
    static constexpr bool scored = false;

    double theta;
    // Of each guess: the least exponent, where its table of powers starts, which exponents doubles add exactly, how many mistakes it allows.
    Column<const std::int64_t> low, starts;
    Column<const double> powers;
    Column<const std::int64_t> exact_low, exact_high, limits;
    Column<std::int32_t> exponent;
    Column<std::int64_t> counts;  // which guess, its mistakes, and its missed 1s

    Powers table() const {
        const auto guess = static_cast<std::size_t>(counts[0]);
        const auto begin = static_cast<std::size_t>(starts[guess]), end = static_cast<std::size_t>(starts[guess + 1]);
        return {low[guess], {powers.data + begin, end - begin}, exact_low[guess], exact_high[guess]};
    }

    Prediction predict(const Row& x) const { return {table().reaches(theta, exponent, x)}; }

    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        const auto guess = static_cast<std::size_t>(counts[0]);
        if (++counts[1] > limits[guess] && guess + 1 < limits.size()) {
            ++counts[0];
            counts[1] = counts[2] = 0;
            std::fill(exponent.begin(), exponent.end(), 0);
            return true;
        }
        shift(exponent, x, label ? 1 : -1, table().highest());
        counts[2] += label;
        return true;
    }
};

}  // namespace littlestone
