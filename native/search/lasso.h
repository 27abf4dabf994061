// Coordinate descent for Σ c·φ(y·u·x) + λ|u|₁, column by column; φ is the hinge with its corner rounded over a width μ:
// φ(m) = 0 for m ≥ 1, (1-m)²/(2μ) for 1-μ ≤ m ≤ 1, 1 - m - μ/2 below. Its slope times c, a number between 0 and c, is a dual variable.
#pragma once
#include <algorithm>
#include <cmath>
#include "../core/row.h"

namespace littlestone {

inline double rounded_hinge(double m, double mu) {
    const double gap = 1.0 - m;
    if (gap <= 0.0) return 0.0;
    return gap < mu ? gap * gap / (2.0 * mu) : gap - 0.5 * mu;
}

// -c·φ'(m) for every row.
inline void slopes(Column<const double> margins, Column<const double> weights, double mu, Column<double> out) {
    for (std::size_t t = 0; t < margins.size(); ++t) out[t] = weights[t] * std::min(std::max((1.0 - margins[t]) / mu, 0.0), 1.0);
}

// Columns of a table, and what is known of its rows.
template <class Value>
struct Lasso {
    Column<const std::int64_t> starts;
    Column<const std::int32_t> rows;
    Column<const Value> values;
    Column<const double> signs, weights;
    Column<double> margins, u;
    double lambda, mu;

    // A Newton step with a line search for each of these columns; returns how far the worst was from its best, as a share of λ.
    double sweep(Column<const std::int64_t> columns) const {
        double worst = 0.0;
        for (const std::int64_t column : columns) worst = std::max(worst, improve(static_cast<std::size_t>(column)));
        return worst;
    }

private:
    // Calls visit(t, x) for each entry of a column.
    template <class Visit>
    void each(std::size_t i, Visit visit) const {
        for (auto k = static_cast<std::size_t>(starts[i]); k < static_cast<std::size_t>(starts[i + 1]); ++k) {
            visit(static_cast<std::size_t>(rows[k]), static_cast<double>(values[k]));
        }
    }

    double improve(std::size_t i) const {
        double pull = 0.0, curvature = 0.0, whole = 0.0;
        each(i, [&](std::size_t t, double x) {
            const double gap = 1.0 - margins[t];
            if (gap > 0.0) {
                pull += weights[t] * std::min(gap / mu, 1.0) * signs[t] * x;
                if (gap < mu) curvature += weights[t] * x * x;
            }
            whole += weights[t] * x * x;
        });
        if (whole == 0.0) return 0.0;
        curvature = std::max(curvature, 1e-3 * whole) / mu;
        const double old = u[i];
        const double off = old > 0.0 ? std::abs(pull - lambda) : old < 0.0 ? std::abs(pull + lambda) : std::max(std::abs(pull) - lambda, 0.0);
        const double target = old + pull / curvature, shrunk = std::max(std::abs(target) - lambda / curvature, 0.0);
        double d = (target > 0.0 ? shrunk : -shrunk) - old;
        if (d != 0.0 && shorten(i, old, pull, d)) {
            u[i] = old + d;
            each(i, [&](std::size_t t, double x) { margins[t] += signs[t] * x * d; });
        }
        return off / lambda;
    }
    // Halves the step until it is worth its price; false where it never is.
    bool shorten(std::size_t i, double old, double pull, double& d) const {
        for (int k = 0; k < 20; ++k, d *= 0.5) {
            const double price = lambda * (std::abs(old + d) - std::abs(old));
            double change = 0.0;
            each(i, [&](std::size_t t, double x) {
                change += weights[t] * (rounded_hinge(margins[t] + signs[t] * x * d, mu) - rounded_hinge(margins[t], mu));
            });
            if (change + price <= 0.01 * (price - pull * d)) return true;
        }
        return false;
    }
};

}  // namespace littlestone
