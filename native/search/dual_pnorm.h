// Dual coordinate descent for a p-norm in place of the Euclidean one, p a whole number.
// w = ∇½|v|_p² has w_i = sign(v_i)|v_i|^(p-1)/|v|_p^(p-2). `s` holds sign(v_i)(|v_i|/σ)^(p-1) and `z` σ, S = Σ(|v_i|/σ)^p and its p-th root.
#pragma once
#include "../core/whole_powers.h"
#include "dual.h"

namespace littlestone {

// S^(1/p) by Newton's steps; from below the first one overshoots, then it falls to the root.
inline double root(double S, std::int64_t p, double guess) {
    double r = guess;
    for (int k = 0; k < 200; ++k) {
        const double next = r - (r - S / power(r, p - 1)) / static_cast<double>(p);
        if (std::abs(next - r) <= 1e-13 * r) return next;
        r = std::min(next, 2.0 * r);
    }
    return r;
}

// |x|_p² of every row.
template <class Value>
void row_powers(std::int64_t p, Column<const std::int64_t> starts, Column<const Value> values, Column<double> out) {
    for (std::size_t t = 0; t < out.size(); ++t) {
        const auto begin = static_cast<std::size_t>(starts[t]), end = static_cast<std::size_t>(starts[t + 1]);
        double largest = 0.0, total = 0.0;
        for (std::size_t k = begin; k < end; ++k) largest = std::max(largest, std::abs(static_cast<double>(values[k])));
        if (largest > 0.0) {
            for (std::size_t k = begin; k < end; ++k) total += power(std::abs(static_cast<double>(values[k]) / largest), p);
        }
        const double length = largest > 0.0 ? largest * root(total, p, std::max(1.0, total)) : 0.0;
        out[t] = length * length;
    }
}

struct PNormDescent {
    enum { sigma, total, root_of_total };  // the places in z

    std::int64_t p;
    Column<double> v, s, z;

    // s, σ, S and the root from v itself.
    void restart() const {
        double largest = 0.0, sum = 0.0;
        for (const double x : v) largest = std::max(largest, std::abs(x));
        z[sigma] = largest;
        for (std::size_t i = 0; i < v.size(); ++i) {
            const double q = largest > 0.0 ? v[i] / largest : 0.0;
            s[i] = signed_power(q, p - 1);
            sum += std::abs(s[i] * q);
        }
        z[total] = sum;
        z[root_of_total] = sum > 0.0 ? root(sum, p, std::max(1.0, sum)) : 0.0;
    }

    // One pass: min (C/2)|v|_p² - Σ a, v = Σ a·y·x, 0 ≤ a ≤ weights. The curvature along a row is at most C(p-1)|x|_p², so no step overshoots.
    template <class Value>
    Extremes descend(const SignedRows<Value>& rows, Column<const double> lengths, double C, Column<const double> weights, Column<double> a,
                     const Visits& visits) const {
        const auto cap = [&](std::size_t t) { return weights[t]; };
        const auto gradient = [&](std::size_t t) {
            return rows.signs[t] * (C * z[sigma] / power(z[root_of_total], p - 2)) * dot(s, rows[t]) - 1.0;
        };
        return pass(visits, {a.data, a.size()}, gradient, cap, [&](std::size_t t, double g) {
            const double old = a[t];
            double best = weights[t];
            if (lengths[t] > 0.0) best = std::min(std::max(old - g / (C * static_cast<double>(p - 1) * lengths[t]), 0.0), weights[t]);
            if (best == old) return true;
            a[t] = best;
            return step(rows[t], (best - old) * rows.signs[t]);
        });
    }

private:
    // v += step·x; false where nothing is left of v.
    template <class Value>
    bool step(const RowOf<Value>& x, double size) const {
        double sum = z[total];
        bool far = false;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            sum -= std::abs(s[i] * (v[i] / z[sigma]));
            v[i] += size * x.value(k);
            const double q = v[i] / z[sigma];
            far |= std::abs(q) > 8.0;
            s[i] = signed_power(q, p - 1);
            sum += std::abs(s[i] * q);
        }
        z[total] = sum;
        if (far || !(sum > 1e-100)) {
            restart();
            return z[sigma] != 0.0;
        }
        z[root_of_total] = root(sum, p, z[root_of_total]);
        return true;
    }
};

}  // namespace littlestone
