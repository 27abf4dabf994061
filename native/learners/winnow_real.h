// Winnow over [0, 1]: predict 1 when w·x ≥ θ. A missed 1 multiplies each w_i by α^x_i, a false 1 divides it by that, so w_i = α^s_i.
// With complements the features are x_1, …, x_n and 1 - x_1, …, 1 - x_n, and a row still costs its nonzero values only: with
// c = promotions - demotions the weight of 1 - x_i is α^(c - s_i) = α^(c - h)·v_i, v_i = α^(h - s_i). The v_i of the features that were
// updated are the leaves of a tree of sums, all others are α^h. h follows c in leaps, so that no v_i overflows.
#pragma once
#include <algorithm>
#include "../core/hyperbolic.h"
#include "../core/ordered_sum.h"

namespace littlestone {

struct WinnowReal {
    static constexpr bool scored = true;
    static constexpr double far = 300.0;  // how far c may be from h, in logarithms
    enum { c, h, untouched, leaves, largest };  // the places in z: c, h, α^h, leaves in use, the largest sum that a score was made of

    double theta, log_alpha;
    std::int64_t n;
    bool complement;
    Column<double> s, weight;
    Column<std::int64_t> place;  // 0, or 1 + the feature's leaf
    Column<double> tree, z;

    double v(std::uint32_t i) const { return place[i] > 0 ? tree[leaf(i)] : z[untouched]; }
    std::size_t leaf(std::size_t i) const { return tree.size() / 2 + static_cast<std::size_t>(place[i]) - 1; }
    double unit() const { return exp((z[c] - z[h]) * log_alpha); }
    double sum_of_v() const { return tree[1] + (static_cast<double>(n) - z[leaves]) * z[untouched]; }

    double sum(const Row& x) const {
        const double plain = dot(weight, x);
        if (!complement) return plain;
        double active = 0.0;
        for (std::size_t k = 0; k < x.size(); ++k) active += v(x.indices[k]) * x.value(k);
        return plain + unit() * (sum_of_v() - active);
    }
    Prediction predict(const Row& x) const {
        const double total = sum(x);
        return {answer(total >= theta), total - theta};
    }
    bool update(const Row& x, bool label, Prediction predicted, double) {
        if (predicted.answer == answer(label)) return false;
        const double sign = label ? 1.0 : -1.0;
        if (complement) z[largest] = std::max(z[largest], dot(weight, x) + unit() * sum_of_v());  // the rounding of the score depends on it
        z[c] += sign;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::uint32_t i = x.indices[k];
            s[i] += sign * x.value(k);
            weight[i] = exp(s[i] * log_alpha);
            if (!complement) continue;
            if (place[i] == 0) {
                z[leaves] += 1.0;
                place[i] = static_cast<std::int64_t>(z[leaves]);
            }
            put(leaf(i), exp((z[h] - s[i]) * log_alpha));
        }
        if (complement && std::abs(z[c] - z[h]) * log_alpha > far) rescale();
        return true;
    }

    void put(std::size_t node, double value) {
        tree[node] = value;
        for (node /= 2; node > 0; node /= 2) tree[node] = tree[2 * node] + tree[2 * node + 1];
    }
    void rescale() {
        z[h] = z[c];
        z[untouched] = exp(z[h] * log_alpha);
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (place[i] > 0) tree[leaf(i)] = exp((z[h] - s[i]) * log_alpha);
        }
        for (std::size_t node = tree.size() / 2 - 1; node > 0; --node) tree[node] = tree[2 * node] + tree[2 * node + 1];
    }
};

}  // namespace littlestone
