// Sums whose order is fixed, so that results are the same on every machine.
#pragma once
#include "lanes.h"
#include "row.h"

namespace littlestone {

// The sum of term(k) for k < n. Whole groups of four go to four lanes, what is left over to lane 0; then (0 + 1) + (2 + 3).
template <class Term>
double ordered_sum(std::size_t n, Term term) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    std::size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        a += term(k);
        b += term(k + 1);
        c += term(k + 2);
        d += term(k + 3);
    }
    for (; k < n; ++k) a += term(k);
    return (a + b) + (c + d);
}

inline double dot(const Column<double>& weight, const Row& x) {
    if (!x.values) return ordered_sum(x.size(), [&](std::size_t k) { return weight[x.indices[k]]; });
    Four sums = four(0.0, 0.0, 0.0, 0.0);
    std::size_t k = 0;
    for (; k + 4 <= x.size(); k += 4) {
        const std::uint32_t* i = x.indices.data() + k;
        sums += four(weight[i[0]], weight[i[1]], weight[i[2]], weight[i[3]]) * four(x.values + k);
    }
    double rest = sums[0];
    for (; k < x.size(); ++k) rest += weight[x.indices[k]] * static_cast<double>(x.values[k]);
    return (rest + sums[1]) + (sums[2] + sums[3]);
}

inline double squared_length(const Row& x) {
    if (!x.values) return static_cast<double>(x.size());
    return ordered_sum(x.size(), [&](std::size_t k) { return static_cast<double>(x.values[k]) * static_cast<double>(x.values[k]); });
}

// weight += step * x. No feature stands twice in a row, so four weights are read before any is written.
inline void add(const Column<double>& weight, const Row& x, double step) {
    const Four steps = four(step, step, step, step);
    std::size_t k = 0;
    for (; k + 4 <= x.size(); k += 4) {
        const std::uint32_t* i = x.indices.data() + k;
        Four w = four(weight[i[0]], weight[i[1]], weight[i[2]], weight[i[3]]);
        w += x.values ? steps * four(x.values + k) : steps;
        for (int j = 0; j < 4; ++j) weight[i[j]] = w[j];
    }
    for (; k < x.size(); ++k) weight[x.indices[k]] += step * x.value(k);
}

// Weights w = g·v that shrink with every step are kept as v and a scale g, the first number of the tally; here v takes g in.
inline void take_in_scale(const Column<double>& v, const Column<double>& bias, const Column<double>& tally) {
    for (double& weight : v) weight *= tally[0];
    bias[0] *= tally[0];
    tally[0] = 1.0;
}

}  // namespace littlestone
