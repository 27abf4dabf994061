// Dual coordinate descent: the loops that look for a good vector to compare a learner with.
// A bias feature of value ρ stands in every row when ρ > 0; its weight is the last entry of u. Sums have a fixed order and the visits come
// from a generator of our own, so a search gives the same vector every time.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include "../core/ordered_sum.h"

namespace littlestone {

// A row whose values are floats or doubles.
template <class Value>
struct RowOf {
    std::span<const std::uint32_t> indices;
    const Value* values;

    std::size_t size() const { return indices.size(); }
    double value(std::size_t k) const { return static_cast<double>(values[k]); }
};

// Rows and the signs of their labels.
template <class Value>
struct SignedRows {
    Column<const std::int64_t> starts;
    Column<const std::uint32_t> indices;
    Column<const Value> values;
    Column<const double> signs;

    std::size_t size() const { return signs.size(); }
    RowOf<Value> operator[](std::size_t t) const {
        const auto begin = static_cast<std::size_t>(starts[t]), end = static_cast<std::size_t>(starts[t + 1]);
        return {{indices.data + begin, end - begin}, values.data + begin};
    }
};

template <class Value>
double dot(const Column<double>& u, const RowOf<Value>& x) {
    return ordered_sum(x.size(), [&](std::size_t k) { return u[x.indices[k]] * x.value(k); });
}

template <class Value>
void add(const Column<double>& u, const RowOf<Value>& x, double step) {
    for (std::size_t k = 0; k < x.size(); ++k) u[x.indices[k]] += step * x.value(k);
}

// y·(u·x) for every row.
template <class Value>
void margins(const SignedRows<Value>& rows, double rho, Column<double> u, Column<double> out) {
    for (std::size_t t = 0; t < rows.size(); ++t) out[t] = rows.signs[t] * (dot(u, rows[t]) + rho * u[u.size() - 1]);
}

// |x|² for every row.
template <class Value>
void squared_lengths(const SignedRows<Value>& rows, double rho, Column<double> out) {
    for (std::size_t t = 0; t < out.size(); ++t) {
        const RowOf<Value> x = rows[t];
        out[t] = ordered_sum(x.size(), [&](std::size_t k) { return x.value(k) * x.value(k); }) + rho * rho;
    }
}

// u += Σ a·y·x.
template <class Value>
void combine(const SignedRows<Value>& rows, double rho, Column<const double> a, Column<double> u) {
    for (std::size_t t = 0; t < rows.size(); ++t) {
        if (a[t] == 0.0) continue;
        add(u, rows[t], a[t] * rows.signs[t]);
        if (rho > 0.0) u[u.size() - 1] += a[t] * rows.signs[t] * rho;
    }
}

// Permutes the order by a linear congruential generator (Knuth's constants), and returns where that stands.
inline std::uint64_t shuffle(Column<std::int64_t> order, std::uint64_t seed) {
    for (std::size_t k = order.size(); k-- > 1;) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        std::swap(order[k], order[static_cast<std::size_t>((seed >> 33) % (k + 1))]);
    }
    return seed;
}

// The rows that a pass visits: `rows` in blocks of neighbours, for the memory's sake, and in which order the blocks come. A row that stands at
// a limit and is pressed against it harder than `high` or `low` is struck out, with -1.
struct Visits {
    Column<std::int64_t> rows;
    Column<const std::int64_t> blocks;
    std::size_t block;
    double high, low;
};

// The largest and the smallest projected gradient of a pass.
struct Extremes {
    double top = 0.0, bottom = 0.0;
};

// One pass, calling visit(t, gradient) for each row whose a is not held at its limit, 0 or cap(t); that returns false to end the pass.
template <class Gradient, class Cap, class Visit>
Extremes pass(const Visits& visits, Column<const double> a, Gradient gradient, Cap cap, Visit visit) {
    Extremes extremes;
    for (const std::int64_t b : visits.blocks) {
        const std::size_t begin = static_cast<std::size_t>(b) * visits.block;
        for (std::size_t k = begin; k < std::min(begin + visits.block, visits.rows.size()); ++k) {
            const auto t = static_cast<std::size_t>(visits.rows[k]);
            const double g = gradient(t);
            if ((a[t] == 0.0 && g >= 0.0) || (a[t] == cap(t) && g <= 0.0)) {
                if (g > visits.high || g < visits.low) visits.rows[k] = -1;
                continue;
            }
            extremes.top = std::max(extremes.top, g);
            extremes.bottom = std::min(extremes.bottom, g);
            if (!visit(t, g)) return extremes;
        }
    }
    return extremes;
}

// One pass in which each row is made best by itself: min ½|u|² + ½Σ ridge·a² - Σ a, u = Σ a·y·x, 0 ≤ a ≤ scale·weights.
template <class Value>
Extremes descend(const SignedRows<Value>& rows, double rho, Column<const double> lengths, double scale, Column<const double> weights,
                 Column<const double> ridge, Column<double> a, Column<double> u, const Visits& visits) {
    const auto cap = [&](std::size_t t) { return scale * weights[t]; };
    const auto gradient = [&](std::size_t t) {
        return rows.signs[t] * (dot(u, rows[t]) + rho * u[u.size() - 1]) - 1.0 + ridge[t] * a[t];
    };
    return pass(visits, {a.data, a.size()}, gradient, cap, [&](std::size_t t, double g) {
        const double old = a[t], curvature = lengths[t] + ridge[t];
        double best = old;
        if (curvature > 0.0) {
            best = std::min(std::max(old - g / curvature, 0.0), cap(t));
        } else if (std::isfinite(cap(t))) {  // a row without features: its loss is 1 for every u
            best = cap(t);
        }
        if (best != old) {
            a[t] = best;
            const double step = (best - old) * rows.signs[t];
            add(u, rows[t], step);
            if (rho > 0.0) u[u.size() - 1] += step * rho;
        }
        return true;
    });
}

// Of the vector `scale` times u, given y·(u·x): Σ c·hinge, and Σ c·y·(u·x) over the rows with a loss.
inline std::pair<double, double> losses(Column<const double> margins, Column<const double> weights, double scale) {
    double loss = 0.0, pull = 0.0;
    for (std::size_t t = 0; t < margins.size(); ++t) {
        const double gap = 1.0 - scale * margins[t];
        if (gap > 0.0) {
            loss += weights[t] * gap;
            pull += weights[t] * margins[t];
        }
    }
    return {loss, pull};
}

}  // namespace littlestone
